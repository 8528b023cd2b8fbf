import { decodeAnswer } from './decode.js';
import { asWritten, parametersOf, type SemanticOperator } from './operator.js';
import type { OutputType } from './output.js';
import { fence } from './prompt.js';
import { replyTokens } from './shape.js';

export const comparison: OutputType = { kind: 'enum', values: ['A', 'B'] };

/** Which of two items fits better: a step of a top-k by comparisons. Inputs: the two items. */
export const compare: SemanticOperator = {
  system: (call) => {
    const { least } = parametersOf(call, 'compare');
    const which = least ? 'lower' : 'higher';
    return `Compare A and B: which of them would score ${which}? Reply with JSON: {"answer": "A"} or {"answer": "B"}.`;
  },
  ask: asWritten,
  render: ([a = '', b = ''], call) => {
    const { criterion, least } = parametersOf(call, 'compare');
    return `[A]:\n${fence(a)}\n\n[B]:\n${fence(b)}\n\nWhich of A and B would score ${least ? 'lower' : 'higher'} on this? ${criterion}`;
  },
  maxOutputTokens: () => replyTokens(comparison),
  decode: (reply) => decodeAnswer(reply, comparison),
  // made by the engine, never by a user
  check: () => undefined,
};
