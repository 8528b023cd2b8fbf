import type { SemanticCall } from '../../plans/operators/call.js';
import type { OutputType } from '../../plans/operators/output.js';
import type { JsonValue } from '../../plans/protocol/json.js';

/** Stand-ins for the model, as macros of plain SQL and as a function: both see the last input. */
export const standInMacros = [
  'CREATE MACRO yes(v) AS length(v) % 2 = 0',
  'CREATE MACRO pick(v, labels) AS labels[1 + length(v) % len(labels)]',
  "CREATE MACRO said(v) AS 'said ' || v",
  'CREATE MACRO points(v) AS (length(v) / 10)::DOUBLE',
];

/** Answers from the length of the last input. */
export function standIn(call: SemanticCall, inputs: readonly string[]): JsonValue {
  const value = inputs.at(-1)!;
  const size = Array.from(value).length;
  if (call.parameters.kind === 'filter') return size % 2 === 0;
  if (call.parameters.kind === 'score') return size / 10;
  return sample(call.output, value, size);
}

function sample(output: OutputType, value: string, size: number): JsonValue {
  switch (output.kind) {
    case 'boolean':
      return size % 2 === 0;
    case 'integer':
      return size;
    case 'number':
      return size / 10;
    case 'string':
      return `said ${value}`;
    case 'date':
      return '2020-02-29';
    case 'enum':
      return output.values[size % output.values.length]!;
    case 'vector':
      return [size, 1];
    case 'list':
      return [sample(output.item, value, size)];
    case 'struct':
      return Object.fromEntries(output.fields.map((field) => [field.name, sample(field.type, value, size)]));
  }
}
