import { describeShifts, driftBetween } from '../../plans/drift/compare.js';
import { mostProfiled } from '../../plans/drift/profile.js';
import { type PayOff, payOff } from '../../plans/optimize/pay-off.js';
import type { TriedSetting } from '../../plans/optimize/settings.js';
import { planSignature } from '../../plans/physical/routed/signature.js';
import { type ChosenWay, type ChooseWayInput, searchShare } from '../../plans/protocol/operator.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { allCalls, type PlannedCall, type RunPlan } from '../../plans/protocol/run-plan.js';
import type { Estimate } from '../../plans/protocol/run.js';
import type { SavedPlan } from '../../plans/protocol/saved-plan.js';
import { leastSample, type SearchRequest, type SearchSettings } from '../../plans/protocol/search.js';
import type { SpendLimits } from '../../plans/protocol/spend.js';
import { beating } from '../heartbeat.js';
import type { InputRow, Spend } from '../ports.js';
import { readPrepared } from '../prepared-calls.js';
import type { PlanQueryPorts } from '../relational/plan-query.js';
import { loadJson, loadPlan, plannedCall } from '../run-plans.js';
import { conditionsOf, planAsks, schedulesOf } from './asks.js';
import { findKept } from './kept-plans.js';
import { priceAsks } from './price-asks.js';
import { profileInputs, someInputs } from './profile-inputs.js';

/** The rest of the way is the workflow's: a search is a child of its own. */
export function createChooseWay(ports: PlanQueryPorts) {
  return (input: ChooseWayInput): Promise<ChosenWay> =>
    beating(ports.scope(), async () => {
      const plan = await loadPlan(ports.store, input.plan);
      const planned = plannedCall(plan, input.call);
      const { calls } = await readPrepared(ports.store, input.runId, ports.clock.now());
      const prepared = calls.find(({ call, wave }) => call === input.call && wave === input.wave);
      if (prepared === undefined) throw new FermataError('Internal', `call ${input.call} is not prepared`);
      const { runId, call, wave } = input;
      const some = (size: number) => someInputs(ports, { runId, call, wave, partitions: prepared.partitions }, size);
      const way = await wayOf(ports, plan, planned, { inputs: prepared.inputs, some });
      if (way.way !== 'search') return way;
      const { asks, search, why, settings } = way;
      const whole: RunPlan = {
        ...plan,
        calls: [planned, ...asks],
        all: [...allCalls(plan), ...asks],
        ...(settings === undefined ? {} : { settings }),
      };
      return {
        way: 'search',
        search: {
          plan: await ports.store.put(new TextEncoder().encode(JSON.stringify(whole))),
          call: planned.schedule,
          rows: prepared.rows,
          asks: schedulesOf(asks),
          trials: search.trials,
          prepared: { wave: input.wave, partitions: prepared.partitions },
        },
        ...(way.missed === undefined ? {} : { missed: way.missed }),
        limits: searchLimits(input.limits, await ports.ledger.spend(input.runId)),
        why,
      };
    });
}

interface CallInputs {
  /** Distinct ones. */
  readonly inputs: number;
  /** Some of them, drawn: at most as many as asked for. */
  readonly some: (size: number) => Promise<readonly InputRow[]>;
}

type Way =
  | Exclude<ChosenWay, { readonly way: 'search' }>
  | {
      readonly way: 'search';
      readonly asks: readonly PlannedCall[];
      readonly search: SearchSettings;
      readonly settings?: readonly TriedSetting[];
      readonly missed?: string;
      readonly why: string;
    };

/** How a call is best answered, as far as that can be told without asking anybody. */
export async function wayOf(
  ports: PlanQueryPorts,
  plan: RunPlan,
  planned: PlannedCall,
  { inputs, some }: CallInputs,
): Promise<Way> {
  const { optimize } = planned.schedule;
  if (optimize === undefined) throw new FermataError('Internal', `the way of call ${planned.call.id} is chosen`);
  const { search } = await loadJson<SearchRequest>(ports.store, optimize.request);
  const few = Math.max(optimize.above, leastSample - 1);
  if (inputs <= few) {
    const why = `${inputs} distinct inputs are no more than the ${few} up to which nothing is searched`;
    return { way: 'direct', again: true, why: `is answered directly: ${why}` };
  }
  const asks = await planAsks(ports, planned, search, true);
  const signature = planSignature(planned.call);
  const found = await findKept(ports.store, signature, await conditionsOf(ports, asks, search));
  const { plan: kept, settings, pinned } = found;
  const rows = await some(Math.max(search.sample, mostProfiled));
  const drifted = kept === undefined ? undefined : driftFrom(kept, rows, inputs);
  if (kept !== undefined && (pinned !== undefined || drifted === undefined)) {
    const stored = await ports.store.put(new TextEncoder().encode(JSON.stringify(kept.plan)));
    const when = new Date(kept.savedAt).toISOString().slice(0, 10);
    const how = pinned === undefined ? 'kept' : 'pinned';
    const but = [pinned?.changed, drifted].map((problem) => (problem === undefined ? '' : `; ${problem}`)).join('');
    const why = `is answered by the ${how} plan ${kept.id}, which ${kept.runId} found on ${when}${but}`;
    return { way: 'kept', id: kept.id, plan: stored, why };
  }
  const missed = drifted ?? found.missed;
  const andMissed = missed === undefined ? '' : `; ${missed}`;
  const sample = rows.slice(0, search.sample);
  const pay = payOffOf(await priceAsks(ports, plan, asks, sample), planned, { inputs, sample: sample.length });
  if (pay.saving <= pay.price)
    return { way: 'direct', why: `is answered directly: a search ${amounts(pay)}${andMissed}` };
  return {
    way: 'search',
    asks,
    search,
    ...(settings === undefined ? {} : { settings }),
    ...(missed === undefined ? {} : { missed }),
    why: `is answered by a plan that is searched for: the search ${amounts(pay)}${andMissed}`,
  };
}

/** What of the data has changed since a plan was made; undefined where nothing has, or it cannot be told. */
function driftFrom({ id, plan, profile }: SavedPlan, rows: readonly InputRow[], inputs: number): string | undefined {
  const now = profile === undefined ? undefined : profileInputs(rows, inputs, plan.router.scorer);
  if (profile === undefined || now === undefined) return undefined;
  const { drifted, shifts } = driftBetween(profile, now);
  return drifted === true ? `${id} was made for other data: ${describeShifts(shifts)}` : undefined;
}

function payOffOf(
  { calls }: Estimate,
  { schedule }: PlannedCall,
  sizes: { readonly inputs: number; readonly sample: number },
): PayOff {
  const askings = calls.map(({ model, calls: range, usd }) => ({
    model,
    asking: { calls: range.expected, ...(usd === undefined ? {} : { usd: usd.expected }) },
  }));
  const direct = askings.find(({ model }) => model === schedule.model)?.asking ?? { calls: 0 };
  const others = askings.filter(({ model }) => model !== schedule.model).map(({ asking }) => asking);
  return payOff({ ...sizes, direct, others });
}

function amounts({ price, saving, unit }: PayOff): string {
  const say = (value: number): string =>
    unit === 'usd' ? `${value.toPrecision(2)} USD` : `${Math.round(value)} calls`;
  return `would cost about ${say(price)} and save about ${say(saving)}`;
}

function searchLimits(limits: SpendLimits, spent: Spend): SpendLimits {
  const part = (limit: number, used: number): number => used + searchShare * Math.max(0, limit - used);
  const tokens = spent.inputTokens + spent.outputTokens;
  return {
    ...(limits.usd === undefined ? {} : { usd: part(limits.usd, spent.usd) }),
    ...(limits.calls === undefined ? {} : { calls: Math.floor(part(limits.calls, spent.calls)) }),
    ...(limits.tokens === undefined ? {} : { tokens: Math.floor(part(limits.tokens, tokens)) }),
  };
}
