import { type JsonValue, parseJson } from '../protocol/json.js';
import type { Decoded } from './operator.js';
import type { OutputType, StructField } from './output.js';
import { bareWord, checkNumber, no, readDate, readLabel, readNumber, readVerdict, shown } from './scalars.js';

type TypeOf<K extends OutputType['kind']> = Extract<OutputType, { readonly kind: K }>;

/**
 * Reads a JSON value as a value of a type. Beyond what the schema allows it takes spellings that leave no doubt: scalars
 * in strings, 0 and 1 for verdicts, numbers as text, keys in another case, further keys, JSON within a string.
 */
export function decodeValue(value: JsonValue, type: OutputType): Decoded {
  switch (type.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? { ok: true, value } : readScalar(value, readVerdict);
    case 'integer':
    case 'number':
      if (typeof value === 'number') return checkNumber(value, type);
      return typeof value === 'string' ? readNumber(value, type) : wrong(value, 'a number');
    case 'string':
      if (typeof value === 'number') return { ok: true, value: String(value) };
      return typeof value === 'string' ? { ok: true, value } : wrong(value, 'text');
    case 'date':
      return typeof value === 'string' ? readDate(value) : wrong(value, 'a date as YYYY-MM-DD');
    case 'enum':
      return readScalar(value, (text) => readLabel(text, type.values));
    case 'vector':
      return decodeList(value, { kind: 'list', item: { kind: 'number' } });
    case 'list':
      return decodeList(value, type);
    case 'struct':
      return decodeStruct(value, type);
  }
}

function readScalar(value: JsonValue, read: (text: string) => Decoded): Decoded {
  if (value === null || typeof value === 'object') return wrong(value, 'a single value');
  return read(String(value));
}

function decodeList(value: JsonValue, type: TypeOf<'list'>): Decoded {
  if (typeof value === 'string') {
    const inner = parseJson(value);
    if (inner.ok && Array.isArray(inner.value)) return decodeList(inner.value as readonly JsonValue[], type);
    return type.item.kind === 'enum' ? readLabels(value, type.item) : wrong(value, 'a list');
  }
  if (!Array.isArray(value)) return wrong(value, 'a list');
  const items: JsonValue[] = [];
  for (const [index, item] of (value as readonly JsonValue[]).entries()) {
    const decoded = decodeValue(item, type.item);
    if (!decoded.ok) return no(`Item ${index + 1}: ${decoded.problem}`);
    items.push(decoded.value);
  }
  return { ok: true, value: items };
}

/** Labels in plain words: one, several with commas or on lines between them, or the word "none". */
export function readLabels(text: string, type: TypeOf<'enum'>): Decoded {
  const single = readLabel(text, type.values);
  if (single.ok) return { ok: true, value: [single.value] };
  if (bareWord(text).toLowerCase() === 'none') return { ok: true, value: [] };
  const labels: JsonValue[] = [];
  for (const part of text.split(/[,;\n]/)) {
    const word = part.trim().replace(/^(?:[-*•]|\d+[.)])\s+/, '');
    if (word === '') continue;
    const label = readLabel(word, type.values);
    if (!label.ok) return label;
    labels.push(label.value);
  }
  return labels.length === 0 ? single : { ok: true, value: labels };
}

function decodeStruct(value: JsonValue, type: TypeOf<'struct'>): Decoded {
  if (typeof value === 'string') {
    const inner = parseJson(value);
    if (inner.ok && isObject(inner.value)) return decodeStruct(inner.value, type);
  }
  if (!isObject(value)) return wrong(value, 'an object');
  const entries: [string, JsonValue][] = [];
  for (const field of type.fields) {
    const found = fieldValue(value, field.name);
    if (found === undefined) return no(`The field ${JSON.stringify(field.name)} is missing.`);
    const decoded = decodeField(found, field);
    if (!decoded.ok) return no(`Field ${JSON.stringify(field.name)}: ${decoded.problem}`);
    entries.push([field.name, decoded.value]);
  }
  return { ok: true, value: Object.fromEntries(entries) };
}

const notStated = new Set(['', 'null', 'none', 'n/a', 'na', 'unknown', 'not stated', 'not specified', 'not mentioned']);

/** Null says that the data do not state the field; so do a few words where the field is not text. */
function decodeField(value: JsonValue, field: StructField): Decoded {
  if (value === null) return { ok: true, value: null };
  const decoded = decodeValue(value, field.type);
  const stated = decoded.ok || typeof value !== 'string' || !notStated.has(bareWord(value).toLowerCase());
  return stated ? decoded : { ok: true, value: null };
}

/** The value under a key, or under the only key that is the same but for its case. */
export function fieldValue(object: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(object, name)) return object[name];
  const same = Object.keys(object).filter((key) => key.trim().toLowerCase() === name.toLowerCase());
  return same.length === 1 && same[0] !== undefined ? object[same[0]] : undefined;
}

export type JsonObject = { readonly [key: string]: JsonValue };

export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(value: JsonValue, wanted: string): Decoded {
  return no(`${shown(typeof value === 'string' ? value : JSON.stringify(value))} is not ${wanted}.`);
}
