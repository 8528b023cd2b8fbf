/** Few-shot examples: checked before anything is asked, and shown to the model as the tuples are, with their replies. */
import type { JsonValue } from '../protocol/json.js';
import type { CallExample, SemanticCall } from './call.js';
import { decodeValue, isObject } from './decode-value.js';
import type { Decoded } from './operator.js';
import type { OutputType } from './output.js';
import { fence } from './prompt.js';
import { no } from './scalars.js';

/** They are part of every prompt. */
export const maxExamples = 100;

/**
 * The output of an example as the type has it, or why it does not fit; other spellings than a model's are not looked for:
 * a field too many is a problem.
 */
export function exampleOutput(value: JsonValue, type: OutputType): Decoded {
  if (value === null) return no('The output is NULL.');
  const strange = strangeField(value, type);
  if (strange !== undefined) return no(`The output has no field ${JSON.stringify(strange)}.`);
  return decodeValue(value, type);
}

function strangeField(value: JsonValue, type: OutputType): string | undefined {
  if (type.kind === 'list' && Array.isArray(value)) {
    return (value as readonly JsonValue[])
      .map((item) => strangeField(item, type.item))
      .find((name) => name !== undefined);
  }
  if (type.kind !== 'struct' || !isObject(value)) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const field = type.fields.find((known) => known.name.toLowerCase() === name.toLowerCase());
    const strange = field === undefined ? name : strangeField(inner, field.type);
    if (strange !== undefined) return strange;
  }
  return undefined;
}

/** Why one example cannot stand in the prompt of a call whose answers are of `type`; undefined when it can. */
export function exampleProblem(example: CallExample, call: SemanticCall, type: OutputType): string | undefined {
  const { length } = call.inputs;
  if (call.inputs.some(({ modality }) => modality !== 'text'))
    return 'Examples are texts, and the call reads a medium.';
  if (example.inputs.length !== length) return `An example needs ${length} inputs, got ${example.inputs.length}.`;
  if (call.guidance?.explain === true && (example.explanation ?? '').trim() === '') {
    return 'An example of a call that explains its answers needs an explanation.';
  }
  const output = exampleOutput(example.output, type);
  return output.ok ? undefined : output.problem;
}

/** The examples as text for the system message, each as its tuple would be shown, with the reply that is wanted. */
export function renderExamples(call: SemanticCall): string {
  const examples = call.guidance?.examples ?? [];
  return examples
    .map((example) => `${example.inputs.map(inputText).join('\n')}\n${wanted(example, call)}`)
    .join('\n\n');
}

function inputText(value: string, at: number, { length }: readonly string[]): string {
  return length === 1 ? fence(value) : `[${at + 1}]:\n${fence(value)}`;
}

function wanted({ output, explanation }: CallExample, call: SemanticCall): string {
  if (call.batch !== undefined) {
    return `Answer: ${JSON.stringify(call.guidance?.explain === true ? { answer: output, explanation } : output)}`;
  }
  if (call.guidance?.explain === true) {
    return `Reply: ${JSON.stringify({ answer: { answer: output, explanation: explanation ?? '' } })}`;
  }
  const because = explanation === undefined ? '' : `Reason: ${explanation}\n`;
  const plain = call.output.kind === 'string' && typeof output === 'string';
  return `${because}Reply: ${plain ? output : JSON.stringify({ answer: output })}`;
}
