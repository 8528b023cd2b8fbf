import { LRUCache } from 'lru-cache';
import { parseStepId, stepSchedule } from '../plans/physical/cascade/steps.js';
import type { SemanticCall } from '../plans/operators/call.js';
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

/** What `applyPartition` asks: a call, or one step of a call that is run as a cascade. */
export interface AskedCall extends PlannedCall {
  /** Id of the call whose input partitions are read. */
  readonly inputs: string;
  /** A proxy says how sure it is; an input that it fails on goes to the oracle and fails nothing. */
  readonly proxy: boolean;
}

export function askedCall(plan: RunPlan, id: string): AskedCall {
  const named = parseStepId(id);
  if (named === undefined) return { ...plannedCall(plan, id), inputs: id, proxy: false };
  const { call, schedule } = plannedCall(plan, named.call);
  const proxy = named.step === 'proxy';
  const asked = proxy && schedule.strategy?.fitted === 'embedding' ? embedCall(call) : call;
  return {
    call: { ...asked, id },
    schedule: stepSchedule(schedule, named.step),
    inputs: proxy ? named.call : id,
    proxy,
  };
}

/** The call for the vectors of another call's inputs, by any model: of one text, the very vector of AI_EMBED. */
export function embedCall({ id, role, template, inputs, position }: SemanticCall): SemanticCall {
  return { id, role, template, inputs, position, parameters: { kind: 'embed' }, output: { kind: 'vector' } };
}
