/** Chooses the next block of a group by what is left to ask: the distinct prompts of each, counted, and the shares that pass. */
import { nextCondition, type OpenCondition } from '../../plans/placement/adaptive/next-condition.js';
import { isWorthKnowing } from '../../plans/placement/adaptive/worth-knowing.js';
import { ratesOf } from '../../plans/placement/adaptive/pass-rates.js';
import type { BlockOrder } from '../../plans/protocol/block-order.js';
import { blockOf, type NestedResult, type RunPlan } from '../../plans/protocol/run-plan.js';
import type { NestedBlock } from '../../plans/sql/plan.js';
import { pilotRows } from '../../plans/sql/any-order.js';
import { distinctPromptsSql } from '../../plans/sql/distinct-prompts.js';
import type { BlockPlan, EnteredBlock } from './enter-block.js';
import type { NextNested } from './next-block.js';
import type { RelationalPorts } from './prepare-call.js';
import { stateOfAll } from './query-state.js';

/** Share of all prompts that pilots may cost beyond what any order asks. */
const pilotShare = 0.02;
const partitionRows = 1_000;

interface Choosing {
  readonly plan: RunPlan;
  readonly order: BlockOrder;
  /** Rows that the block of `plan` was asked about. */
  readonly rows: number;
  readonly result: NestedResult;
  /** The plan as the block would begin it. */
  readonly behind: (next: NextNested) => BlockPlan;
  /** Makes the rows of a block, asking nothing. */
  readonly enter: (next: NextNested) => Promise<EnteredBlock>;
}

interface Candidate {
  readonly at: number;
  readonly prompts: number;
  readonly pilot: number | undefined;
}

/** The block that runs next. Pilots come before what they could change, where the group is so large that they cost next to nothing. */
export async function chooseNested(ports: RelationalPorts, choosing: Choosing): Promise<NextNested> {
  const { plan, order } = choosing;
  const before = plan.query.before ?? [];
  const passed = passedSoFar(choosing, before);
  const [head] = order.left;
  const group = head === undefined ? undefined : before[head]?.group;
  if (head === undefined) return {};
  if (group === undefined) return { nested: head, order: { left: order.left.slice(1), passed } };
  const members = order.left.filter((at) => before[at]?.group === group);
  const conditions = members.filter((one) => before[one]?.pilotOf === undefined);
  const prompts = conditions.length > 1 ? await countPrompts(ports, choosing, conditions, passed) : [];
  const candidates = conditions.map(
    (at, place): Candidate => ({
      ...{ at, prompts: prompts[place] ?? 0 },
      pilot: members.find((one) => before[one]?.pilotOf === at),
    }),
  );
  const open = candidates.map((one) => opened(one, before, passed));
  const next = nextPilot(candidates, open) ?? candidates[nextCondition(open)]?.at;
  // a pilot of a condition that is being decided would tell nothing
  const gone = new Set([next, ...members.filter((at) => next !== undefined && before[at]?.pilotOf === next)]);
  const dropped = [...gone].flatMap((at) => (at === undefined || at === next ? [] : (before[at]?.block.calls ?? [])));
  const left = order.left.filter((at) => !gone.has(at));
  return {
    ...(next === undefined ? {} : { nested: next, order: { left, passed } }),
    dropped: new Set(dropped.map(({ id }) => id)),
  };
}

function passedSoFar({ plan, order, rows, result }: Choosing, before: readonly NestedBlock[]): BlockOrder['passed'] {
  const { nested } = plan;
  if (nested === undefined || before[nested]?.group === undefined) return order.passed;
  return { ...order.passed, [nested]: { rows, passed: result.table.rows } };
}

/**
 * The next pilot whose outcome could change the order, as long as all of them together cost little of what there is to ask. That
 * of the condition which then comes first costs no answer, its rows are asked anyway, but a round all the same.
 */
function nextPilot(candidates: readonly Candidate[], open: readonly OpenCondition[]): number | undefined {
  const prompts = candidates.reduce((sum, one) => sum + one.prompts, 0);
  const worth = candidates.filter(({ pilot }, at) => pilot !== undefined && isWorthKnowing(open, at));
  const wasted = pilotRows * Math.max(1, worth.length - 1);
  return wasted > pilotShare * prompts ? undefined : worth[0]?.pilot;
}

/** The rows of a pilot are the answers that are known; before any, PLOP's guess. */
function opened(
  { at, prompts }: Candidate,
  before: readonly NestedBlock[],
  passed: BlockOrder['passed'],
): OpenCondition {
  const pilot = before.findIndex(({ pilotOf }) => pilotOf === at);
  const known = passed[pilot] ?? { rows: 0, passed: 0 };
  const rates = ratesOf({ true: known.passed, false: known.rows - known.passed, null: 0 });
  return { relation: before[at]?.table ?? '', prompts, passes: rates.true };
}

/** Of each condition over what is left, in one pass each; what takes too long that way is counted by making its rows. */
async function countPrompts(
  ports: RelationalPorts,
  { behind, enter }: Choosing,
  conditions: readonly number[],
  passed: BlockOrder['passed'],
): Promise<readonly number[]> {
  const nexts = conditions.map((nested): NextNested => ({ nested, order: { left: [], passed } }));
  const plans = nexts.map(behind);
  const queries = plans.map((plan) => blockOf(plan).calls.map((call) => distinctPromptsSql(blockOf(plan), call)));
  const found = [...(await ports.relations.measure(plans[0]?.tables ?? [], queries.flat()))];
  const prompts: number[] = [];
  for (const [at, next] of nexts.entries()) {
    const counts = found.splice(0, queries[at]?.length);
    const known = counts.every((count) => count !== undefined);
    prompts.push(known ? sumOf(counts) : await promptsOf(ports, await enter(next)));
  }
  return prompts;
}

const sumOf = (counts: readonly (readonly number[] | undefined)[]): number =>
  counts.reduce<number>((sum, count) => sum + (count?.[0] ?? 0), 0);

async function promptsOf(ports: RelationalPorts, { plan, rows }: EnteredBlock): Promise<number> {
  const state = stateOfAll(ports.store, plan, rows);
  let prompts = 0;
  for (const call of blockOf(plan).calls) {
    const { inputs } = await ports.relations.writeInputs(state, call, partitionRows, () => Promise.resolve());
    prompts += inputs;
  }
  return prompts;
}
