import type { JsonValue } from '../../../plans/protocol/json.js';

type Schema = Readonly<Record<string, any>>;

/** Checks a value against the part of JSON Schema that answers use; throws on any keyword that it does not know. */
export function accepts(schema: Schema, value: JsonValue): boolean {
  return Object.entries(schema).every(([keyword, argument]) => {
    const check = keywords[keyword];
    if (check === undefined) throw new Error(`unknown keyword ${keyword}`);
    return check(argument, value, schema);
  });
}

const keywords: Record<string, (argument: any, value: any, schema: Schema) => boolean> = {
  description: () => true,
  type: (name, value) => types[name as string]!(value),
  enum: (values: unknown[], value) => values.includes(value),
  pattern: (pattern: string, value) => typeof value !== 'string' || new RegExp(pattern, 'u').test(value),
  minimum: (min: number, value) => typeof value !== 'number' || value >= min,
  maximum: (max: number, value) => typeof value !== 'number' || value <= max,
  items: (item: Schema, value) => !Array.isArray(value) || value.every((entry) => accepts(item, entry)),
  anyOf: (options: Schema[], value) => options.some((option) => accepts(option, value)),
  properties: (properties: Record<string, Schema>, value) =>
    !isObject(value) || Object.keys(properties).every((key) => !Object.hasOwn(value, key) || accepts(properties[key]!, value[key])),
  required: (names: string[], value) => !isObject(value) || names.every((name) => Object.hasOwn(value, name)),
  additionalProperties: (allowed: boolean, value, schema) =>
    allowed || !isObject(value) || Object.keys(value).every((key) => Object.hasOwn(schema['properties'], key)),
};

const types: Record<string, (value: any) => boolean> = {
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  string: (value) => typeof value === 'string',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isObject,
};

function isObject(value: any): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
