import { decodeAnswer } from './decode.js';
import { asWritten, type SemanticOperator } from './operator.js';
import { choices, replyLine, replyTokens, textLine } from './shape.js';

/** `AI_COMPLETE`: what the intent asks for, as free text or as a value of the type that the call names. */
export const complete: SemanticOperator = {
  system: (call) => {
    const task = 'Do what is asked with the data.';
    if (call.output.kind === 'string' && call.guidance?.explain !== true) {
      return `${task} ${textLine(call, 'result')}`;
    }
    return [task, ...choices(call.output), replyLine(call)].join('\n');
  },
  ask: asWritten,
  maxOutputTokens: (call) => replyTokens(call.output),
  decode: (reply, call) => decodeAnswer(reply, call.output),
  // any output type will do
  check: () => undefined,
};
