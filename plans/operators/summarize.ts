import { decodeAnswer } from './decode.js';
import { badCall, parametersOf, type SemanticOperator } from './operator.js';
import { replyTokens } from './shape.js';

/** Longest summary that can be asked for, in words. */
export const maxSummaryWords = 2000;

/** No word of a language written with spaces takes more, but for a few. */
const tokensPerWord = 6;

/** `AI_SUMMARIZE`: a summary in the language of the data. `maxWords` is what the model is told; nothing is cut. */
export const summarize: SemanticOperator = {
  system: (call) => {
    const { maxWords } = parametersOf(call, 'summarize');
    const length = maxWords === undefined ? 'in a few sentences' : `in at most ${maxWords} words`;
    return `Summarize the data ${length}, in their language, and add nothing to them. Reply with the summary only.`;
  },
  ask: (intent) => (intent.trim() === '' ? 'Summarize it.' : intent),
  maxOutputTokens: (call) => {
    const { maxWords } = parametersOf(call, 'summarize');
    return Math.max(replyTokens(call.output), tokensPerWord * (maxWords ?? 0));
  },
  decode: (reply, call) => decodeAnswer(reply, call.output),
  check: (call) => {
    const { maxWords } = parametersOf(call, 'summarize');
    if (call.output.kind !== 'string') throw badCall(call, 'A summary is text.');
    if (maxWords !== undefined && !(Number.isInteger(maxWords) && maxWords >= 1 && maxWords <= maxSummaryWords)) {
      throw badCall(call, `A summary has 1 to ${maxSummaryWords} words, got ${maxWords}.`);
    }
  },
};
