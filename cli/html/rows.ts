/** The first rows of a result, and those whose call failed. */
import type { RowError } from '../../client/api.js';
import type { RunResult } from '../../plans/protocol/run.js';
import { type Cell, plainText } from '../render/cells.js';
import { count, counted, percent } from '../render/numbers.js';
import { readRows, type RowSource } from '../render/source.js';
import { cut } from './cut.js';
import { html } from './html.js';
import type { Section } from './page.js';
import { type HtmlColumn, table } from './table.js';

export type RowSample = readonly (readonly Cell[])[];

const sampleRows = 20;
const shownColumns = 40;
const shownErrors = 100;

/** The first rows: a page is for looking at, the result for reading. */
export async function sampleOf(source: Pick<RowSource, 'columns' | 'batches'>): Promise<RowSample> {
  const rows: (readonly Cell[])[] = [];
  for await (const row of readRows(source)) {
    rows.push(row);
    if (rows.length === sampleRows) break;
  }
  return rows;
}

export function sampledRows({
  result,
  rows,
}: {
  readonly result: RunResult;
  readonly rows: RowSample;
}): readonly Section[] {
  if (rows.length === 0) return [];
  const { columns, count: all } = result.rows;
  const visible = columns.slice(0, shownColumns).map(
    ({ name }, at): HtmlColumn<readonly Cell[]> => ({
      title: name,
      cell: (row) => {
        const cell = row[at] ?? null;
        return cell === null ? html`<span class="dim">NULL</span>` : cut(plainText(cell));
      },
    }),
  );
  const hidden = columns.length > visible.length ? `, ${visible.length} of ${columns.length} columns` : '';
  const title = all > rows.length || hidden !== '' ? `Rows (first ${rows.length} of ${count(all)}${hidden})` : 'Rows';
  return [{ title, body: table(visible, rows) }];
}

const errorColumns: readonly HtmlColumn<RowError>[] = [
  { title: 'row', align: 'right', cell: ({ row }) => count(row) },
  { title: 'operator', cell: ({ operator }) => operator },
  { title: 'code', cell: ({ code }) => code },
  { title: 'what went wrong', cell: ({ message }) => cut(message) },
];

export function failedRows({ errors }: RunResult, listed: readonly RowError[]): readonly Section[] {
  if (errors.count === 0) return [];
  const first = listed.slice(0, shownErrors);
  const more = errors.count - first.length;
  const left = more > 0 ? html`<p class="dim">and ${count(more)} more</p>` : html``;
  const title = `${counted(errors.count, 'failed call')} (${percent(errors.ratio)} of the rows asked)`;
  return [{ title, body: html`${table(errorColumns, first)}${left}` }];
}
