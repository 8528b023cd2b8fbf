/** Small aligned tables of texts: lists, reports, checks. */
import { fit, oneLine, pad, textWidth } from './width.js';

export interface GridColumn<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  readonly text: (row: Row) => string;
}

/**
 * Lines of the grid, header first. The last column is cut to the terminal's width, where there is one.
 *
 * @example
 * grid(runs, [{ title: 'run', text: (run) => run.runId }], 80)
 */
export function grid<Row>(
  rows: readonly Row[],
  columns: readonly GridColumn<Row>[],
  available: number | undefined,
): readonly string[] {
  const cells = rows.map((row) => columns.map((column) => oneLine(column.text(row))));
  const lines = [columns.map((column) => column.title), ...cells];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => textWidth(line[i] ?? ''))));
  return lines.map((line) => {
    const text = line
      .map((cell, i) => pad(cell, widths[i] ?? 0, columns[i]?.align ?? 'left'))
      .join('  ')
      .trimEnd();
    return available === undefined ? text : fit(text, available);
  });
}
