import type { FinishQueryInput } from '../../plans/protocol/activities.js';
import type { NestedResult } from '../../plans/protocol/run-plan.js';
import type { RunResult } from '../../plans/protocol/run.js';
import { beating } from '../heartbeat.js';
import { readPrepared } from '../prepared-calls.js';
import { publishProgress } from '../progress.js';
import { loadPlan } from '../run-plans.js';
import { cascadeNotes } from '../cascade-records.js';
import { routedNotes } from '../routed-records.js';
import type { RelationalPorts } from './prepare-call.js';
import { queryState } from './query-state.js';

/** Runs the rest of the SQL over the rows and their answers; also over part of them, when the run was stopped. */
export function createFinishQuery(ports: RelationalPorts) {
  return (input: FinishQueryInput): Promise<RunResult> =>
    beating(ports.scope(), async () => {
      const plan = await loadPlan(ports.store, input.plan);
      const prepared = await readPrepared(ports.store, input.runId, input.startedAt);
      const state = queryState(ports.store, plan, prepared, input.waves, undefined);
      const finished = await ports.relations.runFinal(state, plan.query.final.sql);
      const done = plan.done ?? [];
      const asked = sum(done, (block) => block.asked) + finished.asked;
      const operators = await publishProgress(ports, plan, 'done');
      const spend = await ports.ledger.spend(input.runId);
      const notes = [
        ...(plan.query.notes ?? []),
        ...Object.values(plan.ways ?? {}),
        ...(await cascadeNotes(ports.store, plan, prepared)),
        ...(await routedNotes(ports.store, plan, prepared)),
      ];
      return {
        v: 1,
        runId: input.runId,
        stop: input.stop,
        rows: finished.rows,
        errors: { ...finished.errors, ratio: asked === 0 ? 0 : finished.errors.count / asked },
        undecided: sum(done, ({ undecided }) => undecided) + finished.undecided,
        operators,
        spend,
        ms: ports.clock.now() - input.startedAt,
        ...(notes.length === 0 ? {} : { notes }),
      };
    });
}

function sum(done: readonly NestedResult[], of: (result: NestedResult) => number): number {
  return done.reduce((total, result) => total + of(result), 0);
}
