/** How an output type is told to a model, and how long an answer of it may get. */
import type { SemanticCall } from './call.js';
import { explanationHint } from './explanation.js';
import type { OutputType, StructField } from './output.js';

/**
 * The sentence that asks for the reply. `value` words the answer where its type does not; with an explanation on demand,
 * that comes behind the answer.
 */
export function replyLine({ output, guidance, batch }: SemanticCall, value?: string): string {
  const plain = value ?? typeShape(output);
  const one = guidance?.explain === true ? `{"answer": ${plain}, "explanation": "${explanationHint}"}` : plain;
  if (batch === 'matching') {
    return 'Reply with JSON that lists the ids of the candidates for which it is true: {"answer": ["<id>", ...]}; for none: {"answer": []}.';
  }
  if (batch === 'each') return `Reply with JSON that has each item's id once: {"answer": {"<id>": ${one}, ...}}.`;
  if (guidance?.explain === true) return `Reply with JSON: {"answer": ${one}}.`;
  return `Reply with JSON: ${value === undefined ? replyShape(output) : `{"answer": ${value}}`}.`;
}

/** The sentence that asks for an answer in free text. */
export function textLine(call: SemanticCall, what: string): string {
  return call.batch !== undefined ? replyLine(call) : `Reply with the ${what} only.`;
}

/** The reply that a model is to give, in a line, e.g. `{"answer": true} or {"answer": false}`. */
export function replyShape(output: OutputType): string {
  if (output.kind === 'boolean') return '{"answer": true} or {"answer": false}';
  return `{"answer": ${typeShape(output)}}`;
}

function typeShape(type: OutputType): string {
  switch (type.kind) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return 'integer';
    case 'number':
      return `number${rangeShape(type.min, type.max)}`;
    case 'string':
      return '"..."';
    case 'date':
      return '"YYYY-MM-DD"';
    case 'enum':
      return '"label"';
    case 'vector':
      return '[number, ...]';
    case 'list':
      return `[${typeShape(type.item)}, ...]`;
    case 'struct':
      return `{${type.fields.map((field) => `${JSON.stringify(field.name)}: ${typeShape(field.type)}`).join(', ')}}`;
  }
}

function rangeShape(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? '' : ` of at most ${max}`;
}

/** The choices of every enum inside a type, as lines for a prompt; empty when there are none. */
export function choices(type: OutputType, name = ''): readonly string[] {
  if (type.kind === 'enum') {
    return [`${name === '' ? 'label' : name}: one of ${type.values.map((value) => JSON.stringify(value)).join(', ')}`];
  }
  if (type.kind === 'list') return choices(type.item, name);
  return type.kind === 'struct' ? type.fields.flatMap((field) => choices(field.type, field.name)) : [];
}

/** One field of a struct as a line for a prompt: its name, what it is, and its choices. */
export function fieldLine(field: StructField): string {
  const described = field.description === undefined ? '' : `: ${field.description}`;
  return [`- ${field.name}${described}`, ...choices(field.type, field.name)].join('\n  ');
}

/** Tokens around the value: `{"answer": …}`, a code fence, a few words that a model may add. */
const envelopeTokens = 24;
const listItems = 20;
const freeTextTokens = 512;
const textTokens = 160;

/** Upper bound of the tokens of a reply; generous, since a reply that is cut is a failed row. */
export function replyTokens(output: OutputType): number {
  return output.kind === 'string' ? freeTextTokens : envelopeTokens + valueTokens(output);
}

function valueTokens(type: OutputType): number {
  switch (type.kind) {
    case 'boolean':
      return 8;
    case 'integer':
    case 'number':
    case 'date':
      return 16;
    case 'string':
      return textTokens;
    case 'enum':
      // no tokenizer needs more than one token a UTF-8 byte, and labels are short
      return 4 + Math.max(0, ...type.values.map((value) => 2 * value.length));
    case 'vector':
      // no language model writes one
      return 0;
    case 'list':
      return 8 + listItems * valueTokens(type.item);
    case 'struct':
      return type.fields.reduce((sum, field) => sum + 6 + field.name.length + valueTokens(field.type), 8);
  }
}
