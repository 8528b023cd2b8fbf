import { LRUCache } from 'lru-cache';
import { parseJson } from '../plans/protocol/json.js';
import { FermataError } from '../plans/protocol/errors.js';
import type { PlannedCall, RunPlan } from '../plans/protocol/run-plan.js';
import type { ObjectStore } from './ports.js';

const plans = new LRUCache<string, RunPlan>({ max: 64 });

/** A run's plan by its hash; the latest ones stay in memory, since every partition asks. */
export async function loadPlan(store: ObjectStore, hash: string): Promise<RunPlan> {
  const known = plans.get(hash);
  if (known !== undefined) return known;
  const plan = await loadJson<RunPlan>(store, hash);
  plans.set(hash, plan);
  return plan;
}

/** A JSON object of ours by its hash. Its writer is this program, so that the type is trusted after the hash matched. */
export async function loadJson<T>(store: ObjectStore, hash: string): Promise<T> {
  const parsed = parseJson(new TextDecoder().decode(await store.get(hash)));
  if (!parsed.ok) throw new FermataError('BadData', `object ${hash} is not JSON: ${parsed.error}`);
  return parsed.value as T;
}

export function plannedCall(plan: RunPlan, id: string): PlannedCall {
  const planned = plan.calls.find((candidate) => candidate.call.id === id);
  if (planned === undefined) throw new FermataError('Internal', `the plan has no call ${id}`);
  return planned;
}
