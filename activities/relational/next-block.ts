import type { NextBlockInput, PlannedQuery } from '../../plans/protocol/activities.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { allCalls, blockOf, type NestedResult, type RunPlan } from '../../plans/protocol/run-plan.js';
import { beating } from '../heartbeat.js';
import { readPrepared } from '../prepared-calls.js';
import { publishProgress } from '../progress.js';
import { loadPlan } from '../run-plans.js';
import type { BlockPlan, BlockPorts } from './enter-block.js';
import { enterBlock, storeBlock } from './enter-block.js';
import type { RelationalPorts } from './prepare-call.js';
import { queryState } from './query-state.js';

/** Turns the answered rows of a nested query into a table, and gets the next block ready; also when the run was stopped. */
export function createNextBlock(ports: RelationalPorts & BlockPorts) {
  return (input: NextBlockInput): Promise<PlannedQuery> =>
    beating(ports.scope(), async () => {
      const plan = await loadPlan(ports.store, input.plan);
      const prepared = await readPrepared(ports.store, input.runId, input.startedAt);
      const state = queryState(ports.store, plan, prepared, input.waves, undefined);
      const result = await ports.relations.runNested(state, blockOf(plan).final.sql, nestedTable(plan));
      const next = await enterBlock(ports, afterNested(plan, result));
      const planned = await storeBlock(ports.store, next);
      await publishProgress(ports, plan, 'running');
      return planned;
    });
}

/** Name of the table that the nested query of a plan becomes. */
export function nestedTable({ query, nested }: RunPlan): string {
  const table = nested === undefined ? undefined : query.before?.[nested]?.table;
  if (table === undefined) throw new FermataError('Internal', 'the plan runs no nested query');
  return table;
}

/** The plan of the block behind a nested query whose rows are there. */
export function afterNested(plan: RunPlan, result: NestedResult): BlockPlan {
  const { nested = 0, ...rest } = plan;
  const isLast = nested + 1 >= (plan.query.before?.length ?? 0);
  return {
    ...rest,
    ...(isLast ? {} : { nested: nested + 1 }),
    all: allCalls(plan),
    tables: [...plan.tables, result.table],
    done: [...(plan.done ?? []), result],
  };
}
