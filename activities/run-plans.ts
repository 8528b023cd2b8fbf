import { LRUCache } from 'lru-cache';
import { parseStepId, stepSchedule } from '../plans/physical/cascade/steps.js';
import { parseRoutedId, routedSchedule, type RoutedStep } from '../plans/physical/routed/steps.js';
import { asksDefault, type Policy, policyOf } from '../plans/physical/routed/verdict.js';
import type { SemanticCall } from '../plans/operators/call.js';
import { keyCall } from '../plans/physical/pairs/keys.js';
import { parseJson } from '../plans/protocol/json.js';
import { FermataError } from '../plans/protocol/errors.js';
import type { PlannedCall, RunPlan } from '../plans/protocol/run-plan.js';
import type { FittedKind } from '../plans/protocol/strategy.js';
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

/** What `applyPartition` asks: a call, or one step of a call that is run as a cascade or by a routed plan. */
export interface AskedCall extends PlannedCall {
  /** Id of the call whose input partitions are read. */
  readonly inputs: string;
  /** An input that it fails on goes to another model, and fails nothing. */
  readonly proxy: boolean;
  /** The answer is to say how sure it is. */
  readonly confidence: boolean;
  /** Of a step of a routed call: what becomes of its answers. */
  readonly policy?: Policy;
}

export function askedCall(plan: RunPlan, id: string): AskedCall {
  const routed = parseRoutedId(id);
  if (routed !== undefined) return routedCall(plan, id, routed);
  const named = parseStepId(id);
  if (named === undefined) return { ...plannedCall(plan, id), inputs: id, proxy: false, confidence: false };
  const { call, schedule } = plannedCall(plan, named.call);
  const proxy = named.step === 'proxy' || named.step === 'sides';
  const { fitted } = schedule.strategy ?? {};
  return {
    call: { ...(proxy ? proxyCall(call, fitted) : call), id },
    schedule: stepSchedule(schedule, named.step),
    inputs: named.step === 'proxy' ? named.call : id,
    proxy,
    confidence: proxy && fitted !== 'keys',
  };
}

/** What a proxy is asked. */
function proxyCall(call: SemanticCall, fitted: FittedKind | undefined): SemanticCall {
  switch (fitted) {
    case 'embedding':
      return embedCall(call);
    case 'nearness':
      return valueCall(call);
    case 'keys':
      return keyCall(call);
    case 'lexicon':
    case undefined:
      return call;
  }
}

function routedCall(plan: RunPlan, id: string, named: { readonly call: string; readonly step: RoutedStep }): AskedCall {
  const { call, schedule } = plannedCall(plan, named.call);
  if (schedule.routed === undefined) throw new FermataError('Internal', `call ${named.call} has no routed plan`);
  const policy = policyOf(schedule.routed, named.step);
  return {
    call: { ...call, id },
    schedule: routedSchedule(schedule, named.step),
    inputs: id,
    proxy: !asksDefault(schedule.routed, named.step),
    confidence: policy.threshold > 0 || policy.margin > 0,
    policy,
  };
}

/** The call for the vectors of another call's inputs, by any model: of one text, the very vector of AI_EMBED. */
export function embedCall({ id, role, template, inputs, position }: SemanticCall): SemanticCall {
  return { id, role, template, inputs, position, parameters: { kind: 'embed' }, output: { kind: 'vector' } };
}

/** The call for the vectors of the values of a pair, each by itself. */
export function valueCall(call: SemanticCall): SemanticCall {
  return { ...embedCall(call), template: '{0}', inputs: [{ sql: '', label: 'value', modality: 'text' }] };
}
