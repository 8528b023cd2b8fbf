import type { CallRole } from '../../plans/operators/call.js';
import type { Wave } from '../../plans/protocol/activities.js';
import { blockOf, type PreparedCalls, type RunPlan, runObjects } from '../../plans/protocol/run-plan.js';
import type { ObjectStore } from '../ports.js';
import type { AnsweredCall, QueryState } from '../relation-port.js';

/** The rows of `waves` with the answers of the calls before `next` (of all calls when it is undefined). */
export function queryState(
  store: ObjectStore,
  plan: RunPlan,
  prepared: PreparedCalls,
  waves: readonly Wave[],
  next: string | undefined,
): QueryState {
  const upTo = plan.calls.findIndex((entry) => entry.call.id === next);
  const earlier = upTo < 0 ? plan.calls : plan.calls.slice(0, upTo);
  const { stopAfter, source } = blockOf(plan);
  return {
    tables: plan.tables,
    source: plan.source,
    alias: source.alias,
    chosen: plan.chosen,
    waves,
    onError: plan.onError,
    answered: earlier.map(
      ({ call }): AnsweredCall => ({ call, waves: answersOf(store, plan, prepared, waves, call.id, call.role) }),
    ),
    ...(stopAfter === undefined ? {} : { first: stopAfter }),
    ...(plan.done === undefined ? {} : { done: plan.done }),
  };
}

/** All rows of a block, none of which has been asked about. */
export function stateOfAll(store: ObjectStore, plan: RunPlan, rows: number): QueryState {
  const everyRow: Wave = { index: 0, from: 0, to: rows };
  const none = { v: 1, startedAt: 0, calls: [] } as const;
  return { ...queryState(store, plan, none, [everyRow], undefined), answered: [] };
}

/** Filters are asked wave by wave; other calls ask the rows of all waves at once, so that their answers serve each of them. */
function answersOf(
  store: ObjectStore,
  plan: RunPlan,
  prepared: PreparedCalls,
  waves: readonly Wave[],
  call: string,
  role: CallRole,
): AnsweredCall['waves'] {
  const own = prepared.calls.filter((entry) => entry.call === call);
  return waves.map(({ index }) => {
    const entry = role === 'filter' ? own.find((candidate) => candidate.wave === index) : own[0];
    const wave = entry?.wave ?? index;
    return {
      ...(entry === undefined ? {} : { mapping: entry.mapping }),
      partitions: entry?.partitions ?? 0,
      answers: (partition: number) => store.getNamed(runObjects.answers(plan.runId, wave, call, partition)),
    };
  });
}
