/** What the arguments of AI_SENTIMENT, AI_SUMMARIZE and AI_TRANSLATE mean. */
import { isLanguage } from '../operators/languages.js';
import { sentimentType } from '../operators/sentiment.js';
import { maxSummaryWords } from '../operators/summarize.js';
import type { ArgumentNames } from './arguments.js';
import { fault } from './fault.js';
import type { Meaning } from './functions.js';
import { guidanceOptions } from './guidance.js';
import { listLiteral, numberLiteral, stringLiteral } from './literals.js';
import type { SqlNode } from './tree.js';

export const sentimentNames: ArgumentNames = {
  usage: "AI_SENTIMENT(text [, ['aspect', …]] [, {model}])",
  positional: ['text', 'aspects'],
  plain: true,
  required: 1,
  options: ['model', 'aspects', ...guidanceOptions],
};

export const judgingSentiment: Meaning = (_, { named }) => {
  const node = named.get('aspects');
  const aspects = node === undefined ? [] : readAspects(node);
  return { parameters: { kind: 'sentiment', aspects }, output: sentimentType(aspects) };
};

const aspectHint = "AI_SENTIMENT(review, ['food', 'service'])";

/** Each becomes a field of a struct. */
function readAspects(node: SqlNode): readonly string[] {
  const items = listLiteral(node);
  if (items === undefined) throw fault('BadArgument', 'the aspects must be a list of texts', node, aspectHint);
  if (items.length === 0) throw fault('BadArgument', 'the list of aspects is empty', node, aspectHint);
  const seen = new Set<string>();
  return items.map((item) => {
    const aspect = stringLiteral(item)?.trim();
    if (aspect === undefined || aspect === '') {
      throw fault('BadArgument', 'an aspect must be a text literal', item, aspectHint);
    }
    const folded = aspect.toLowerCase();
    if (seen.has(folded)) throw fault('BadArgument', `aspect '${aspect}' is given twice`, item);
    seen.add(folded);
    return aspect;
  });
}

export const summarizeNames: ArgumentNames = {
  usage: 'AI_SUMMARIZE(text [, max_words] [, {model}])',
  positional: ['text', 'max_words'],
  plain: true,
  required: 1,
  options: ['model', 'max_words', 'instructions', 'examples'],
};

/** No bound on the words is written 0 by others. */
export const summarizing: Meaning = (_, { named }) => {
  const node = named.get('max_words');
  const maxWords = node === undefined ? 0 : numberLiteral(node);
  if (maxWords === 0) return { parameters: { kind: 'summarize' }, output: { kind: 'string' } };
  if (maxWords === undefined || !Number.isInteger(maxWords) || maxWords < 1 || maxWords > maxSummaryWords) {
    throw fault('BadArgument', `max_words is a whole number from 1 to ${maxSummaryWords}`, node);
  }
  return { parameters: { kind: 'summarize', maxWords }, output: { kind: 'string' } };
};

export const translateNames: ArgumentNames = {
  usage: "AI_TRANSLATE(text, 'from', 'to' [, {model}])",
  positional: ['text', 'from', 'to'],
  plain: true,
  required: 2,
  options: ['model', 'instructions', 'examples'],
};

/** With one language it is the target; an empty source means: whatever it is. */
export const translating: Meaning = (_, { named, node }) => {
  const first = named.get('from');
  const target = named.get('to') ?? first ?? node;
  const source = named.get('to') === undefined ? undefined : first;
  const to = language(target);
  if (to === undefined) throw fault('BadArgument', 'the language to translate into is empty', target, languageHint);
  const from = source === undefined ? undefined : language(source);
  if (from !== undefined && from.toLowerCase() === to.toLowerCase()) {
    throw fault('BadArgument', `a translation from '${from}' into '${to}' is none`, target);
  }
  const parameters = { kind: 'translate', to, ...(from === undefined ? {} : { from }) } as const;
  return { parameters, output: { kind: 'string' } };
};

const languageHint = "AI_TRANSLATE(text, '', 'de'): '' for any language; codes ('pt-BR') or names ('French').";

function language(node: SqlNode): string | undefined {
  const words = stringLiteral(node)?.trim();
  if (words === '') return undefined;
  if (words === undefined) throw fault('BadArgument', 'a language must be a text literal', node, languageHint);
  if (!isLanguage(words)) throw fault('BadArgument', `'${words}' is no language`, node, languageHint);
  return words;
}
