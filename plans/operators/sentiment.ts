import { decodeAnswer } from './decode.js';
import { badCall, parametersOf, type SemanticOperator } from './operator.js';
import type { OutputType } from './output.js';
import { replyLine, replyTokens } from './shape.js';

/** `mixed` is positive and negative together. */
export const sentiments = ['positive', 'negative', 'neutral', 'mixed'] as const;

/** The aspect that stands for the whole. */
export const overall = 'overall';

const one: OutputType = { kind: 'enum', values: sentiments };

/** A sentiment, or a struct with one for the whole and one for each aspect. */
export function sentimentType(aspects: readonly string[]): OutputType {
  if (aspects.length === 0) return one;
  const names = aspects.some((name) => name.toLowerCase() === overall) ? aspects : [overall, ...aspects];
  return { kind: 'struct', fields: names.map((name) => ({ name, type: one })) };
}

const choices = `${sentiments.slice(0, 3).join(', ')}, or mixed where it is both positive and negative`;

/** `AI_SENTIMENT`: the sentiment of a text, or also of aspects of it, null where the text says nothing of one. */
export const sentiment: SemanticOperator = {
  system: (call) => {
    const { output } = call;
    if (output.kind !== 'struct') return `Judge the sentiment of the data: ${choices}. ${replyLine(call)}`;
    const lines = output.fields.map(({ name }) => `- ${name}`).join('\n');
    const task = `Judge the sentiment of the data about each aspect: ${choices}; null where they say nothing of it.`;
    return `${task} Aspects:\n${lines}\n${replyLine(call)}`;
  },
  ask: (intent, call) => {
    if (intent.trim() !== '') return intent;
    return call.output.kind === 'struct' ? 'What is the sentiment about each aspect?' : 'What is the sentiment?';
  },
  maxOutputTokens: (call) => replyTokens(call.output),
  decode: (reply, call) => decodeAnswer(reply, call.output),
  check: (call) => {
    const { aspects } = parametersOf(call, 'sentiment');
    if (JSON.stringify(call.output) !== JSON.stringify(sentimentType(aspects))) {
      throw badCall(
        call,
        'A sentiment answers positive, negative, neutral or mixed, for each aspect where there are some.',
      );
    }
  },
};
