import { decodeAnswer } from './decode.js';
import { badCall, type SemanticOperator } from './operator.js';
import { replyShape, replyTokens } from './shape.js';

/** `AI_FILTER`: is the intent true of the tuple? */
export const filter: SemanticOperator = {
  system: (call) =>
    `Is the statement true of the data, or the answer yes? Reply with JSON: ${replyShape(call.output)}.`,
  maxOutputTokens: (call) => replyTokens(call.output),
  decode: (reply, call) => decodeAnswer(reply, call.output),
  check: (call) => {
    if (call.output.kind !== 'boolean') throw badCall(call, 'A filter answers true or false.');
  },
};
