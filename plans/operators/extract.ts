import { decodeAnswer } from './decode.js';
import { asWritten, badCall, type SemanticOperator } from './operator.js';
import type { StructField } from './output.js';
import { fieldLine, replyLine, replyTokens } from './shape.js';

/** `AI_EXTRACT`: the fields of a struct, each null where the data do not state it. */
export const extract: SemanticOperator = {
  system: (call) => {
    const fields: readonly StructField[] = call.output.kind === 'struct' ? call.output.fields : [];
    const lines = fields.map(fieldLine).join('\n');
    return `Extract from the data; null where it is not stated:\n${lines}\n${replyLine(call)}`;
  },
  ask: asWritten,
  maxOutputTokens: (call) => replyTokens(call.output),
  decode: (reply, call) => decodeAnswer(reply, call.output),
  check: (call) => {
    if (call.output.kind !== 'struct') throw badCall(call, 'An extraction answers a struct.');
  },
};
