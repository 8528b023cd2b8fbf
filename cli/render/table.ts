import { type Cell, ExactNumber, plainText } from './cells.js';
import type { Sink } from './formats.js';
import { type RowSource, readRows } from './source.js';
import { fit, oneLine, pad, textWidth } from './width.js';

/** Rows that decide the widths; later ones are written as they come, so that a long result starts at once. */
const sampleRows = 500;
/** No column is squeezed below this. */
const leastWidth = 6;
const gap = '  ';

interface Column {
  readonly name: string;
  readonly align: 'left' | 'right';
}

function cellText(cell: Cell): string {
  if (cell === null) return 'NULL';
  if (cell instanceof Uint8Array) return `<${cell.byteLength} bytes>`;
  return oneLine(plainText(cell));
}

function isNumeric(cell: Cell): boolean {
  return typeof cell === 'number' || typeof cell === 'bigint' || cell instanceof ExactNumber;
}

/**
 * Widths of the columns within `available` columns: the widest ones give way first, none below six columns.
 * Without a limit each column is as wide as its widest cell.
 */
export function columnWidths(natural: readonly number[], available: number | undefined): readonly number[] {
  if (available === undefined) return natural;
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1) - available;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= leastWidth) break;
    const next = Math.max(leastWidth, ...widths.filter((width) => width < widest));
    const holders = widths.filter((width) => width === widest).length;
    const cut = Math.max(1, Math.min(widest - next, Math.ceil(excess / holders)));
    for (let i = 0; i < widths.length && excess > 0; i++) {
      if (widths[i] !== widest) continue;
      const taken = Math.min(cut, excess);
      widths[i] = widest - taken;
      excess -= taken;
    }
  }
  return widths;
}

/** How many leading columns fit when even the narrowest form of all of them does not. */
function visibleCount(widths: readonly number[], available: number | undefined): number {
  if (available === undefined) return widths.length;
  let used = -gap.length;
  const count = widths.findIndex((width) => (used += width + gap.length) > available);
  return count === -1 ? widths.length : Math.max(1, count);
}

function lineText(
  cells: readonly string[],
  columns: readonly Column[],
  widths: readonly number[],
  limited: boolean,
): string {
  const parts = widths.map((width, i) => {
    const text = cells[i] ?? '';
    return pad(limited ? fit(text, width) : text, width, columns[i]?.align ?? 'left');
  });
  return `${parts.join(gap).trimEnd()}\n`;
}

/** Aligned columns. On a terminal long cells are cut to its width; elsewhere they are whole. */
export async function writeTable(source: RowSource, sink: Sink): Promise<void> {
  const rows = readRows(source)[Symbol.asyncIterator]();
  const sample: (readonly Cell[])[] = [];
  let next = await rows.next();
  while (!next.done && sample.length < sampleRows) {
    sample.push(next.value);
    next = await rows.next();
  }
  const columns = source.columns.map((column, i): Column => {
    const filled = sample.map((row) => row[i] ?? null).filter((cell) => cell !== null);
    return { name: oneLine(column.name), align: filled.length > 0 && filled.every(isNumeric) ? 'right' : 'left' };
  });
  const texts = sample.map((row) => row.map(cellText));
  const available = sink.columns;
  const limited = available !== undefined;
  const natural = columns.map((column, i) =>
    texts.reduce((widest, row) => Math.max(widest, textWidth(row[i] ?? '')), Math.max(1, textWidth(column.name))),
  );
  const fitted = columnWidths(natural, available);
  const widths = fitted
    .slice(0, visibleCount(fitted, available))
    .map((width) => (limited ? Math.min(width, available) : width));
  await sink.write(
    lineText(
      columns.map((column) => column.name),
      columns,
      widths,
      limited,
    ),
  );
  await sink.write(`${widths.map((width) => '─'.repeat(width)).join(gap)}\n`);
  for (const row of texts) await sink.write(lineText(row, columns, widths, limited));
  for (; !next.done; next = await rows.next()) {
    await sink.write(lineText(next.value.map(cellText), columns, widths, limited));
  }
  if (widths.length < columns.length) {
    const hidden = columns.slice(widths.length).map((column) => column.name);
    await sink.note(`${hidden.length} columns do not fit and are not shown: ${hidden.join(', ')}`);
  }
}
