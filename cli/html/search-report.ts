/** The report of one search for a plan as an HTML page: what was found, what was tried, and what it cost. */
import type { FermataError } from '../../plans/protocol/errors.js';
import type { RunProgress, RunSummary } from '../../plans/protocol/run.js';
import type {
  FinishedTrial,
  ReportedImplementation,
  SearchResult,
  SearchStatus,
  TriedPlan,
} from '../../plans/protocol/search.js';
import { count, counted, duration, percent, usd } from '../render/numbers.js';
import { chosenText, searchStops } from '../render/optimization.js';
import { type Html, html } from './html.js';
import { operatorSections, spendSection } from './operators.js';
import { page, type Section } from './page.js';
import { failedVerdict, startedAt } from './run-report.js';
import { scatter } from './scatter.js';
import { type HtmlColumn, table } from './table.js';

/** How far a search has come. */
export type SearchOutcome =
  | { readonly kind: 'ended'; readonly result: SearchResult; readonly tried: readonly TriedPlan[] }
  | { readonly kind: 'failed'; readonly error: FermataError; readonly progress?: RunProgress }
  | { readonly kind: 'going'; readonly status: SearchStatus; readonly progress?: RunProgress };

export interface SearchReportInput {
  readonly summary: RunSummary;
  readonly outcome: SearchOutcome;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Of Fermata. */
  readonly version: string;
}

export function searchReport({ summary, outcome, now, version }: SearchReportInput): string {
  const sections: readonly Section[] = [
    ...(outcome.kind === 'ended' ? foundSections(outcome.result, outcome.tried) : askedSections(outcome)),
    { title: 'Query', body: html`<pre>${summary.sql}</pre>` },
  ];
  const written = new Date(now).toISOString().slice(0, 19);
  const data = { schema: 'fermata/search-report/1', search: summary, ...outcome };
  const foot = `Fermata ${version}, written ${written}Z`;
  return page(`Search ${summary.runId}`, verdict(summary, outcome, now), sections, foot, data);
}

function verdict(summary: RunSummary, outcome: SearchOutcome, now: number): Html {
  const began = startedAt(summary);
  if (outcome.kind === 'failed') return failedVerdict(outcome.error, began);
  if (outcome.kind === 'going') {
    const { direct, incumbent, trials } = outcome.status;
    const best = incumbent === undefined ? 'no plan yet' : `best utility ${incumbent.utility.toFixed(3)}`;
    const beside = direct === undefined ? '' : `, default model ${direct.utility.toFixed(3)}`;
    return html`<p>${summary.state}: started ${began}, ${duration((now - summary.startedAt) / 1000)} ago</p>
<p>${counted(trials, 'trial')} · ${best}${beside}</p>`;
  }
  const { result } = outcome;
  const state = searchStops[result.stop];
  return html`<p><b>${chosenText(result)}</b> · ${result.stop === 'complete' ? state : html`<b class="warn">${state}</b>`} · started ${began}, took ${duration(result.ms / 1000)}</p>
<p class="dim">${counted(result.trials, 'trial')} on ${counted(result.labelled, 'label')}; quality is ${result.metric} against them</p>
${result.notes.map((note) => html`<p class="warn">note: ${note}</p>`)}${result.lost.map(({ name, reason }) => html`<p class="warn">left out: ${name}: ${reason}</p>`)}`;
}

function askedSections(outcome: Exclude<SearchOutcome, { readonly kind: 'ended' }>): readonly Section[] {
  return operatorSections(outcome.progress?.operators ?? [], { kind: outcome.kind }, undefined);
}

interface PlanRow {
  readonly title: string;
  readonly plan: SearchResult['direct'];
}

const planColumns: readonly HtmlColumn<PlanRow>[] = [
  { title: 'plan', cell: ({ title }) => title },
  { title: 'utility', align: 'right', cell: ({ plan }) => plan.utility.toFixed(3) },
  { title: 'quality', align: 'right', cell: ({ plan }) => plan.quality.toFixed(3) },
  {
    title: '95 %',
    align: 'right',
    cell: ({ plan: { interval } }) => `${interval.lower.toFixed(3)}–${interval.upper.toFixed(3)}`,
  },
  { title: 'seconds', align: 'right', cell: ({ plan }) => plan.latencySeconds.toPrecision(3) },
  { title: 'USD', align: 'right', cell: ({ plan }) => usd(plan.costUsd) },
];

const implementationColumns: readonly HtmlColumn<ReportedImplementation>[] = [
  { title: 'answers by', cell: ({ name }) => name },
  { title: 'family', cell: ({ family }) => family },
  { title: 'quality alone', align: 'right', cell: ({ quality }) => quality.toFixed(3) },
  { title: 'USD a row', align: 'right', cell: (one) => usd(one.usd) },
  { title: 's a row', align: 'right', cell: ({ seconds }) => seconds.toPrecision(2) },
  { title: 'rows of the plan', align: 'right', cell: ({ share }) => percent(share) },
  { title: '', cell: ({ share }) => shareBar(share) },
];

function shareBar(share: number): Html {
  return html`<svg viewBox="0 0 100 10" width="160" height="10" aria-hidden="true"><rect class="open" width="100" height="10"/><rect class="asked" width="${(100 * share).toFixed(1)}" height="10"/></svg>`;
}

function foundSections(result: SearchResult, tried: readonly TriedPlan[]): readonly Section[] {
  const { direct, incumbent } = result;
  const plans: readonly PlanRow[] = [
    { title: 'default model', plan: direct },
    ...(incumbent.trial === direct.trial ? [] : [{ title: `trial ${incumbent.trial}`, plan: incumbent }]),
  ];
  return [
    { title: 'Plans on the sample', body: table(planColumns, plans) },
    { title: 'Who answers', body: table(implementationColumns, result.implementations) },
    ...(tried.length === 0 ? [] : triedSections(result, tried)),
    spendSection(result),
    ...operatorSections(result.operators, { kind: 'going' }, undefined),
  ];
}

const trialTitle = ({ trial, utility, quality, latencySeconds, costUsd }: FinishedTrial): string =>
  `trial ${trial}: U ${utility.toFixed(3)}, Q ${quality.toFixed(3)}, ${latencySeconds.toPrecision(3)} s, ${usd(costUsd)}`;

function triedSections({ direct, incumbent }: SearchResult, tried: readonly TriedPlan[]): readonly Section[] {
  const mark = ({ trial }: TriedPlan) =>
    trial === incumbent.trial
      ? ({ mark: 'chosen' } as const)
      : trial === direct.trial
        ? ({ mark: 'direct' } as const)
        : {};
  const priced = tried.some(({ costUsd }) => costUsd > 0);
  const priceOf = ({ costUsd, latencySeconds }: FinishedTrial): number => (priced ? costUsd : latencySeconds);
  const keys = html`<p class="dim"><i class="key chosen"></i>chosen <i class="key direct"></i>default model</p>`;
  const byTrial = scatter({
    ...{ title: 'Utility of each trial, and of the best until then', x: 'trial', y: 'utility' },
    points: tried.map((one) => ({ x: one.trial, y: one.utility, title: trialTitle(one), ...mark(one) })),
    line: { shape: 'steps', of: bestUntil(tried) },
  });
  const byPrice = scatter({
    ...{ title: 'Quality by price, and the front', x: priced ? 'USD' : 'seconds', y: 'quality' },
    points: tried.map((one) => ({ x: priceOf(one), y: one.quality, title: trialTitle(one), ...mark(one) })),
    line: { shape: 'steps', of: front(tried, priceOf) },
  });
  return [
    { title: 'Utility by trial', body: html`${byTrial}${keys}` },
    { title: `Quality by ${priced ? 'cost' : 'time'}`, body: html`${byPrice}${keys}` },
    {
      title: `All ${count(tried.length)} trials`,
      body: html`<details><summary>show</summary>${table(trialColumns, tried)}</details>`,
    },
  ];
}

const trialColumns: readonly HtmlColumn<TriedPlan>[] = [
  { title: 'trial', align: 'right', cell: ({ trial }) => count(trial) },
  { title: 'utility', align: 'right', cell: ({ utility }) => utility.toFixed(3) },
  { title: 'quality', align: 'right', cell: ({ quality }) => quality.toFixed(3) },
  { title: 'seconds', align: 'right', cell: ({ latencySeconds }) => latencySeconds.toPrecision(3) },
  { title: 'USD', align: 'right', cell: ({ costUsd }) => usd(costUsd) },
  { title: 'rows by implementation', cell: ({ shares }) => shares.map(percent).join(', ') },
];

/** The best utility after each trial. */
function bestUntil(tried: readonly TriedPlan[]): readonly { readonly x: number; readonly y: number }[] {
  let best = -Infinity;
  return tried.map(({ trial, utility }) => {
    best = Math.max(best, utility);
    return { x: trial, y: best };
  });
}

/** Trials than which none is both cheaper and better, the cheapest first. */
export function front(
  tried: readonly TriedPlan[],
  priceOf: (trial: FinishedTrial) => number,
): readonly { readonly x: number; readonly y: number }[] {
  const sorted = [...tried].sort((a, b) => priceOf(a) - priceOf(b) || b.quality - a.quality);
  let best = -Infinity;
  return sorted.flatMap((trial) => {
    if (trial.quality <= best) return [];
    best = trial.quality;
    return [{ x: priceOf(trial), y: trial.quality }];
  });
}
