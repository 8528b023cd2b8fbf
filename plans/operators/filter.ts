import { decodeAnswer } from './decode.js';
import { badCall, type SemanticOperator } from './operator.js';
import { replyLine, replyTokens } from './shape.js';

/**
 * `AI_FILTER`: is the intent true of the tuple? A statement becomes a question, and the reply is asked for once more
 * behind it: without both, a model of 0.5B parameters answered false for nearly every row.
 */
export const filter: SemanticOperator = {
  system: (call) => `You judge data. ${replyLine(call)}`,
  ask: (intent, call) => `${question(intent.trim())}\n${replyLine(call)}`,
  maxOutputTokens: (call) => replyTokens(call.output),
  decode: (text, call) => decodeAnswer(text, call.output),
  check: (call) => {
    if (call.output.kind !== 'boolean') throw badCall(call, 'A filter answers true or false.');
  },
};

function question(intent: string): string {
  if (intent === '') return 'Is it true?';
  return /[?？]$/u.test(intent) ? intent : `Is it true that "${intent}"?`;
}
