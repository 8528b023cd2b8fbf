import type { CallSchedule, PrepareCallInput, PreparedCall } from '../../plans/protocol/activities.js';
import { blockOf, type RunPlan, runObjects } from '../../plans/protocol/run-plan.js';
import { publishProgress } from '../progress.js';
import type { ActivityScope, Clock, Ledger, ObjectStore } from '../ports.js';
import { readPrepared, recordPrepared } from '../prepared-calls.js';
import type { PairPrompts, RelationStore } from '../relation-port.js';
import { loadPlan, plannedCall } from '../run-plans.js';
import { beating } from '../heartbeat.js';
import { queryState } from './query-state.js';

export interface RelationalPorts {
  readonly store: ObjectStore;
  readonly relations: RelationStore;
  readonly ledger: Ledger;
  readonly clock: Clock;
  scope(): ActivityScope;
}

/** Cuts what a call must answer in one wave into partitions of distinct inputs. */
export function createPrepareCall(ports: RelationalPorts) {
  return (input: PrepareCallInput): Promise<PreparedCall> =>
    beating(ports.scope(), async () => {
      const { runId, wave } = input;
      const plan = await loadPlan(ports.store, input.plan);
      const { call, schedule } = plannedCall(plan, input.call);
      const prepared = await readPrepared(ports.store, runId, ports.clock.now());
      const waves = call.role === 'filter' ? [wave] : input.waves;
      const { mapping, ...sizes } = await ports.relations.writeInputs(
        queryState(ports.store, plan, prepared, waves, call.id),
        call,
        input.partitionRows,
        (partition, bytes) => ports.store.putNamed(runObjects.inputs(runId, wave.index, call.id, partition), bytes),
        pairPrompts(plan, schedule),
      );
      const at = ports.clock.now();
      await recordPrepared(ports.store, runId, { ...sizes, mapping, call: call.id, wave: wave.index, at }, at);
      await publishProgress(ports, plan, 'running');
      return sizes;
    });
}

/** Rows that a LIMIT picks by their order are asked in it: a wave that ends early must have asked the first ones. */
export function pairPrompts(plan: RunPlan, { prompts }: Pick<CallSchedule, 'prompts'>): PairPrompts | undefined {
  return prompts?.kind === 'classify' && blockOf(plan).stopAfter === undefined ? { size: prompts.size } : undefined;
}
