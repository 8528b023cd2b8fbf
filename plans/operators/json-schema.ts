/** JSON schemas of answers, in the subset that OpenAI's strict mode accepts. */
import type { JsonValue } from '../protocol/json.js';
import type { OutputType, StructField } from './output.js';

type Schema = Readonly<Record<string, JsonValue>>;

const datePattern = '^[0-9]{4}-[0-9]{2}-[0-9]{2}$';

/**
 * Schema of the reply `{"answer": …}`: every key required, no others. A struct's fields may be null, which says that
 * the data do not state them; nothing else may.
 */
export function jsonSchema(output: OutputType): Schema {
  const shared = sharedType(output);
  if (shared === undefined || output.kind !== 'struct') return closedObject([['answer', typeSchema(output)]]);
  // Written out for each tuple of a prompt, an enum would soon have more values in all than a strict schema may.
  const fields = output.fields.map(({ name }): [string, Schema] => [name, { $ref: `#/$defs/${sharedName}` }]);
  return { ...closedObject([['answer', closedObject(fields)]]), $defs: { [sharedName]: typeSchema(shared) } };
}

const sharedName = 'each';
const scalars: ReadonlySet<OutputType['kind']> = new Set(['boolean', 'integer', 'number', 'string', 'date']);

/** The type that all fields of a struct share and that is worth a definition. */
function sharedType(output: OutputType): OutputType | undefined {
  if (output.kind !== 'struct' || output.fields.length < 2) return undefined;
  const [first] = output.fields;
  const same = output.fields.every(({ type, required }) => required === true && type === first?.type);
  return same && first !== undefined && !scalars.has(first.type.kind) ? first.type : undefined;
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
        type.fields.map((field) => [field.name, field.required === true ? typeSchema(field.type) : nullable(field)]),
      );
  }
}

function nullable({ description, type }: StructField): Schema {
  return {
    ...(description === undefined ? {} : { description }),
    anyOf: [typeSchema(type), { type: 'null' }],
  };
}

function closedObject(properties: readonly (readonly [string, Schema])[]): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: properties.map(([name]) => name),
    additionalProperties: false,
  };
}
