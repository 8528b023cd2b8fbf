/** What each semantic operator was asked and what it cost. */
import { type AnalyzedOperator, analyze } from '../../plans/explain/analysis.js';
import type { Estimate, OperatorProgress, Range, RunResult } from '../../plans/protocol/run.js';
import { cost, count, counted, duration, percent, range, usd } from '../render/numbers.js';
import { operatorTitle } from '../render/operator-title.js';
import { type Html, html } from './html.js';
import type { Section } from './page.js';
import { type HtmlColumn, table } from './table.js';

type Ended = { readonly kind: 'ended'; readonly result: RunResult };

const columns: readonly HtmlColumn<OperatorProgress>[] = [
  { title: 'operator', cell: operatorTitle },
  { title: 'model', cell: ({ model }) => model },
  { title: 'inputs', align: 'right', cell: ({ inputs }) => count(inputs) },
  { title: 'calls', align: 'right', cell: ({ calls }) => count(calls) },
  { title: 'cached', align: 'right', cell: ({ cached }) => count(cached) },
  { title: 'retries', align: 'right', cell: ({ retries }) => count(retries) },
  { title: 'failed', align: 'right', cell: ({ failed }) => count(failed) },
  { title: 'tokens in', align: 'right', cell: ({ inputTokens }) => count(inputTokens) },
  { title: 'tokens out', align: 'right', cell: ({ outputTokens }) => count(outputTokens) },
  { title: 'USD', align: 'right', cell: ({ usd: value, unpriced }) => cost(value, unpriced) },
  { title: 'to the end', align: 'right', cell: ({ ms }) => duration(ms / 1000) },
  { title: 'intent', cell: ({ intent }) => html`<div class="text">${intent}</div>` },
];

const decided: HtmlColumn<OperatorProgress> = {
  title: 'decided',
  align: 'right',
  cell: ({ share }) => (share === undefined ? '' : percent(share)),
};

/** What each step decided stands beside its inputs, where an operator has steps. */
function columnsFor(operators: readonly OperatorProgress[]): readonly HtmlColumn<OperatorProgress>[] {
  const steps = operators.some(({ share }) => share !== undefined);
  return steps ? columns.flatMap((column) => (column.title === 'inputs' ? [column, decided] : [column])) : columns;
}

export function operatorSections(
  operators: readonly OperatorProgress[],
  outcome: Ended | { readonly kind: 'failed' | 'going' },
  estimate: Estimate | undefined,
): readonly Section[] {
  const asked: readonly Section[] =
    operators.length === 0
      ? [{ title: 'Semantic operators', body: html`<p>none: no model was asked</p>` }]
      : [{ title: 'Semantic operators', body: html`${bars(operators)}${table(columnsFor(operators), operators)}` }];
  if (outcome.kind !== 'ended') return asked;
  return [
    spendSection(outcome.result),
    ...asked,
    ...(estimate === undefined ? [] : [compared(estimate, outcome.result)]),
  ];
}

export function spendSection({ spend }: Pick<RunResult, 'spend'>): Section {
  const facts: readonly (readonly [string, string])[] = [
    ['cost', cost(spend.usd, spend.unpriced)],
    ['calls', `${counted(spend.calls, 'call')}${spend.retries > 0 ? `, ${count(spend.retries)} retried` : ''}`],
    ['tokens', `${count(spend.inputTokens)} in, ${count(spend.outputTokens)} out`],
    [
      'from the ledger',
      `${counted(spend.cached, 'answer')}${spend.savedUsd > 0 ? `, ${usd(spend.savedUsd)} saved` : ''}`,
    ],
  ];
  const body = html`<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
  return { title: 'Spend', body };
}

const parts = [
  { title: 'asked', style: 'asked', of: ({ answered, cached }: OperatorProgress) => answered - cached },
  { title: 'from the ledger', style: 'cached', of: ({ cached }: OperatorProgress) => cached },
  { title: 'failed', style: 'bad', of: ({ failed }: OperatorProgress) => failed },
  {
    title: 'not answered',
    style: 'open',
    of: ({ inputs, answered, failed }: OperatorProgress) => inputs - answered - failed,
  },
] as const;

const [nameWidth, barWidth, rowHeight] = [220, 640, 26];

/** A bar an operator, as long as its inputs are many. */
function bars(operators: readonly OperatorProgress[]): Html {
  const most = Math.max(1, ...operators.map(({ inputs }) => inputs));
  const rows = operators.map((operator, at) => {
    const y = at * rowHeight;
    let x = nameWidth;
    const rects = parts.map(({ style, of }) => {
      const width = (Math.max(0, of(operator)) / most) * barWidth;
      const left = x;
      x += width;
      return html`<rect class="${style}" x="${left.toFixed(1)}" y="${y + 4}" width="${width.toFixed(1)}" height="16"/>`;
    });
    const label = html`<text x="${nameWidth - 8}" y="${y + 17}" text-anchor="end" fill="currentColor">${labelOf(operator)}</text>`;
    return html`<g>${label}${rects}</g>\n`;
  });
  const [width, height] = [nameWidth + barWidth, operators.length * rowHeight];
  const colours = { asked: 'asked', cached: 'cached', bad: 'failed', open: 'open' } as const;
  const keys = parts.map(
    ({ title, style }) => html`<i class="key" style="background: var(--${colours[style]})"></i>${title}`,
  );
  return html`<svg viewBox="0 0 ${width} ${height}" width="100%" style="max-width: ${width}px" font-size="13" role="img" aria-label="Inputs of each operator, by where their answers came from">
${rows}</svg>
<p class="dim">distinct inputs:${keys}</p>`;
}

function labelOf(operator: OperatorProgress): string {
  const name = `${operatorTitle(operator)} · ${operator.model}`;
  return name.length > 32 ? `${name.slice(0, 31)}…` : name;
}

const nothing = '–';
const price = (value: Range | undefined): string => (value === undefined ? 'unknown' : range(value, usd));

const comparisons: readonly HtmlColumn<AnalyzedOperator>[] = [
  { title: 'operator', cell: ({ operator }) => operator },
  { title: 'model', cell: ({ model }) => model },
  ...(['distinct', 'calls', 'tokens', 'usd'] as const).flatMap((figure): HtmlColumn<AnalyzedOperator>[] => {
    const title = { distinct: 'inputs', calls: 'calls', tokens: 'tokens', usd: 'USD' }[figure];
    return [
      { title: `${title} estimated`, align: 'right', cell: ({ estimated }) => foreseen(estimated, figure) },
      { title: 'measured', align: 'right', cell: ({ measured }) => taken(measured, figure) },
    ];
  }),
];

type Figure = 'distinct' | 'calls' | 'tokens' | 'usd';

function foreseen(estimated: AnalyzedOperator['estimated'], figure: Figure): string {
  if (estimated === undefined) return nothing;
  if (figure === 'distinct') return count(estimated.distinct);
  return figure === 'usd' ? price(estimated.usd) : range(estimated[figure]);
}

function taken(measured: AnalyzedOperator['measured'], figure: Figure): string {
  if (measured === undefined) return nothing;
  if (figure === 'usd') return cost(measured.usd, measured.unpriced);
  return count(figure === 'distinct' ? measured.inputs : measured[figure]);
}

function compared(estimate: Estimate, result: RunResult): Section {
  return { title: 'Estimated and measured', body: table(comparisons, analyze(estimate, result).operators) };
}
