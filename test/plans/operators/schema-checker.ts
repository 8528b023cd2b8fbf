import type { JsonValue } from '../../../plans/protocol/json.js';

/** The part of JSON Schema that answers use. */
export interface AnswerSchema {
  readonly description?: string;
  readonly type?: keyof typeof types;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: AnswerSchema;
  readonly anyOf?: readonly AnswerSchema[];
  readonly properties?: Readonly<Record<string, AnswerSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

/** Checks a value against a schema; throws on any keyword that it does not know. */
export function accepts(schema: AnswerSchema, value: JsonValue): boolean {
  return Object.keys(schema).every((keyword) => {
    const check = keywords[keyword];
    if (check === undefined) throw new Error(`unknown keyword ${keyword}`);
    return check(schema, value);
  });
}

const keywords: Record<string, ((schema: AnswerSchema, value: JsonValue) => boolean) | undefined> = {
  description: () => true,
  type: ({ type }, value) => types[type!](value),
  enum: (schema, value) => schema.enum!.includes(value as string),
  pattern: ({ pattern }, value) => typeof value !== 'string' || new RegExp(pattern!, 'u').test(value),
  minimum: ({ minimum }, value) => typeof value !== 'number' || value >= minimum!,
  maximum: ({ maximum }, value) => typeof value !== 'number' || value <= maximum!,
  items: ({ items }, value) =>
    !Array.isArray(value) || (value as readonly JsonValue[]).every((entry) => accepts(items!, entry)),
  anyOf: ({ anyOf }, value) => anyOf!.some((option) => accepts(option, value)),
  properties: ({ properties }, value) =>
    !isObject(value) ||
    Object.entries(properties!).every(([key, schema]) => !Object.hasOwn(value, key) || accepts(schema, value[key]!)),
  required: ({ required }, value) => !isObject(value) || required!.every((name) => Object.hasOwn(value, name)),
  additionalProperties: ({ additionalProperties, properties }, value) =>
    additionalProperties! || !isObject(value) || Object.keys(value).every((key) => Object.hasOwn(properties!, key)),
};

const types = {
  boolean: (value: JsonValue) => typeof value === 'boolean',
  integer: (value: JsonValue) => Number.isInteger(value),
  number: (value: JsonValue) => typeof value === 'number',
  string: (value: JsonValue) => typeof value === 'string',
  null: (value: JsonValue) => value === null,
  array: (value: JsonValue) => Array.isArray(value),
  object: isObject,
};

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
