/** What the arguments of AI_EMBED, AI_TRANSCRIBE and AI_PARSE mean: functions that a specialised model answers. */
import type { ArgumentNames } from './arguments.js';
import { fault } from './fault.js';
import type { Meaning } from './functions.js';
import { stringLiteral } from './literals.js';

export const embedNames: ArgumentNames = {
  usage: 'AI_EMBED(text or image [, {model}])',
  positional: ['input'],
  plain: true,
  required: 1,
  options: ['model'],
};

export const embedding: Meaning = () => ({ parameters: { kind: 'embed' }, output: { kind: 'vector' } });

export const transcribeNames: ArgumentNames = {
  usage: 'AI_TRANSCRIBE(audio [, {language, model}])',
  positional: ['audio'],
  plain: true,
  required: 1,
  options: ['model', 'language'],
};

export const transcribing: Meaning = (_, { named }) => {
  const node = named.get('language');
  if (node === undefined) return { parameters: { kind: 'transcribe' }, output: { kind: 'string' } };
  const language = stringLiteral(node)?.trim().toLowerCase();
  if (language === undefined || !/^[a-z]{2}$/.test(language)) {
    throw fault(
      'BadArgument',
      'the language of a clip is an ISO 639-1 code',
      node,
      "AI_TRANSCRIBE(clip, {language: 'de'})",
    );
  }
  return { parameters: { kind: 'transcribe', language }, output: { kind: 'string' } };
};

export const parseNames: ArgumentNames = {
  usage: 'AI_PARSE(image [, {model}])',
  positional: ['image'],
  plain: true,
  required: 1,
  options: ['model'],
};

export const parsing: Meaning = () => ({ parameters: { kind: 'parse' }, output: { kind: 'string' } });
