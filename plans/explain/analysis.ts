/** What a query was estimated at beside what it took: EXPLAIN ANALYZE of the semantic operators. */
import { parseStepId } from '../physical/cascade/steps.js';
import { withMeasured } from './measured.js';
import type { ExplainedPlan } from './placement.js';
import type { CallEstimate, Estimate, OperatorProgress, Range, RunResult } from '../protocol/run.js';

export interface MeasuredCalls {
  /** Distinct inputs that this model was to answer. */
  readonly inputs: number;
  readonly calls: number;
  readonly cached: number;
  readonly failed: number;
  readonly tokens: number;
  readonly usd: number;
  /** Calls whose price is not known; `usd` is without them. */
  readonly unpriced: number;
  /** From its beginning to the end of the run: operators run side by side, and what comes after one counts too. */
  readonly seconds: number;
}

export interface AnalyzedOperator {
  readonly operator: string;
  readonly intent: string;
  readonly model: string;
  /** Absent: the estimate did not foresee it, e.g. a pilot of an adaptive placement. */
  readonly estimated?: Pick<CallEstimate, 'distinct' | 'calls' | 'tokens' | 'usd'>;
  /** Absent: it was never asked. */
  readonly measured?: MeasuredCalls;
}

export interface Analysis {
  readonly v: 1;
  readonly runId: string;
  readonly stop: RunResult['stop'];
  readonly rows: number;
  /** Rows that were not decided when the run stopped. */
  readonly undecided: number;
  readonly seconds: number;
  readonly operators: readonly AnalyzedOperator[];
  /** Each join of the query as it was planned, with what was counted of its semantic operators. */
  readonly joins: readonly ExplainedPlan[];
  readonly total: {
    readonly estimated: { readonly calls: Range; readonly tokens: Range; readonly usd?: Range };
    readonly measured: Omit<MeasuredCalls, 'inputs' | 'seconds'>;
  };
  readonly notes: readonly string[];
}

/** Steps of a cascade that ask the model of an estimated call, and that the estimate does not tell apart, count together. */
export function analyze(estimate: Estimate, result: RunResult, joins: readonly ExplainedPlan[] = []): Analysis {
  const models = new Map(estimate.calls.map(({ id, model }) => [id, model]));
  const known = ({ id, model }: OperatorProgress): string => {
    const call = models.has(id) ? undefined : parseStepId(id)?.call;
    return call !== undefined && models.get(call) === model ? call : id;
  };
  const measured = new Map<string, OperatorProgress[]>();
  for (const step of result.operators) measured.set(known(step), [...(measured.get(known(step)) ?? []), step]);
  const { calls, cached, failed, inputTokens, outputTokens, usd, unpriced } = result.spend;
  return {
    v: 1,
    runId: result.runId,
    stop: result.stop,
    rows: result.rows.count,
    undecided: result.undecided,
    seconds: result.ms / 1000,
    operators: [
      ...estimate.calls.map((call) => analyzed(call, measured.get(call.id) ?? [])),
      ...[...measured].flatMap(([id, steps]) => (models.has(id) ? [] : [unforeseen(steps)])),
    ],
    joins: joins.map((join) => withMeasured(join, result.operators)),
    total: {
      estimated: estimate.total,
      measured: { calls, cached, failed, tokens: inputTokens + outputTokens, usd, unpriced },
    },
    notes: [...new Set([...(estimate.notes ?? []), ...(result.notes ?? [])])],
  };
}

function analyzed(
  { operator, intent, model, distinct, calls, tokens, usd }: CallEstimate,
  steps: readonly OperatorProgress[],
): AnalyzedOperator {
  const estimated = { distinct, calls, tokens, ...(usd === undefined ? {} : { usd }) };
  return { operator, intent, model, estimated, ...(steps.length === 0 ? {} : { measured: together(steps) }) };
}

function unforeseen(steps: readonly OperatorProgress[]): AnalyzedOperator {
  const { operator = '', intent = '', model = '' } = steps[0] ?? {};
  return { operator, intent, model, measured: together(steps) };
}

function together(steps: readonly OperatorProgress[]): MeasuredCalls {
  const sum = (part: (step: OperatorProgress) => number): number =>
    steps.reduce((total, step) => total + part(step), 0);
  return {
    inputs: sum(({ inputs }) => inputs),
    calls: sum(({ calls }) => calls),
    cached: sum(({ cached }) => cached),
    failed: sum(({ failed }) => failed),
    tokens: sum(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    usd: sum(({ usd }) => usd),
    unpriced: sum(({ unpriced }) => unpriced),
    seconds: Math.max(...steps.map(({ ms }) => ms)) / 1000,
  };
}
