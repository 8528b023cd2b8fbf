import type { OutputType, StructField } from '../operators/output.js';
import { fault } from './fault.js';
import { listLiteral, stringLiteral, structLiteral } from './literals.js';
import type { SqlNode } from './tree.js';

const typeNames: Readonly<Record<string, OutputType>> = {
  integer: { kind: 'integer' },
  int: { kind: 'integer' },
  bigint: { kind: 'integer' },
  smallint: { kind: 'integer' },
  tinyint: { kind: 'integer' },
  int64: { kind: 'integer' },
  number: { kind: 'number' },
  double: { kind: 'number' },
  float: { kind: 'number' },
  real: { kind: 'number' },
  decimal: { kind: 'number' },
  numeric: { kind: 'number' },
  float64: { kind: 'number' },
  boolean: { kind: 'boolean' },
  bool: { kind: 'boolean' },
  date: { kind: 'date' },
  string: { kind: 'string' },
  text: { kind: 'string' },
  varchar: { kind: 'string' },
};

/** `integer`, `integer[]`, `list of integer`; undefined when the text is no type name. */
function typeByName(name: string): OutputType | undefined {
  const word = name.trim().toLowerCase();
  const item = /^(?:list of\s+(\S+?)s?|(\S+?)\[\])$/.exec(word);
  const inner = item?.[1] ?? item?.[2];
  if (inner !== undefined) {
    const type = typeByName(inner);
    return type === undefined ? undefined : { kind: 'list', item: type };
  }
  return Object.hasOwn(typeNames, word) ? typeNames[word] : undefined;
}

/** What one field asks for. */
type FieldType = Pick<StructField, 'type' | 'description'>;

/**
 * A field of AI_EXTRACT: a type name (`'integer'`), a question (`'What broke?'`), both (`'integer: How many were hurt?'`),
 * labels (`['low', 'high']`), a list (`['integer']`, `[{…}]`) or a nested struct. Throws `BadArgument`.
 */
export function fieldType(node: SqlNode): FieldType {
  const words = stringLiteral(node);
  if (words !== undefined) return fromWords(words, node);
  return { type: structure(node) };
}

function fromWords(words: string, node: SqlNode): FieldType {
  if (words.trim() === '') throw fault('BadArgument', 'an empty type or question', node, typeHint);
  const plain = typeByName(words);
  if (plain !== undefined) return { type: plain };
  const colon = words.indexOf(':');
  const typed = colon < 0 ? undefined : typeByName(words.slice(0, colon));
  const question = words.slice(colon + 1).trim();
  if (typed !== undefined && question !== '') return { type: typed, description: question };
  return { type: { kind: 'string' }, description: words };
}

function structure(node: SqlNode): OutputType {
  const fields = structLiteral(node);
  if (fields !== undefined) return structType(node, fields);
  const items = listLiteral(node);
  if (items === undefined) throw fault('BadArgument', 'a type must be written as a literal', node, typeHint);
  const [only] = items;
  if (only === undefined) throw fault('BadArgument', 'an empty list is no type', node, typeHint);
  const word = stringLiteral(only);
  if (items.length === 1 && (word === undefined || typeByName(word) !== undefined)) {
    return { kind: 'list', item: fieldType(only).type };
  }
  return enumType(items);
}

function enumType(items: readonly SqlNode[]): OutputType {
  const values: string[] = [];
  for (const item of items) {
    const value = stringLiteral(item);
    if (value === undefined || value === '') throw fault('BadArgument', 'a label must be a non-empty string', item);
    if (values.includes(value)) throw fault('BadArgument', `label '${value}' is given twice`, item);
    values.push(value);
  }
  return { kind: 'enum', values };
}

function structType(node: SqlNode, fields: readonly (readonly [string, SqlNode])[]): OutputType {
  checkNames(fields);
  if (fields.length === 0) throw fault('BadArgument', 'a struct without fields', node, typeHint);
  return { kind: 'struct', fields: fields.map(([name, value]) => ({ name, ...fieldType(value) })) };
}

/** DuckDB tells fields apart without regard to case. */
function checkNames(fields: readonly (readonly [string, SqlNode])[]): void {
  const seen = new Set<string>();
  for (const [name, value] of fields) {
    if (name.trim() === '') throw fault('BadArgument', 'the name of a field is empty', value);
    if (seen.has(name.toLowerCase())) throw fault('BadArgument', `field "${name}" is given twice`, value);
    seen.add(name.toLowerCase());
  }
}

/** Databricks' fields of AI_EXTRACT, `['person', 'place']`: texts by their names; undefined for anything else. */
export function namedFields(node: SqlNode): OutputType | undefined {
  const items = listLiteral(node) ?? [];
  const names = items.map(stringLiteral).filter((name) => name !== undefined);
  if (names.length === 0 || names.length < items.length) return undefined;
  checkNames(items.map((item, i) => [names[i] ?? '', item] as const));
  return { kind: 'struct', fields: names.map((name) => ({ name, type: { kind: 'string' } })) };
}

/** The type of AI_COMPLETE's answer: a type name, labels, a list or a struct. Throws `BadArgument`. */
export function outputType(node: SqlNode): OutputType {
  const words = stringLiteral(node);
  if (words === undefined) return structure(node);
  const type = typeByName(words);
  if (type === undefined) throw fault('BadArgument', `'${words}' is no type`, node, typeHint);
  return type;
}

const typeHint =
  "Types: 'string', 'integer', 'number', 'boolean', 'date', 'integer[]', ['label', 'label'], {field: 'type or question'}.";
