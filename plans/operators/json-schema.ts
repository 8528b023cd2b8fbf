/** JSON schemas of answers, in the subset that OpenAI's strict mode accepts. */
import type { JsonValue } from '../protocol/json.js';
import type { OutputType } from './output.js';

type Schema = Readonly<Record<string, JsonValue>>;

const datePattern = '^[0-9]{4}-[0-9]{2}-[0-9]{2}$';

/**
 * Schema of the reply `{"answer": …}`: every key required, no others. A struct's fields may be null, which says that
 * the data do not state them; nothing else may.
 */
export function jsonSchema(output: OutputType): Schema {
  return closedObject([['answer', typeSchema(output)]]);
}

function typeSchema(type: OutputType): Schema {
  switch (type.kind) {
    case 'boolean':
    case 'integer':
    case 'string':
      return { type: type.kind };
    case 'number':
      return {
        type: 'number',
        ...(type.min === undefined ? {} : { minimum: type.min }),
        ...(type.max === undefined ? {} : { maximum: type.max }),
      };
    case 'date':
      return { type: 'string', pattern: datePattern };
    case 'enum':
      return { type: 'string', enum: type.values };
    case 'vector':
      return { type: 'array', items: { type: 'number' } };
    case 'list':
      return { type: 'array', items: typeSchema(type.item) };
    case 'struct':
      return closedObject(
        type.fields.map((field) => [
          field.name,
          {
            ...(field.description === undefined ? {} : { description: field.description }),
            anyOf: [typeSchema(field.type), { type: 'null' }],
          },
        ]),
      );
  }
}

function closedObject(properties: readonly (readonly [string, Schema])[]): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: properties.map(([name]) => name),
    additionalProperties: false,
  };
}
