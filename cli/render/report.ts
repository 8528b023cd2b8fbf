/** What is said on stderr when a run has ended. */
import type { RowError } from '../../client/api.js';
import type { OperatorProgress, RunResult, StopReason } from '../../plans/protocol/run.js';
import { type GridColumn, grid } from './grid.js';
import { operatorTitle } from './operator-title.js';
import { cost, count, counted, duration, percent, usd } from './numbers.js';
import type { Style } from './style.js';
import { fit, oneLine } from './width.js';

/** Failed rows that are listed; the rest are counted. */
export const listedErrors = 10;

const columns: readonly GridColumn<OperatorProgress>[] = [
  { title: 'operator', text: operatorTitle },
  { title: 'model', text: (operator) => operator.model },
  { title: 'inputs', align: 'right', text: (operator) => count(operator.inputs) },
  { title: 'calls', align: 'right', text: (operator) => count(operator.calls) },
  { title: 'cached', align: 'right', text: (operator) => count(operator.cached) },
  { title: 'retries', align: 'right', text: (operator) => count(operator.retries) },
  { title: 'failed', align: 'right', text: (operator) => count(operator.failed) },
  { title: 'tokens in', align: 'right', text: (operator) => count(operator.inputTokens) },
  { title: 'out', align: 'right', text: (operator) => count(operator.outputTokens) },
  { title: 'USD', align: 'right', text: (operator) => cost(operator.usd, operator.unpriced) },
  { title: 'time', align: 'right', text: (operator) => duration(operator.ms / 1000) },
  { title: 'intent', text: (operator) => fit(operator.intent, 32) },
];

const decidedColumn: GridColumn<OperatorProgress> = {
  title: 'decided',
  align: 'right',
  text: ({ share }) => (share === undefined ? '' : percent(share)),
};

const mediaColumn: GridColumn<OperatorProgress> = {
  title: 'media',
  align: 'right',
  text: ({ images, clips }) =>
    [
      ...(images === undefined ? [] : [counted(images, 'image')]),
      ...(clips === undefined ? [] : [counted(clips, 'clip')]),
    ].join(', '),
};

/** What each step decided stands beside its inputs, where an operator has steps; media behind the tokens, where there are some. */
function columnsFor(operators: readonly OperatorProgress[]): readonly GridColumn<OperatorProgress>[] {
  const steps = operators.some(({ share }) => share !== undefined);
  const media = operators.some(({ images, clips }) => images !== undefined || clips !== undefined);
  return columns.flatMap((column) => [
    column,
    ...(steps && column.title === 'inputs' ? [decidedColumn] : []),
    ...(media && column.title === 'out' ? [mediaColumn] : []),
  ]);
}

/** Why a run ended, as people say it. */
export const stopTexts = {
  complete: 'complete',
  'budget-usd': 'stopped: the USD budget is used up',
  'budget-calls': 'stopped: the call budget is used up',
  'budget-tokens': 'stopped: the token budget is used up',
  'budget-seconds': 'stopped: the time budget is used up',
  cancelled: 'cancelled',
} as const satisfies Record<StopReason, string>;

/** Rows that no call decided; those of a complete run were not needed, e.g. since LIMIT was reached. */
export function undecidedText({ stop, undecided }: Pick<RunResult, 'stop' | 'undecided'>): string | undefined {
  if (undecided === 0) return undefined;
  const rows = counted(undecided, 'row');
  return stop === 'complete'
    ? `${rows} not asked about: the result is complete without them`
    : `${rows} not decided when the run stopped`;
}

function totalLine(result: RunResult): string {
  const { spend } = result;
  return [
    `total: ${counted(spend.calls, 'call')}`,
    `${count(spend.cached)} cached`,
    ...(spend.retries > 0 ? [`${count(spend.retries)} retried`] : []),
    `${count(spend.inputTokens)} tokens in, ${count(spend.outputTokens)} out`,
    cost(spend.usd, spend.unpriced),
    duration(result.ms / 1000),
  ].join(' · ');
}

function savingLine(result: RunResult): readonly string[] {
  const { spend } = result;
  if (spend.cached === 0) return [];
  if (spend.savedUsd === 0) return [`without the cache: ${counted(spend.calls + spend.cached, 'call')}`];
  const whole = cost(spend.usd + spend.savedUsd, spend.unpriced);
  return [
    `without the cache: ${counted(spend.calls + spend.cached, 'call')} · ${whole} (saved ${usd(spend.savedUsd)})`,
  ];
}

function errorLines(result: RunResult, errors: readonly RowError[], style: Style): readonly string[] {
  if (result.errors.count === 0) return [];
  const listed = errors
    .slice(0, listedErrors)
    .map((error) => `  row ${error.row}  ${error.operator}  ${error.code}  ${fit(oneLine(error.message), 120)}`);
  const more = result.errors.count - listed.length;
  return [
    style.yellow(`${counted(result.errors.count, 'failed call')} (${percent(result.errors.ratio)} of the rows asked)`),
    ...listed,
    ...(more > 0 ? [`  … and ${count(more)} more`] : []),
  ];
}

/** Remarks of the planner, e.g. options that have no effect. */
export function noteLines(notes: readonly string[] | undefined, style: Style): readonly string[] {
  return (notes ?? []).map((note) => style.yellow(`note: ${oneLine(note)}`));
}

/** The cost report: a line an operator, the total, what the cache saved, and the first failed rows. */
export function reportLines(
  result: RunResult,
  errors: readonly RowError[],
  style: Style,
  width: number | undefined,
): readonly string[] {
  const undecided = undecidedText(result);
  const [header = '', ...rows] = grid(result.operators, columnsFor(result.operators), width);
  return [
    `${style.bold(counted(result.rows.count, 'row'))} · ${stopTexts[result.stop]}`,
    ...noteLines(result.notes, style),
    ...(undecided === undefined ? [] : [result.stop === 'complete' ? style.dim(undecided) : style.yellow(undecided)]),
    ...(result.operators.length > 0 ? [style.dim(header), ...rows] : []),
    totalLine(result),
    ...savingLine(result),
    ...errorLines(result, errors, style),
  ];
}
