/** Rounds of calls that need them whatever the strategy, with the models that take part in them. */
import type { SemanticCall } from '../../plans/operators/call.js';
import type { CallSchedule } from '../../plans/protocol/activities.js';
import { FermataError } from '../../plans/protocol/errors.js';
import type { OtherModel } from '../../plans/protocol/strategy.js';
import { vectorCall } from '../../plans/physical/rounds/round-calls.js';
import { usualRounds } from '../../plans/physical/rounds/schedule.js';
import type { Model } from '../ports.js';
import { otherModel, type OtherModelChoice } from './other-model.js';

export interface PlannedRounds {
  readonly schedule: CallSchedule;
  readonly note?: string;
}

/** The schedule with the rounds that the call needs, if any. Throws as `chooseModel` does for an embedding model that is named. */
export async function withUsualRounds(
  ports: OtherModelChoice,
  call: SemanticCall,
  model: Model,
  schedule: CallSchedule,
): Promise<PlannedRounds> {
  const rounds = usualRounds(call, model.contextTokens);
  if (rounds === undefined) return { schedule };
  if (call.parameters.kind !== 'dedup') return { schedule: { ...schedule, rounds } };
  if (call.parameters.nearness === 'lexicon') return { schedule: { ...schedule, rounds } };
  const nearness = await embedderOf(ports, call, call.parameters.nearness);
  if (nearness !== undefined) return { schedule: { ...schedule, rounds: { ...rounds, nearness } } };
  const note = 'AI_DEDUP compares rows that are spelled alike: there is no embedding model to find others';
  return { schedule: { ...schedule, rounds }, note };
}

/** Undefined: none is named, and there is none. */
async function embedderOf(
  ports: OtherModelChoice,
  call: SemanticCall,
  wanted: string | undefined,
): Promise<OtherModel | undefined> {
  const named = wanted?.slice('embedding:'.length);
  const asked = { ...vectorCall(call), ...(named === undefined || named === '' ? {} : { model: named }) };
  try {
    return await otherModel(ports, asked);
  } catch (error) {
    const missing = FermataError.is(error) && ['NoModel', 'UnknownModel', 'ModalityUnsupported'].includes(error.code);
    if (missing && wanted === undefined) return undefined;
    throw error;
  }
}
