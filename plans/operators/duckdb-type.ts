import type { OutputType } from './output.js';

const scalarTypes = {
  boolean: 'BOOLEAN',
  integer: 'BIGINT',
  number: 'DOUBLE',
  string: 'VARCHAR',
  date: 'DATE',
  enum: 'VARCHAR',
  vector: 'FLOAT[]',
} as const;

/**
 * The DuckDB type of the column that answers of this type become. An enum is VARCHAR: its labels are checked when the
 * answer is read, and a plain string compares and joins as users expect.
 *
 * @example duckdbType({ kind: 'list', item: { kind: 'integer' } }) // 'BIGINT[]'
 */
export function duckdbType(output: OutputType): string {
  if (output.kind === 'list') return `${duckdbType(output.item)}[]`;
  if (output.kind === 'struct') {
    const fields = output.fields.map((field) => `"${field.name.replaceAll('"', '""')}" ${duckdbType(field.type)}`);
    return `STRUCT(${fields.join(', ')})`;
  }
  return scalarTypes[output.kind];
}
