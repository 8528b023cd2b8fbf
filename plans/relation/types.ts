/**
 * Types of attributes: those of DuckDB by their SQL name (`BIGINT`, `VARCHAR[]`, …), and the four whose values are
 * semantic objects. CADENZA §3, D_syn and D_sem.
 */
export type AttributeType = string;

/** Types over which no meaning can be decided by comparing values. */
export const semanticTypes = ['Text', 'Image', 'Audio', 'Vector'] as const;

export type SemanticType = (typeof semanticTypes)[number];

/** What decides whether two values may be compared, and which functions take them. */
export type TypeClass = 'boolean' | 'number' | 'text' | 'time' | 'image' | 'audio' | 'vector' | 'blob' | 'nested';

const classes: Readonly<Record<string, TypeClass>> = {
  Text: 'text',
  Image: 'image',
  Audio: 'audio',
  Vector: 'vector',
  BOOLEAN: 'boolean',
  TINYINT: 'number',
  SMALLINT: 'number',
  INTEGER: 'number',
  BIGINT: 'number',
  HUGEINT: 'number',
  UTINYINT: 'number',
  USMALLINT: 'number',
  UINTEGER: 'number',
  UBIGINT: 'number',
  FLOAT: 'number',
  DOUBLE: 'number',
  DECIMAL: 'number',
  VARCHAR: 'text',
  UUID: 'text',
  ENUM: 'text',
  JSON: 'text',
  DATE: 'time',
  TIME: 'time',
  TIMESTAMP: 'time',
  'TIMESTAMP WITH TIME ZONE': 'time',
  INTERVAL: 'time',
  BLOB: 'blob',
};

const aliases: Readonly<Record<string, AttributeType>> = {
  TEXT: 'Text',
  IMAGE: 'Image',
  AUDIO: 'Audio',
  VECTOR: 'Vector',
  STRING: 'VARCHAR',
  CHAR: 'VARCHAR',
  INT: 'INTEGER',
  LONG: 'BIGINT',
  REAL: 'FLOAT',
  NUMBER: 'DOUBLE',
  NUMERIC: 'DECIMAL(18,3)',
  BOOL: 'BOOLEAN',
  DATETIME: 'TIMESTAMP',
  TIMESTAMPTZ: 'TIMESTAMP WITH TIME ZONE',
};

/**
 * The type as it is written here, or undefined for a name that is no type.
 *
 * @example normalizeType('image') // 'Image'
 * @example normalizeType('int[]') // 'INTEGER[]'
 */
export function normalizeType(name: string): AttributeType | undefined {
  const trimmed = name.trim();
  if (trimmed.length > 2000) return undefined;
  const list = /^(.*)\[(\d*)\]$/s.exec(trimmed);
  if (list !== null) {
    const item = normalizeType(list[1] ?? '');
    return item === undefined ? undefined : `${item}[${list[2] ?? ''}]`;
  }
  const upper = trimmed.toUpperCase();
  if (/^(STRUCT|MAP|UNION)\s*\(.*\)$/s.test(upper)) return trimmed;
  const known = aliases[upper] ?? upper;
  return classOf(known) === undefined ? undefined : known;
}

/** Undefined for a name that is no type. */
export function classOf(type: AttributeType): TypeClass | undefined {
  if (type.endsWith(']') || /^(STRUCT|MAP|UNION)\s*\(/i.test(type)) return 'nested';
  const base = type.replace(/\s*\(.*\)$/s, '');
  return Object.hasOwn(classes, base) ? classes[base] : undefined;
}

export function isSemantic(type: AttributeType): type is SemanticType {
  return (semanticTypes as readonly string[]).includes(type);
}

/** Whether values of one type may stand where the other is asked for: VARCHAR serves as Text, INTEGER as DOUBLE. */
export function isAssignable(from: AttributeType, to: AttributeType): boolean {
  if (from === to) return true;
  const target = classOf(to);
  return target !== undefined && target !== 'nested' && classOf(from) === target;
}

/** Whether a question can be answered by values of the type: texts, numbers, truth values, times, and lists of them. */
export function isAnswerType(type: AttributeType): boolean {
  const list = /^(.*)\[\d*\]$/s.exec(type);
  if (list !== null) return isAnswerType(list[1] ?? '');
  return ['boolean', 'number', 'text', 'time'].includes(classOf(type) ?? '');
}
