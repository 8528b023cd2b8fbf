import type { NextBlockInput, PlannedQuery } from '../../plans/protocol/activities.js';
import { type BlockOrder, firstLeft } from '../../plans/protocol/block-order.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { allCalls, blockOf, type NestedResult, type RunPlan } from '../../plans/protocol/run-plan.js';
import { beating } from '../heartbeat.js';
import { readPrepared } from '../prepared-calls.js';
import { publishProgress } from '../progress.js';
import { loadPlan } from '../run-plans.js';
import type { BlockPlan, BlockPorts, EnteredBlock } from './enter-block.js';
import { enterBlock, storeBlock } from './enter-block.js';
import type { RelationalPorts } from './prepare-call.js';
import { chooseNested } from './choose-nested.js';
import { queryState } from './query-state.js';

/** Turns the answered rows of a nested query into a table, and gets the next block ready; also when the run was stopped. */
export function createNextBlock(ports: RelationalPorts & BlockPorts) {
  return (input: NextBlockInput): Promise<PlannedQuery> =>
    beating(ports.scope(), async () => {
      const plan = await loadPlan(ports.store, input.plan);
      const prepared = await readPrepared(ports.store, input.runId, input.startedAt);
      const state = queryState(ports.store, plan, prepared, input.waves, undefined);
      const result = await ports.relations.runNested(state, blockOf(plan).final.sql, nestedTable(plan));
      const next = await enterNext(ports, plan, result, input.waves);
      const planned = await storeBlock(ports.store, next);
      await publishProgress(ports, plan, 'running');
      return planned;
    });
}

async function enterNext(
  ports: RelationalPorts & BlockPorts,
  plan: RunPlan,
  result: NestedResult,
  waves: NextBlockInput['waves'],
): Promise<EnteredBlock> {
  const behind = (next?: NextNested) => afterNested(plan, result, next);
  const enter = (next?: NextNested) => enterBlock(ports, behind(next));
  if (plan.order === undefined) return enter();
  const rows = waves.at(-1)?.to ?? 0;
  return enter(await chooseNested(ports, { plan, order: plan.order, rows, result, behind, enter }));
}

/** Name of the table that the nested query of a plan becomes. */
export function nestedTable({ query, nested }: RunPlan): string {
  const table = nested === undefined ? undefined : query.before?.[nested]?.table;
  if (table === undefined) throw new FermataError('Internal', 'the plan runs no nested query');
  return table;
}

/** Which nested query is next, and what is then left; without one, the query itself. */
export interface NextNested {
  readonly nested?: number;
  readonly order?: BlockOrder;
  /** Calls that are not asked any more. */
  readonly dropped?: ReadonlySet<string>;
}

/** The plan of the block behind a nested query whose rows are there; a table of the same name is replaced. */
export function afterNested(plan: RunPlan, result: NestedResult, next: NextNested = inOrder(plan)): BlockPlan {
  const { nested, order, ...rest } = plan;
  const { dropped = new Set<string>() } = next;
  // what a pilot found out is in the order; the block that it tried asks about its rows again
  const pilot = order !== undefined && plan.query.before?.[nested ?? 0]?.pilotOf !== undefined;
  return {
    ...rest,
    ...(next.nested === undefined ? {} : { nested: next.nested }),
    ...(next.order === undefined ? {} : { order: next.order }),
    all: allCalls(plan).filter(({ call }) => !dropped.has(call.id)),
    ...(pilot
      ? {}
      : {
          tables: [...plan.tables.filter(({ name }) => name !== result.table.name), result.table],
          done: [...(plan.done ?? []), result],
        }),
  };
}

/** As written. */
function inOrder({ query, nested = 0, order }: RunPlan): NextNested {
  const before = query.before ?? [];
  if (order === undefined) return nested + 1 < before.length ? { nested: nested + 1 } : {};
  const next = firstLeft(order, before);
  if (next === undefined) return {};
  return { nested: next, order: { ...order, left: order.left.filter((at) => at !== next) } };
}
