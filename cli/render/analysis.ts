/** Estimated beside measured, an operator a line. */
import { planText } from '../../plans/explain/text.js';
import type { Analysis, AnalyzedOperator } from '../../plans/explain/analysis.js';
import type { Range } from '../../plans/protocol/run.js';
import { type GridColumn, grid } from './grid.js';
import { cost, count, counted, duration, range, usd } from './numbers.js';
import { stopTexts, undecidedText } from './report.js';
import { fit } from './width.js';

const nothing = '–';

function estimated(
  title: string,
  of: (call: NonNullable<AnalyzedOperator['estimated']>) => string,
): GridColumn<AnalyzedOperator> {
  return { title, align: 'right', text: (one) => (one.estimated === undefined ? nothing : of(one.estimated)) };
}

function measured(
  title: string,
  of: (calls: NonNullable<AnalyzedOperator['measured']>) => string,
): GridColumn<AnalyzedOperator> {
  return { title, align: 'right', text: (one) => (one.measured === undefined ? nothing : of(one.measured)) };
}

const price = (value: Range | undefined): string => (value === undefined ? 'price unknown' : range(value, usd));

const columns: readonly GridColumn<AnalyzedOperator>[] = [
  { title: 'operator', text: ({ operator }) => operator },
  { title: 'model', text: ({ model }) => model },
  estimated('est inputs', ({ distinct }) => count(distinct)),
  measured('inputs', ({ inputs }) => count(inputs)),
  estimated('est calls', ({ calls }) => range(calls)),
  measured('calls', ({ calls }) => count(calls)),
  measured('cached', ({ cached }) => count(cached)),
  estimated('est tokens', ({ tokens }) => range(tokens)),
  measured('tokens', ({ tokens }) => count(tokens)),
  estimated('est USD', ({ usd: value }) => price(value)),
  measured('USD', ({ usd: value, unpriced }) => cost(value, unpriced)),
  measured('to the end', ({ seconds }) => duration(seconds)),
  { title: 'intent', text: ({ intent }) => fit(intent, 32) },
];

/** A line an operator, then the totals. Columns without `est` were measured. */
export function analysisLines(analysis: Analysis, width: number | undefined): readonly string[] {
  const { operators, total } = analysis;
  const undecided = undecidedText(analysis);
  const { estimated: foreseen, measured: taken } = total;
  return [
    `${counted(analysis.rows, 'row')} · ${stopTexts[analysis.stop]} · run ${analysis.runId}`,
    ...(undecided === undefined ? [] : [undecided]),
    ...(operators.length === 0 ? ['no semantic operators: no model call'] : grid(operators, columns, width)),
    `estimated: ${range(foreseen.calls)} calls · ${range(foreseen.tokens)} tokens · ${price(foreseen.usd)}`,
    `measured: ${counted(taken.calls, 'call')} · ${count(taken.cached)} cached · ${count(taken.failed)} failed · ` +
      `${count(taken.tokens)} tokens · ${cost(taken.usd, taken.unpriced)} · ${duration(analysis.seconds)}`,
    ...analysis.joins.flatMap((join) => ['', ...planText(join).split('\n')]),
  ];
}
