import { explainPlacement } from '../../plans/explain/placement.js';
import type { Placed } from '../../plans/placement/strategies.js';
import type { PlannedQuery, PlanQueryInput } from '../../plans/protocol/activities.js';
import { writtenOrder } from '../../plans/protocol/block-order.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { type PlannedCall, type RunPlan, runObjects } from '../../plans/protocol/run-plan.js';
import type { RunRecord } from '../../plans/protocol/run-record.js';
import type { Estimate, RunRequest } from '../../plans/protocol/run.js';
import type { TopK } from '../../plans/protocol/strategy.js';
import { validateCall } from '../../plans/operators/index.js';
import type { QueryBlock, QueryPlan } from '../../plans/sql/plan.js';
import { planQuery } from '../../plans/sql/planner.js';
import { beating } from '../heartbeat.js';
import type { MediaPreparer, ObjectStore, PartitionCodec } from '../ports.js';
import type { SqlPlanning, TableSnapshot } from '../relation-port.js';
import { routeNotes } from '../routed-records.js';
import { loadJson } from '../run-plans.js';
import { chooseModel, type ModelChoice } from './choose-model.js';
import { comparePlacements } from './compare-placements.js';
import { type EnteredBlock, enterBlock, storeBlock } from './enter-block.js';
import { estimateCalls } from './estimate-calls.js';
import { type LogicalPorts, planLogical } from './logical/plan-logical.js';
import type { RelationalPorts } from './prepare-call.js';
import { withUsualRounds } from './plan-rounds.js';
import { wayNotes } from '../planning/way-notes.js';
import { planOptimize } from './plan-optimize.js';
import { planStrategy } from './plan-strategy.js';
import { scheduleCall } from './schedule.js';

export interface PlanQueryPorts extends RelationalPorts, ModelChoice, Pick<LogicalPorts, 'codeTasks'> {
  readonly planning: SqlPlanning;
  readonly codec: PartitionCodec;
  readonly media: MediaPreparer;
  /** Task queue whose workers serve a model. */
  queueOf(model: string): string;
}

/** Reads the tables, checks the whole query, fixes what will be asked of whom, and prices it when asked to. */
export function createPlanQuery(ports: PlanQueryPorts) {
  return (input: PlanQueryInput): Promise<PlannedQuery> =>
    beating(ports.scope(), async () => {
      const request = await loadJson<RunRequest>(ports.store, input.request);
      const joins: Placed[] = [];
      const first = await firstBlock(ports, input.runId, request, (placed) => joins.push(placed));
      const estimate = input.estimate ? await estimateCalls(ports, first) : undefined;
      if (estimate !== undefined) checkBudget(input, estimate);
      const planned = await storeBlock(ports.store, first);
      if (input.dry !== true) await storeRecord(ports.store, input, joins, estimate);
      if (estimate === undefined) return planned;
      const noted = await withNotes(ports, estimate, first, input.dry === true);
      return {
        ...planned,
        estimate: input.compare === true ? await withComparison(ports, input, request, noted) : noted,
      };
    });
}

async function storeRecord(
  store: ObjectStore,
  { runId, request }: PlanQueryInput,
  joins: readonly Placed[],
  estimate: Estimate | undefined,
): Promise<void> {
  const explained = joins.map((placed) => explainPlacement(placed));
  const record: RunRecord = { v: 1, request, joins: explained, ...(estimate === undefined ? {} : { estimate }) };
  await store.putNamed(runObjects.record(runId), new TextEncoder().encode(JSON.stringify(record)));
}

/** The query planned up to its first block, and how its joins were placed. */
export async function firstBlock(
  ports: PlanQueryPorts,
  runId: string,
  request: RunRequest,
  onPlaced?: (placed: Placed) => void,
): Promise<EnteredBlock> {
  if (request.logical !== undefined) return firstLogical(ports, runId, request, request.logical);
  const { query, tables } = await planRelations(ports, request, onPlaced);
  const direct: PlannedCall[] = [];
  const notes: string[] = [...(query.notes ?? [])];
  for (const call of blocksOf(query).flatMap(({ calls }) => calls)) {
    validateCall(call);
    const model = await chooseModel(ports, call, request.model);
    const schedule = scheduleCall(call, model, ports.queueOf(model.name), 0, undefined);
    const planned = await withUsualRounds(ports, call, model, schedule);
    if (planned.note !== undefined) notes.push(planned.note);
    direct.push({ call, schedule: planned.schedule });
  }
  const strategy = await planStrategy(ports, direct, request.strategy, topsOf(query));
  notes.push(...strategy.notes);
  const optimized = await planOptimize(ports, strategy.calls, request);
  notes.push(...optimized.notes);
  const order = writtenOrder(query.before ?? []);
  return enterBlock(ports, {
    v: 1,
    runId,
    query: notes.length === 0 ? query : { ...query, notes },
    ...(query.before === undefined ? {} : { nested: 0 }),
    ...(order === undefined ? {} : { order }),
    all: optimized.calls,
    tables,
    onError: request.onError,
    maxErrorRatio: request.maxErrorRatio,
    cache: request.cache,
  });
}

async function firstLogical(
  ports: PlanQueryPorts,
  runId: string,
  request: RunRequest,
  run: NonNullable<RunRequest['logical']>,
): Promise<EnteredBlock> {
  const { query, tables, calls, logical } = await planLogical(ports, request, run);
  const { onError, maxErrorRatio, cache } = request;
  const nested = query.before === undefined ? {} : { nested: 0 };
  return enterBlock(ports, {
    v: 1,
    runId,
    query,
    ...nested,
    all: calls,
    tables,
    logical,
    onError,
    maxErrorRatio,
    cache,
  });
}

async function withComparison(
  ports: PlanQueryPorts,
  { runId }: PlanQueryInput,
  request: RunRequest,
  estimate: Estimate,
): Promise<Estimate> {
  const comparison = await comparePlacements(async (placement) => {
    const joins: Placed[] = [];
    const first = await firstBlock(ports, runId, { ...request, placement }, (placed) => joins.push(placed));
    return { estimate: await estimateCalls(ports, first), joins };
  });
  const hash = await ports.store.put(new TextEncoder().encode(JSON.stringify(comparison)));
  return { ...estimate, comparison: hash };
}

/** Of all blocks, in the order in which they are run. */
function blocksOf(query: QueryPlan): readonly QueryBlock[] {
  return [...(query.before ?? []).map(({ block }) => block), query];
}

/** By the id of the score. */
function topsOf(query: QueryPlan): ReadonlyMap<string, TopK> {
  return new Map(blocksOf(query).flatMap(({ top }) => (top === undefined ? [] : [[top.call, top]])));
}

async function withNotes(
  ports: PlanQueryPorts,
  estimate: Estimate,
  first: EnteredBlock,
  dry: boolean,
): Promise<Estimate> {
  const { plan } = first;
  const ways = dry ? await wayNotes(ports, first) : [];
  const notes = [...(plan.query.notes ?? []), ...(await routeNotes(ports.store, plan)), ...ways];
  return notes.length === 0 ? estimate : { ...estimate, notes };
}

async function planRelations(
  ports: PlanQueryPorts,
  request: RunRequest,
  onPlaced?: (placed: Placed) => void,
): Promise<Pick<RunPlan, 'query' | 'tables'>> {
  const tables: TableSnapshot[] = [];
  for (const table of request.tables) tables.push(await ports.relations.snapshotTable(table));
  const { close, ...binding } = await ports.planning.open(tables);
  try {
    const { sql, placement, parameters } = request;
    const measure = (queries: readonly string[]) => ports.relations.measure(tables, queries);
    const given = {
      ...(placement === undefined ? {} : { placement }),
      ...(parameters === undefined ? {} : { parameters }),
      ...(onPlaced === undefined ? {} : { onPlaced }),
    };
    return { query: await planQuery({ sql, tables, measure, ...binding, ...given }), tables };
  } finally {
    await close();
  }
}

function checkBudget(input: PlanQueryInput, estimate: Estimate): void {
  const { usd } = estimate.total;
  const text = usd === undefined ? 'unknown' : `${usd.low.toFixed(4)} to ${usd.high.toFixed(4)} USD`;
  const { budget, confirmAboveUsd } = input;
  const first = estimate.calls.find((call) => call.calls.expected > 0);
  if (first?.usd !== undefined && budget.usd !== undefined) {
    const oneCall = first.usd.expected / first.calls.expected;
    if (oneCall > budget.usd) {
      throw new FermataError(
        'BudgetTooSmall',
        `the budget of ${budget.usd} USD cannot pay for one call (about ${oneCall.toPrecision(2)} USD)`,
        {
          where: { operator: first.operator },
          hint: `the query is estimated at ${text}; raise --max-cost`,
        },
      );
    }
  }
  const total = estimate.total.calls.expected;
  if (total > 0 && (budget.calls === 0 || budget.tokens === 0)) {
    throw new FermataError('BudgetTooSmall', 'the budget allows no call', {
      hint: `the query is estimated at ${total} calls`,
    });
  }
  const expected = usd?.expected;
  if (confirmAboveUsd !== undefined && total > 0 && (expected === undefined || expected > confirmAboveUsd)) {
    throw new FermataError(
      'NeedsConfirmation',
      `the query is estimated at ${text}, above the limit of ${confirmAboveUsd} USD`,
      {
        hint: 'answer yes, pass --yes, or raise confirmAboveUsd',
      },
    );
  }
}
