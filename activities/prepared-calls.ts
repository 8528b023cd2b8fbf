import { FermataError } from '../plans/protocol/errors.js';
import { parseJson } from '../plans/protocol/json.js';
import { type PreparedCalls, runObjects } from '../plans/protocol/run-plan.js';
import type { ObjectStore } from './ports.js';

/** What of a run has been prepared so far; empty for a run that has just begun. Throws `BadData` for a damaged record. */
export async function readPrepared(store: ObjectStore, runId: string, now: number): Promise<PreparedCalls> {
  const bytes = await store.getNamed(runObjects.prepared(runId));
  if (bytes === undefined) return { v: 1, startedAt: now, calls: [] };
  const parsed = parseJson(new TextDecoder().decode(bytes));
  // Taken for empty, a damaged record would leave asked rows out of the result.
  if (!parsed.ok || !isPrepared(parsed.value)) {
    const problem = parsed.ok ? 'it is not what this version writes' : parsed.error;
    throw new FermataError('BadData', `the record of run ${runId} is damaged: ${problem}`, {
      hint: 'Start the query again: answers that were paid for are found in the ledger.',
    });
  }
  return parsed.value as unknown as PreparedCalls;
}

type Fields = Readonly<Record<string, unknown>>;

function isPrepared(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { v, startedAt, calls } = value as Fields;
  return v === 1 && typeof startedAt === 'number' && Array.isArray(calls) && calls.every(isCall);
}

function isCall(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Fields;
  const texts = ['call', 'mapping'].every((name) => typeof fields[name] === 'string');
  return texts && ['wave', 'at', 'partitions', 'inputs', 'rows'].every((name) => typeof fields[name] === 'number');
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
