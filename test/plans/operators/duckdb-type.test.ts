import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { duckdbType } from '../../../plans/operators/duckdb-type.js';
import type { OutputType } from '../../../plans/operators/output.js';

it('names a type that DuckDB reads back as the same type', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const scalars: OutputType[] = [
    { kind: 'boolean' },
    { kind: 'integer' },
    { kind: 'number', min: 0 },
    { kind: 'string' },
    { kind: 'date' },
    { kind: 'enum', values: ["it's", '"q"'] },
  ];
  const names = ['plain', 'a b', 'qu"ote', 'select', 'Ünï😀', "it's"];
  const struct: OutputType = { kind: 'struct', fields: scalars.map((type, i) => ({ name: names[i]!, type })) };
  const all: OutputType[] = [
    ...scalars,
    struct,
    { kind: 'list', item: struct },
    { kind: 'list', item: { kind: 'list', item: { kind: 'date' } } },
  ];
  for (const output of all) {
    const type = duckdbType(output);
    const reader = await connection.runAndReadAll(`SELECT typeof(NULL::${type}), NULL::${type} AS v`);
    const again = String(reader.getRows()[0]?.[0]);
    expect((await connection.runAndReadAll(`SELECT typeof(NULL::${again})`)).getRows()[0]?.[0]).toBe(again);
    if (output.kind === 'struct') expect(reader.columnTypeJson(1)).toMatchObject({ entryNames: names });
  }
  expect(scalars.map(duckdbType)).toEqual(['BOOLEAN', 'BIGINT', 'DOUBLE', 'VARCHAR', 'DATE', 'VARCHAR']);
  connection.closeSync();
  instance.closeSync();
});
