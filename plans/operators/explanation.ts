/** Answers that come with their reason, as a struct of `answer` and `explanation`. */
import type { JsonValue } from '../protocol/json.js';
import type { SemanticCall } from './call.js';
import { decodeAnswer } from './decode.js';
import type { Decoded } from './operator.js';
import type { OutputType } from './output.js';
import { no } from './scalars.js';

/** What the model is told about the explanation. */
export const explanationHint = 'why, in a sentence or two';

/** Room for it. */
export const explanationTokens = 160;

/**
 * The output of a call that explains its answers. The answer stands first, so that it is the one which the call would
 * give without an explanation.
 */
export function explained(answer: OutputType): OutputType {
  return {
    kind: 'struct',
    fields: [
      { name: 'answer', type: answer },
      { name: 'explanation', type: { kind: 'string' }, description: explanationHint },
    ],
  };
}

/** The type of the answer by itself. */
export function answerType({ output, guidance }: SemanticCall): OutputType {
  if (guidance?.explain !== true || output.kind !== 'struct') return output;
  return output.fields.find(({ name }) => name === 'answer')?.type ?? output;
}

/** Reads answer and explanation, of which neither may be missing or empty; `decode` reads the answer by itself. */
export function decodeExplained(reply: string, output: OutputType, decode: (reply: string) => Decoded): Decoded {
  const both = decodeAnswer(reply, output);
  if (!both.ok) return both;
  const { answer = null, explanation = null } = both.value as {
    readonly answer?: JsonValue;
    readonly explanation?: string | null;
  };
  if (explanation === null || explanation.trim() === '') return no('The explanation is empty.');
  if (answer === null) return no('The answer is missing.');
  const isText = output.kind === 'struct' && output.fields[0]?.type.kind === 'string';
  const decoded = decode(isText && typeof answer === 'string' ? answer : JSON.stringify({ answer }));
  return decoded.ok ? { ok: true, value: { answer: decoded.value, explanation: explanation.trim() } } : decoded;
}
