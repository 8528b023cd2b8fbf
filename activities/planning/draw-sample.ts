import { mostConsidered, priorityOf, stratifiedSample } from '../../plans/optimize/sample.js';
import { FermataError } from '../../plans/protocol/errors.js';
import type { PlannedCall, RunPlan } from '../../plans/protocol/run-plan.js';
import type { CallEstimate, Estimate, RunBudget } from '../../plans/protocol/run.js';
import {
  type DrawnSample,
  type DrawSampleInput,
  leastSample,
  type SearchRequest,
} from '../../plans/protocol/search.js';
import { beating } from '../heartbeat.js';
import type { InputRow, Spend } from '../ports.js';
import { readPrepared, recordPrepared } from '../prepared-calls.js';
import type { PlanQueryPorts } from '../relational/plan-query.js';
import { loadJson, loadPlan } from '../run-plans.js';
import { asksOf } from './asks.js';
import { priceAsks } from './price-asks.js';
import { inputsOf, writeInputs } from './sample-files.js';

/**
 * Draws the inputs that are asked about and prices the asking. Throws before any is asked: `BadArgument` for too few distinct
 * inputs, `BudgetTooSmall` where the budget does not reach for labels and trial 0, `NeedsConfirmation` above the threshold.
 */
export function createDrawSample(ports: PlanQueryPorts) {
  return (input: DrawSampleInput): Promise<DrawnSample> =>
    beating(ports.scope(), async () => {
      const { search } = await loadJson<SearchRequest>(ports.store, input.request);
      const plan = await loadPlan(ports.store, input.plan);
      const asks = asksOf(plan);
      const sample = await draw(ports, input, plan, search.sample, search.seed);
      const left = leftOf(input.budget, await ports.ledger.spend(input.runId));
      check({ ...input, budget: left }, await priceAsks(ports, plan, asks, sample), asks);
      const now = ports.clock.now();
      const known = await readPrepared(ports.store, input.runId, now);
      const mapping = known.calls.find(({ call }) => call === plan.calls[0]?.call.id)?.mapping ?? '';
      let partitions = 0;
      for (const { call, schedule } of asks) {
        partitions = await writeInputs(ports, input.runId, call.id, sample, schedule.partitionRows);
        const entry = {
          call: call.id,
          wave: 0,
          inputs: sample.length,
          rows: sample.length,
          partitions,
          mapping,
          at: now,
        };
        await recordPrepared(ports.store, input.runId, entry, now);
      }
      return { inputs: sample.length, partitions };
    });
}

async function draw(
  ports: PlanQueryPorts,
  { runId, partitions, wave }: DrawSampleInput,
  plan: RunPlan,
  size: number,
  seed: number,
): Promise<readonly InputRow[]> {
  const [first] = plan.calls;
  const considered: { readonly row: InputRow; readonly priority: number }[] = [];
  const thin = () => {
    considered.sort((a, b) => a.priority - b.priority || a.row.in - b.row.in);
    considered.length = Math.min(considered.length, mostConsidered);
  };
  for await (const rows of inputsOf(ports, runId, first?.call.id ?? '', partitions, wave)) {
    for (const row of rows) considered.push({ row, priority: priorityOf(row.in, seed) });
    if (considered.length > 2 * mostConsidered) thin();
  }
  thin();
  if (considered.length < leastSample) {
    throw new FermataError(
      'BadArgument',
      `the query has ${considered.length} distinct input${considered.length === 1 ? '' : 's'}: too few to measure plans on`,
      { hint: `optimizing needs at least ${leastSample}; run the query directly` },
    );
  }
  const rows = considered.map(({ row }) => row).sort((a, b) => a.in - b.in);
  const chosen = stratifiedSample(
    rows.map(({ values }) => values),
    size,
    seed,
  );
  return chosen.flatMap((at) => rows[at] ?? []);
}

/** What of a budget is left; seconds are the workflow's. */
function leftOf(budget: RunBudget, spent: Spend): RunBudget {
  const tokens = spent.inputTokens + spent.outputTokens;
  return {
    ...(budget.usd === undefined ? {} : { usd: Math.max(0, budget.usd - spent.usd) }),
    ...(budget.calls === undefined ? {} : { calls: Math.max(0, budget.calls - spent.calls) }),
    ...(budget.tokens === undefined ? {} : { tokens: Math.max(0, budget.tokens - tokens) }),
  };
}

function check(input: DrawSampleInput, { calls, total }: Estimate, [teacher, direct]: readonly PlannedCall[]): void {
  const first = new Set([teacher?.schedule.model, direct?.schedule.model]);
  const trial0 = calls.filter(({ model }) => first.has(model));
  const needs = (of: (call: CallEstimate) => number): number => trial0.reduce((sum, call) => sum + of(call), 0);
  const { budget, confirmAboveUsd } = input;
  const short = [
    { limit: budget.usd, needed: needs(({ usd }) => usd?.expected ?? 0), unit: 'USD', flag: '--max-cost' },
    { limit: budget.calls, needed: needs((call) => call.calls.expected), unit: 'calls', flag: '--max-calls' },
    { limit: budget.tokens, needed: needs(({ tokens }) => tokens.expected), unit: 'tokens', flag: '--max-tokens' },
  ].find(({ limit, needed }) => limit !== undefined && needed > limit);
  if (short !== undefined) {
    const needed = short.unit === 'USD' ? short.needed.toPrecision(2) : String(short.needed);
    throw new FermataError(
      'BudgetTooSmall',
      `the budget of ${short.limit} ${short.unit} does not reach for labels and the default model (about ${needed})`,
      { hint: `raise ${short.flag}, or take a smaller --sample` },
    );
  }
  const expected = total.usd?.expected;
  if (confirmAboveUsd === undefined || total.calls.expected === 0) return;
  if (expected !== undefined && expected <= confirmAboveUsd) return;
  const text = expected === undefined ? 'an unknown price' : `about ${expected.toFixed(4)} USD`;
  throw new FermataError(
    'NeedsConfirmation',
    `the search is estimated at ${text} for ${total.calls.expected} calls, above the limit of ${confirmAboveUsd} USD`,
    { hint: 'answer yes, pass --yes, or raise confirmAboveUsd' },
  );
}
