import type { AttributeType, TypeClass } from '../relation/types.js';
import { classOf } from '../relation/types.js';

/** A function that expressions may call. All are deterministic, and read content or metadata, never meaning. */
export interface FunctionRow {
  /** Classes of the arguments; the last one repeats where `variadic` is set. `any` takes every class. */
  readonly takes: readonly (TypeClass | 'any')[];
  /** How many arguments may be left out, counted from the end. */
  readonly optional?: number;
  readonly variadic?: true;
  readonly gives: (types: readonly AttributeType[]) => AttributeType;
  /** DuckDB SQL of a call, of the arguments as SQL. Undefined where only a worker that holds the media can tell. */
  readonly sql?: (items: readonly string[]) => string;
}

const fixed = (type: AttributeType) => (): AttributeType => type;
const named =
  (name: string) =>
  (items: readonly string[]): string =>
    `${name}(${items.join(', ')})`;

/** Reads its arguments' classes from here, prints as DuckDB reads it: a new function is one row. */
export const functions: Readonly<Record<string, FunctionRow>> = {
  length: { takes: ['text'], gives: fixed('BIGINT'), sql: named('length') },
  lower: { takes: ['text'], gives: fixed('VARCHAR'), sql: named('lower') },
  upper: { takes: ['text'], gives: fixed('VARCHAR'), sql: named('upper') },
  trim: { takes: ['text'], gives: fixed('VARCHAR'), sql: named('trim') },
  contains: { takes: ['text', 'text'], gives: fixed('BOOLEAN'), sql: named('contains') },
  starts_with: { takes: ['text', 'text'], gives: fixed('BOOLEAN'), sql: named('starts_with') },
  ends_with: { takes: ['text', 'text'], gives: fixed('BOOLEAN'), sql: named('suffix') },
  regexp_matches: { takes: ['text', 'text'], gives: fixed('BOOLEAN'), sql: named('regexp_matches') },
  like: {
    takes: ['text', 'text'],
    gives: fixed('BOOLEAN'),
    sql: ([text = '', pattern = '']) => `(${text} LIKE ${pattern})`,
  },
  concat: { takes: ['any'], variadic: true, gives: fixed('Text'), sql: named('concat') },
  json_text: { takes: ['text', 'text'], gives: fixed('VARCHAR'), sql: named('json_extract_string') },
  to_number: {
    takes: ['any'],
    gives: fixed('DOUBLE'),
    sql: ([item = '']) => `TRY_CAST(${item} AS DOUBLE)`,
  },
  to_text: { takes: ['any'], gives: fixed('VARCHAR'), sql: ([item = '']) => `CAST(${item} AS VARCHAR)` },
  abs: { takes: ['number'], gives: ([type = 'DOUBLE']) => type, sql: named('abs') },
  round: { takes: ['number', 'number'], optional: 1, gives: fixed('DOUBLE'), sql: named('round') },
  year: { takes: ['time'], gives: fixed('BIGINT'), sql: named('year') },
  month: { takes: ['time'], gives: fixed('BIGINT'), sql: named('month') },
  coalesce: { takes: ['any'], variadic: true, gives: ([type = 'VARCHAR']) => type, sql: named('coalesce') },
  cosine: { takes: ['vector', 'vector'], gives: fixed('DOUBLE'), sql: named('list_cosine_similarity') },
  file_bytes: { takes: ['any'], gives: fixed('BIGINT') },
  image_width: { takes: ['image'], gives: fixed('BIGINT') },
  image_height: { takes: ['image'], gives: fixed('BIGINT') },
  audio_seconds: { takes: ['audio'], gives: fixed('DOUBLE') },
};

/** Aggregates of γ. `of` is the class that an aggregate takes; `number` and `plain` leave semantic types out. */
export interface AggregateRow {
  readonly takes: 'nothing' | 'number' | 'plain' | 'text' | 'any';
  readonly gives: (type: AttributeType) => AttributeType;
  /** DuckDB SQL of an aggregate, of its argument and its order as SQL; order is empty where none is asked. */
  readonly sql: (item: string, order: string) => string;
}

export const aggregates = {
  count: { takes: 'nothing', gives: fixed('BIGINT'), sql: (item) => (item === '' ? 'count(*)' : `count(${item})`) },
  count_distinct: { takes: 'any', gives: fixed('BIGINT'), sql: (item) => `count(DISTINCT ${item})` },
  sum: { takes: 'number', gives: sumType, sql: (item) => `sum(${item})` },
  avg: { takes: 'number', gives: fixed('DOUBLE'), sql: (item) => `avg(${item})` },
  min: { takes: 'plain', gives: (type) => type, sql: (item) => `min(${item})` },
  max: { takes: 'plain', gives: (type) => type, sql: (item) => `max(${item})` },
  list: { takes: 'any', gives: (type) => `${type}[]`, sql: (item, order) => `list(${item}${order})` },
  string_agg: { takes: 'text', gives: fixed('Text'), sql: (item, order) => `string_agg(${item}, ' '${order})` },
} as const satisfies Record<string, AggregateRow>;

export type AggregateName = keyof typeof aggregates;

export function isAggregate(name: string): name is AggregateName {
  return Object.hasOwn(aggregates, name);
}

function sumType(type: AttributeType): AttributeType {
  if (type === 'FLOAT' || type === 'DOUBLE') return 'DOUBLE';
  const scale = /^DECIMAL\(\s*\d+\s*,\s*(\d+)\s*\)$/.exec(type)?.[1];
  return scale === undefined ? 'HUGEINT' : `DECIMAL(38,${scale})`;
}

/** Whether an argument of this type may stand where the row of a function asks for `takes`. */
export function accepts(takes: TypeClass | 'any', type: AttributeType): boolean {
  return takes === 'any' || classOf(type) === takes;
}
