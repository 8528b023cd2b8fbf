import type { OperatorProgress, RunPhase, RunProgress } from '../plans/protocol/run.js';
import { runObjects, type RunPlan } from '../plans/protocol/run-plan.js';
import type { Clock, Ledger, ObjectStore, ProgressPublisher } from './ports.js';
import { readPrepared } from './prepared-calls.js';

/** Milliseconds between two records of one run by one process. */
const everyMs = 1_000;

export interface ProgressPorts {
  readonly store: ObjectStore;
  readonly ledger: Ledger;
  readonly clock: Clock;
}

/**
 * Publishes a run's progress record from the ledger's counters. Several processes may write the same record: each writes
 * what the ledger says, so that the latest is right.
 */
export function createProgressPublisher(ports: ProgressPorts): ProgressPublisher {
  const last = new Map<string, number>();
  const writing = new Set<string>();
  return {
    touch(plan) {
      const now = ports.clock.now();
      if (writing.has(plan.runId) || now - (last.get(plan.runId) ?? 0) < everyMs) return;
      last.set(plan.runId, now);
      writing.add(plan.runId);
      // A record is a view: one that could not be written is followed by the next.
      void publishProgress(ports, plan, 'running')
        .catch(() => undefined)
        .finally(() => writing.delete(plan.runId));
      if (last.size > 1_000) for (const [run, at] of last) if (now - at > 60_000) last.delete(run);
    },
  };
}

/** Writes the record now. Returns what it says of each operator. */
export async function publishProgress(
  ports: ProgressPorts,
  plan: RunPlan,
  phase: RunPhase,
): Promise<readonly OperatorProgress[]> {
  const now = ports.clock.now();
  const prepared = await readPrepared(ports.store, plan.runId, now);
  const operators: OperatorProgress[] = [];
  for (const { call, schedule } of plan.calls) {
    const waves = prepared.calls.filter((entry) => entry.call === call.id);
    const spend = await ports.ledger.spend(plan.runId, call.id);
    operators.push({
      id: call.id,
      operator: schedule.operator,
      intent: call.template.slice(0, 200),
      model: schedule.model,
      inputs: waves.reduce((sum, entry) => sum + entry.inputs, 0),
      answered: spend.answered,
      calls: spend.calls,
      cached: spend.cached,
      retries: spend.retries,
      failed: spend.failed,
      usd: spend.usd,
      unpriced: spend.unpriced,
      inputTokens: spend.inputTokens,
      outputTokens: spend.outputTokens,
      ms: waves.length === 0 ? 0 : now - Math.min(...waves.map((entry) => entry.at)),
    });
  }
  const record: RunProgress = {
    v: 1,
    runId: plan.runId,
    phase,
    operators,
    startedAt: prepared.startedAt,
    updatedAt: now,
  };
  await ports.store.putNamed(runObjects.progress(plan.runId), new TextEncoder().encode(JSON.stringify(record)));
  return operators;
}
