import { decodeAnswer } from './decode.js';
import { asWritten, badCall, parametersOf, type SemanticOperator } from './operator.js';
import { replyLine, replyTokens } from './shape.js';

/** `AI_SCORE`: how well the intent fits the tuple, as a number within a scale. */
export const score: SemanticOperator = {
  system: (call) => {
    const { min, max } = parametersOf(call, 'score');
    return `Score the data from ${min} (not at all) to ${max} (fully). ${replyLine(call, 'number')}`;
  },
  ask: asWritten,
  maxOutputTokens: (call) => replyTokens(call.output),
  decode: (reply, call) => {
    const { min, max } = parametersOf(call, 'score');
    return decodeAnswer(reply, { kind: 'number', min, max });
  },
  check: (call) => {
    const { min, max } = parametersOf(call, 'score');
    if (!Number.isFinite(min) || !Number.isFinite(max) || min >= max) {
      throw badCall(call, `A score needs a scale with min below max, got ${min} and ${max}.`);
    }
    if (call.output.kind !== 'number') throw badCall(call, 'A score answers a number.');
  },
};
