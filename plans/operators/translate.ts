import { estimateTokens } from '../cost/tokens.js';
import { decodeAnswer } from './decode.js';
import { isLanguage, languageName } from './languages.js';
import { badCall, parametersOf, type SemanticOperator } from './operator.js';
import type { PromptInput } from './prompt.js';
import { replyTokens, textLine } from './shape.js';

/** A translation may be so much longer than the text, in tokens. */
export const translationGrowth = 3;

/** Endpoints refuse bounds above what their model can write. */
const mostTokens = 8192;

/** A longer text, in tokens, could end before its translation does. */
export const longestTranslated = Math.floor(mostTokens / translationGrowth);

/** `AI_TRANSLATE`: the text in another language. A text that is in it stays as it is. */
export const translate: SemanticOperator = {
  system: (call) => {
    const { from, to } = parametersOf(call, 'translate');
    const source = from === undefined ? '' : ` from ${languageName(from)}`;
    const target = languageName(to);
    const rest = 'Keep its meaning, tone, names, numbers and layout, and add nothing.';
    return `Translate the data${source} into ${target}. ${rest} ${textLine(call, 'translation')}`;
  },
  ask: (intent, call) => {
    const target = languageName(parametersOf(call, 'translate').to);
    return intent.trim() === '' ? `Translate it into ${target}.` : intent;
  },
  maxOutputTokens: (call, inputs = []) =>
    Math.min(mostTokens, Math.max(replyTokens(call.output), translationGrowth * inputs.reduce(addTokens, 0))),
  decode: (reply, call) => decodeAnswer(reply, call.output),
  check: (call) => {
    const { from, to } = parametersOf(call, 'translate');
    if (call.output.kind !== 'string') throw badCall(call, 'A translation is text.');
    const odd = [from, to].find((language) => language !== undefined && !isLanguage(language));
    if (odd !== undefined)
      throw badCall(call, `${JSON.stringify(odd)} is no language.`, "Languages: 'de', 'pt-BR', 'French'.");
    if (from !== undefined && from.trim().toLowerCase() === to.trim().toLowerCase()) {
      throw badCall(call, `A translation from ${from} into ${to} is no translation.`);
    }
  },
};

function addTokens(sum: number, input: PromptInput): number {
  return sum + (typeof input === 'string' ? estimateTokens(input) : 0);
}
