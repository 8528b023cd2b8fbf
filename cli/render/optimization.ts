/** What is said when a search for a plan has ended. */
import type { MeasuredPlan, ReportedImplementation, SearchResult, SearchStop } from '../../plans/protocol/search.js';
import { type GridColumn, grid } from './grid.js';
import { cost, counted, duration, percent, usd } from './numbers.js';
import { noteLines, stopTexts } from './report.js';
import type { Style } from './style.js';
import { oneLine } from './width.js';

export const searchStops: Readonly<Record<SearchStop, string>> = { ...stopTexts, accepted: 'accepted before its end' };

export function chosenText({ incumbent }: Pick<SearchResult, 'incumbent'>): string {
  return incumbent.trial === 0 ? 'no plan is better than the default model' : 'a better plan was found';
}

const implementationColumns: readonly GridColumn<ReportedImplementation>[] = [
  { title: 'answers by', text: ({ name }) => name },
  { title: 'family', text: ({ family }) => family },
  { title: 'quality', align: 'right', text: ({ quality }) => quality.toFixed(3) },
  { title: 'USD a row', align: 'right', text: (one) => usd(one.usd) },
  { title: 's a row', align: 'right', text: ({ seconds }) => seconds.toPrecision(2) },
  { title: 'rows of the plan', align: 'right', text: ({ share }) => (share === 0 ? '–' : percent(share)) },
];

interface PlanRow {
  readonly title: string;
  readonly plan: MeasuredPlan;
}

const planColumns: readonly GridColumn<PlanRow>[] = [
  { title: 'plan', text: ({ title }) => title },
  { title: 'utility', align: 'right', text: ({ plan }) => plan.utility.toFixed(3) },
  {
    title: 'quality [95 %]',
    align: 'right',
    text: ({ plan: { quality, interval } }) =>
      `${quality.toFixed(3)} [${interval.lower.toFixed(2)}–${interval.upper.toFixed(2)}]`,
  },
  { title: 'seconds', align: 'right', text: ({ plan }) => plan.latencySeconds.toPrecision(3) },
  { title: 'USD', align: 'right', text: ({ plan }) => usd(plan.costUsd) },
];

/** The plan beside the default model, both on the sample; what each implementation would do alone; what the search cost. */
export function optimizationLines(result: SearchResult, style: Style, width: number | undefined): readonly string[] {
  const { direct, incumbent, implementations, labelled, spend } = result;
  const plans: readonly PlanRow[] = [
    { title: 'default model', plan: direct },
    ...(incumbent.trial === 0 ? [] : [{ title: `trial ${incumbent.trial}`, plan: incumbent }]),
  ];
  return [
    `${style.bold(chosenText(result))} · ${searchStops[result.stop]} · ${counted(result.trials, 'trial')} on ${counted(labelled, 'label')} (${result.metric})`,
    ...noteLines(result.notes, style),
    ...grid(plans, planColumns, width),
    '',
    ...grid(implementations, implementationColumns, width),
    ...result.lost.map(({ name, reason }) => style.yellow(`left out: ${name}: ${oneLine(reason)}`)),
    '',
    ...(result.saved === undefined
      ? []
      : [`kept as ${result.saved}: --strategy routed --plan ${result.saved} runs it`]),
    `the search took ${counted(spend.calls, 'call')} · ${cost(spend.usd, spend.unpriced)} · ${duration(result.ms / 1000)}`,
  ];
}
