import type { CodeRow } from './code-task.js';

/** Rows between bars, or with tabs in them; undefined for a line of another kind. */
function cellsOf(line: string): readonly string[] | undefined {
  const bare = line.trim();
  if (bare.startsWith('|') && bare.length > 1)
    return bare
      .replace(/^\|/u, '')
      .replace(/(?<!\\)\|$/u, '')
      .split(/(?<!\\)\|/u)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
  return line.includes('\t') ? line.split('\t').map((cell) => cell.trim()) : undefined;
}

const isRule = (cells: readonly string[]): boolean => cells.every((cell) => /^:?-+:?$/u.test(cell));

/**
 * Every cell of the tables in a text: lines in a row that begin with a bar, or that have equally many tabs. The first line names
 * the columns. Tables and rows are numbered from 1; a column without a name is called by its number.
 */
export function tableCells(text: string): readonly CodeRow[] {
  const tables: (readonly string[])[][] = [];
  let open: (readonly string[])[] = [];
  const close = (): void => {
    // one line with a tab in it is no table
    if (open.filter((cells) => !isRule(cells)).length > 1) tables.push(open);
    open = [];
  };
  for (const line of text.split('\n')) {
    const cells = cellsOf(line);
    if (cells === undefined || (open[0] !== undefined && open[0].length !== cells.length)) close();
    if (cells !== undefined) open.push(cells);
  }
  close();
  return tables.flatMap((lines, table) => {
    const [header = [], ...rows] = lines.filter((cells) => !isRule(cells));
    return rows.flatMap((cells, row) =>
      cells.map((CellValue, at) => ({
        TabIdx: table + 1,
        RowIdx: row + 1,
        ColName: header[at] === undefined || header[at] === '' ? String(at + 1) : header[at],
        CellValue,
      })),
    );
  });
}
