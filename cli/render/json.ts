import { type Cell, jsonText } from './cells.js';
import type { Sink } from './formats.js';
import { type RowSource, readRows } from './source.js';

function rowText(names: readonly string[], row: readonly Cell[]): string {
  return `{${row.map((cell, position) => `${names[position] ?? ''}:${jsonText(cell)}`).join(',')}}`;
}

function quotedNames(source: RowSource): readonly string[] {
  return source.columns.map((column) => JSON.stringify(column.name));
}

/** One object a line. */
export async function writeJsonLines(source: RowSource, sink: Sink): Promise<void> {
  const names = quotedNames(source);
  for await (const row of readRows(source)) await sink.write(`${rowText(names, row)}\n`);
}

/** One document: `{"schema":"fermata/run/1", …, "rows":[…]}`, written row by row. */
export async function writeJson(source: RowSource, sink: Sink): Promise<void> {
  const names = quotedNames(source);
  const head = Object.entries({ ...source.envelope, columns: source.columns });
  await sink.write(
    `{${head.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',\n')},\n"rows":[`,
  );
  let separator = '\n';
  for await (const row of readRows(source)) {
    await sink.write(`${separator}${rowText(names, row)}`);
    separator = ',\n';
  }
  await sink.write('\n]}\n');
}
