/** Makes a plan ready to run one block of its query: the rows, and calls cut to their number. */
import { blockOf, type PlannedCall, type RunPlan } from '../../plans/protocol/run-plan.js';
import type { CallSchedule, PlannedQuery } from '../../plans/protocol/activities.js';
import type { Models, ObjectStore } from '../ports.js';
import type { RelationStore } from '../relation-port.js';
import { scheduleCall } from './schedule.js';

export interface BlockPorts {
  readonly store: ObjectStore;
  readonly relations: RelationStore;
  readonly models: Models;
}

/** Rows of a partition that programs read. */
export const routedRows = 1_000;

/** All of a run's plan but what depends on the rows of the block that it names. */
export type BlockPlan = Omit<RunPlan, 'source' | 'chosen' | 'calls'> & Required<Pick<RunPlan, 'all'>>;

export interface EnteredBlock {
  readonly plan: RunPlan;
  /** Rows that plain SQL lets through. */
  readonly rows: number;
}

/** Reads the tables of the user and the results of the nested queries before; asks nothing. */
export async function enterBlock(ports: BlockPorts, plan: BlockPlan): Promise<EnteredBlock> {
  const { relations, models } = ports;
  const block = blockOf(plan);
  const source = await relations.makeSource(block.source, plan.tables);
  const chosen = await relations.chooseRows(block, source, plan.tables);
  const own = new Set(block.calls.map(({ id }) => id));
  const calls: PlannedCall[] = [];
  for (const planned of plan.all.filter(({ call }) => own.has(call.id))) {
    const { call, schedule } = planned;
    if (planned.code !== undefined) {
      calls.push(planned);
      continue;
    }
    const cut = async (model: string) =>
      scheduleCall(call, await models.get(model), schedule.queue, chosen.rows, block.stopAfter);
    const { partitionRows, window } = await cut(schedule.model);
    const { strategy } = schedule;
    const sized = { ...schedule, partitionRows: rowsOf(partitionRows, schedule), window };
    // word weights are no model
    if (strategy === undefined || strategy.fitted === 'lexicon') calls.push({ call, schedule: sized });
    else {
      const proxy = { ...strategy.proxy, window: (await cut(strategy.proxy.model)).window };
      calls.push({ call, schedule: { ...sized, strategy: { ...strategy, proxy } } });
    }
  }
  return { plan: { ...plan, source, chosen: chosen.object, calls }, rows: chosen.rows };
}

/** Stores the plan and says what of it the workflow needs. */
export async function storeBlock(store: ObjectStore, { plan, rows }: EnteredBlock): Promise<PlannedQuery> {
  const { stopAfter } = blockOf(plan);
  const calls: readonly CallSchedule[] = plan.calls.map(({ schedule }) => schedule);
  const { nested, order, query } = plan;
  const behind = order === undefined ? (query.before?.length ?? 0) - (nested ?? 0) : order.left.length + 1;
  const later = nested === undefined ? 0 : behind;
  return {
    plan: await store.put(new TextEncoder().encode(JSON.stringify(plan))),
    calls,
    rows,
    ...(stopAfter === undefined ? {} : { stopAfter }),
    ...(growsByWaves(plan) ? { growing: true as const } : {}),
    ...(later === 0 ? {} : { later }),
  };
}

/** Partitions hold whole batches, so that none ends with a small one but the last; routed inputs are cut again for their buckets. */
function rowsOf(rows: number, { prompts, routed }: CallSchedule): number {
  if (routed !== undefined) return routedRows;
  return prompts?.kind === 'batched' || prompts?.kind === 'classify'
    ? prompts.size * Math.ceil(rows / prompts.size)
    : rows;
}

/** One filter under a LIMIT, by a strategy that needs not look at all rows before any is sure. */
export function growsByWaves(plan: RunPlan): boolean {
  const [filter, ...more] = plan.calls.filter(({ call }) => call.role === 'filter');
  if (filter === undefined || more.length > 0) return false;
  const { strategy, routed } = filter.schedule;
  return strategy === undefined && routed === undefined && blockOf(plan).stopAfter !== undefined;
}
