/** How long replies are likely to be: what estimates expect, where `maxOutputTokens` bounds them. */
import type { OperatorKind, SemanticCall } from '../operators/call.js';
import type { OutputType } from '../operators/output.js';
import { estimateTokens } from './tokens.js';

/** `{"answer": ` and its bracket. */
const envelope = 6;
/** A short phrase: what fields of a struct and short answers are made of. */
const phrase = 14;
/** Items of a list. */
const items = 2;
/** A few sentences. */
const paragraph = 80;
const sentence = 30;
/** English words, and what is between them. */
const tokensPerWord = 1.4;

/** Replies that are free text, by operator; `inputTokens` are those of the values. */
const texts: Readonly<Partial<Record<OperatorKind, (call: SemanticCall, inputTokens: number) => number>>> = {
  summarize: ({ parameters }) => {
    const words = parameters.kind === 'summarize' ? parameters.maxWords : undefined;
    return words === undefined ? paragraph : Math.ceil(words * tokensPerWord * 0.8);
  },
  translate: (_, inputTokens) => Math.ceil(1.3 * inputTokens),
};

/**
 * Tokens of a typical reply, by the type of the answer: a verdict is a word, a label as long as the labels are, a field of a
 * struct a phrase. Undefined where nothing is known before: transcripts and the text in images are as long as they are.
 */
export function likelyReplyTokens(call: SemanticCall, inputTokens: number): number | undefined {
  const { kind } = call.parameters;
  if (kind === 'transcribe' || kind === 'parse') return undefined;
  const text = texts[kind];
  if (text !== undefined) return text(call, inputTokens);
  return envelope + valueTokens(call.output) + (call.guidance?.explain === true ? sentence : 0);
}

function valueTokens(type: OutputType): number {
  switch (type.kind) {
    case 'boolean':
      return 1;
    case 'integer':
    case 'number':
      return 2;
    case 'date':
      return 7;
    case 'string':
      return phrase;
    case 'vector':
      return 0;
    case 'enum':
      return 2 + Math.ceil(type.values.reduce((sum, value) => sum + estimateTokens(value), 0) / type.values.length);
    case 'list':
      return 2 + items * (1 + valueTokens(type.item));
    case 'struct':
      return type.fields.reduce((sum, { name, type: field }) => sum + estimateTokens(name) + 4 + valueTokens(field), 2);
  }
}
