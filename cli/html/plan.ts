/** What was asked, and how its joins were planned. */
import type { RunDescription } from '../../client/api.js';
import { withMeasured } from '../../plans/explain/measured.js';
import { planText } from '../../plans/explain/text.js';
import type { OperatorProgress, RunRequest, RunSummary, TableInput } from '../../plans/protocol/run.js';
import { cut } from './cut.js';
import { html } from './html.js';
import type { Section } from './page.js';
import { type HtmlColumn, table } from './table.js';

const columns: readonly HtmlColumn<TableInput>[] = [
  { title: 'table', cell: ({ name }) => name },
  { title: 'source', cell: ({ path, inner }) => (inner === undefined ? path : `${path}#${inner}`) },
  { title: 'format', cell: ({ format }) => format },
  { title: 'images', cell: ({ image }) => (image ?? []).join(', ') },
  { title: 'audio', cell: ({ audio }) => (audio ?? []).join(', ') },
  { title: 'SHA-256', cell: ({ object }) => object.slice(0, 12) },
];

export function querySections(summary: RunSummary, description: RunDescription | undefined): readonly Section[] {
  if (description === undefined) return [{ title: 'Query', body: html`<pre>${summary.sql}</pre>` }];
  const { request } = description;
  const options = optionsOf(request).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`);
  const tables = request.tables.length === 0 ? html`` : table(columns, request.tables);
  return [{ title: 'Query', body: html`<pre>${request.sql}</pre><dl>${options}</dl>${tables}` }];
}

/** What the user chose, by the names of the flags. Values of parameters are not repeated: they may be anything. */
function optionsOf(request: RunRequest): readonly (readonly [string, string])[] {
  const { model, strategy, placement, onError, maxErrorRatio, cache, parameters } = request;
  return [
    ...(model === undefined ? [] : [['model', model] as const]),
    ...(strategy === undefined ? [] : [['strategy', cut(JSON.stringify(strategy))] as const]),
    ...(placement === undefined ? [] : [['placement', placement] as const]),
    ...(parameters === undefined ? [] : [['parameters', Object.keys(parameters).join(', ')] as const]),
    ['on error', onError],
    ['max error ratio', String(maxErrorRatio)],
    ['answers of earlier runs', cache ? 'read' : 'not read'],
  ];
}

/** Of queries with joins alone: the others have nothing to place. */
export function planSections(
  description: RunDescription | undefined,
  operators: readonly OperatorProgress[],
): readonly Section[] {
  return (description?.joins ?? []).map((join, at, { length }) => ({
    title: length === 1 ? 'Placement' : `Placement of join ${at + 1}`,
    body: html`<pre class="tree">${planText(withMeasured(join, operators), { reasons: true })}</pre>`,
  }));
}
