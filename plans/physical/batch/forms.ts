/** The forms in which one prompt asks about several tuples. A new form is a row here. */
import type { SemanticCall } from '../../operators/call.js';
import type { Decoded } from '../../operators/operator.js';
import type { ModelRequest } from '../../protocol/model.js';
import type { BatchSchedule } from '../../protocol/strategy.js';
import { packPairs } from '../pairs/pack.js';
import { readMatches } from '../pairs/reply.js';
import { candidateKeys, matchRequest } from '../pairs/request.js';
import { type PackLimits, packTuples } from './pack.js';
import { readBatch } from './reply.js';
import { type BatchTuple, batchRequest } from './request.js';

interface Tuple {
  readonly values: readonly string[];
}

export interface PromptForm {
  /** Part of the ledger's keys; a change of the form's wording must change the number. */
  readonly version: string;
  /** Cuts tuples into prompts; one that fits with no other stands alone. */
  readonly pack: <T extends Tuple>(
    call: SemanticCall,
    tuples: readonly T[],
    limits: PackLimits,
  ) => readonly (readonly T[])[];
  /** Texts, all different, that the ids of the tuples of one prompt are made from; absent: their own keys. */
  readonly named?: (call: SemanticCall, tuples: readonly Tuple[]) => readonly string[];
  readonly request: (call: SemanticCall, tuples: readonly BatchTuple[]) => ModelRequest;
  /** What a reply says of each id. */
  readonly read: (reply: string, call: SemanticCall, ids: readonly string[]) => ReadonlyMap<string, Decoded>;
}

export const promptForms: Readonly<Record<BatchSchedule['kind'], PromptForm>> = {
  batched: { version: 'batched/1', pack: packTuples, request: batchRequest, read: readBatch },
  classify: {
    version: 'classify/1',
    pack: packPairs,
    named: candidateKeys,
    request: matchRequest,
    read: readMatches,
  },
};
