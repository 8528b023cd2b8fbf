import { parseJson } from '../plans/protocol/json.js';
import { type PreparedCalls, runObjects } from '../plans/protocol/run-plan.js';
import type { ObjectStore } from './ports.js';

/** What of a run has been prepared so far; empty for a run that has just begun. */
export async function readPrepared(store: ObjectStore, runId: string, now: number): Promise<PreparedCalls> {
  const bytes = await store.getNamed(runObjects.prepared(runId));
  const parsed = bytes === undefined ? undefined : parseJson(new TextDecoder().decode(bytes));
  return parsed?.ok === true ? (parsed.value as unknown as PreparedCalls) : { v: 1, startedAt: now, calls: [] };
}

/** Adds (or replaces, when an activity is run again) one call in one wave. */
export async function recordPrepared(
  store: ObjectStore,
  runId: string,
  entry: PreparedCalls['calls'][number],
  now: number,
): Promise<void> {
  const known = await readPrepared(store, runId, now);
  const others = known.calls.filter((other) => other.call !== entry.call || other.wave !== entry.wave);
  const next: PreparedCalls = { ...known, calls: [...others, entry] };
  await store.putNamed(runObjects.prepared(runId), new TextEncoder().encode(JSON.stringify(next)));
}
