import type { SemanticCall } from '../plans/operators/call.js';
import type { ApplyPartitionInput } from '../plans/protocol/activities.js';
import { FermataError } from '../plans/protocol/errors.js';
import { parseJson } from '../plans/protocol/json.js';
import { type RunPlan, runObjects } from '../plans/protocol/run-plan.js';
import { parseRoundId, roundSchedule } from '../plans/physical/rounds/steps.js';
import type { ObjectStore } from './ports.js';
import { type AskedCall, askedCall, plannedCall } from './run-plans.js';

/** What a partition asks: a call, a step of a cascade, or one round of a call, whose question was written with the round. */
export async function loadAsked(store: ObjectStore, plan: RunPlan, input: ApplyPartitionInput): Promise<AskedCall> {
  const named = parseRoundId(input.call);
  if (named === undefined) return askedCall(plan, input.call);
  const name = runObjects.roundCall(input.runId, input.wave, input.call);
  const bytes = await store.getNamed(name);
  const parsed = bytes === undefined ? undefined : parseJson(new TextDecoder().decode(bytes));
  if (parsed?.ok !== true) {
    throw new FermataError('ObjectMissing', `${name} is not in the store`, { hint: 'start the query again' });
  }
  const { schedule } = plannedCall(plan, named.call);
  return {
    call: parsed.value as unknown as SemanticCall,
    schedule: roundSchedule(schedule, named.round),
    inputs: input.call,
    proxy: false,
    confidence: false,
  };
}
