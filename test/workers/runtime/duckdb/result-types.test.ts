import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { convertResult } from '../../../../workers/runtime/duckdb/convert-result.js';
import { openDuckDb } from '../../../../workers/runtime/duckdb/session.js';
import { openWorkshop, simulate, type Workshop } from '../../../support/relations.js';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

/** A literal, the Arrow type that it becomes, and the DuckDB type that Parquet gives back. */
const types = [
  ['true', 'Bool', 'BOOLEAN'],
  ['1::TINYINT', 'Int8', 'TINYINT'],
  ['(-2)::SMALLINT', 'Int16', 'SMALLINT'],
  ['3::INTEGER', 'Int32', 'INTEGER'],
  ['(-9223372036854775808)::BIGINT', 'Int64', 'BIGINT'],
  ['255::UTINYINT', 'Uint8', 'UTINYINT'],
  ['65535::USMALLINT', 'Uint16', 'USMALLINT'],
  ['4294967295::UINTEGER', 'Uint32', 'UINTEGER'],
  ['18446744073709551615::UBIGINT', 'Uint64', 'UBIGINT'],
  ['-170000000000000000000000000000000000::HUGEINT', 'Decimal[38e0]', 'DECIMAL(38,0)'],
  ['5::UHUGEINT', 'Utf8', 'VARCHAR'],
  ['1.5::FLOAT', 'Float32', 'FLOAT'],
  ['-0.1::DOUBLE', 'Float64', 'DOUBLE'],
  ['-12.345::DECIMAL(10,3)', 'Decimal[10e+3]', 'DECIMAL(10,3)'],
  [`'a🍎"'`, 'Utf8', 'VARCHAR'],
  [`'\\x00\\xFF'::BLOB`, 'Binary', 'BLOB'],
  [`DATE '1969-12-31'`, 'Date32<DAY>', 'DATE'],
  [`TIME '10:20:30.123456'`, 'Time64<MICROSECOND>', 'TIME'],
  [`TIMESTAMP '2024-01-02 03:04:05.678901'`, 'Timestamp<MICROSECOND>', 'TIMESTAMP'],
  [`TIMESTAMP_S '2024-01-02 03:04:05'`, 'Timestamp<SECOND>', 'TIMESTAMP'],
  [`TIMESTAMP_MS '2024-01-02 03:04:05.678'`, 'Timestamp<MILLISECOND>', 'TIMESTAMP'],
  [`TIMESTAMP_NS '2024-01-02 03:04:05.678901234'`, 'Timestamp<NANOSECOND>', 'TIMESTAMP_NS'],
  [`TIMESTAMPTZ '2024-01-02 03:04:05+00'`, 'Timestamp<MICROSECOND, UTC>', 'TIMESTAMP WITH TIME ZONE'],
  [`INTERVAL 3 DAY`, 'Utf8', 'VARCHAR'],
  [`'6ba7b810-9dad-11d1-80b4-00c04fd430c8'::UUID`, 'Utf8', 'VARCHAR'],
  [`'b'::ENUM ('a', 'b')`, 'Utf8', 'VARCHAR'],
  [`'{"a": [1]}'::JSON`, 'Utf8', 'VARCHAR'],
  [`'101'::BIT`, 'Utf8', 'VARCHAR'],
  ['[1, NULL, 3]', 'List<Int32>', 'INTEGER[]'],
  [`[['a'], []]`, 'List<List<Utf8>>', 'VARCHAR[][]'],
  ['[1.5, 2.5]::DOUBLE[2]', 'FixedSizeList[2]<Float64>', 'DOUBLE[]'],
  [`{'x': 1, 'y y': ['a', NULL]}`, 'Struct<{x:Int32, y y:List<Utf8>}>', 'STRUCT(x INTEGER, "y y" VARCHAR[])'],
  [`MAP {'k': 1, 'l': NULL}`, 'Map<{key:Utf8, value:Int32}>', 'MAP(VARCHAR, INTEGER)'],
  ['NULL', 'Int32', 'INTEGER'],
] as const;

test('every type crosses Arrow with its values and NULLs, and comes back through Parquet', async () => {
  const table = await workshop.snapshot('id\n1\n2\n3\n', 'csv');
  const columns = types.map(([literal], index) => `${literal} AS c${String(index)}`);
  const sql = `SELECT v.* FROM __rows AS t LEFT JOIN (SELECT ${columns.join(', ')}) AS v ON t.id <> 2 ORDER BY t.id`;
  const run = await simulate(workshop, table, { calls: [], finalSql: sql, answer: () => ({ state: 'null' }) });
  expect(run.rows.schema.fields.map((field) => String(field.type))).toEqual(types.map(([, arrowType]) => arrowType));
  expect(run.final.rows).toMatchObject({ count: 3 });
  expect(run.rows.schema.fields[9]?.metadata.get('duckdb.type')).toBe('HUGEINT');

  const arrowPath = join(workshop.dir, 'result.arrow');
  await writeFile(arrowPath, await workshop.store.get(run.final.rows.object));
  const outPath = join(workshop.dir, 'result.parquet');
  await convertResult({ arrowPath, format: 'parquet', outPath, tempDir: workshop.dir });
  const session = await openDuckDb({ tempDir: workshop.dir });
  try {
    const read = `SELECT * FROM read_parquet('${outPath}')`;
    expect((await session.describe(read)).map(({ type }) => type)).toEqual(types.map(([, , type]) => type));
    const got = await session.rows(
      `SELECT ${types.map((_, index) => `c${String(index)}::VARCHAR AS c${String(index)}`).join(', ')} FROM (${read})`,
    );
    const [want] = await session.rows(
      `SELECT ${types.map(([literal], index) => `(${literal})::VARCHAR AS c${String(index)}`).join(', ')}`,
    );
    expect(got[0]).toEqual(want);
    expect(got[2]).toEqual(want);
    expect(Object.values(got[1] ?? {}).every((value) => value === null)).toBe(true);
  } finally {
    await session.close();
  }
  const csvPath = join(workshop.dir, 'result.csv');
  await convertResult({ arrowPath, format: 'csv', outPath: csvPath, tempDir: workshop.dir });
  expect((await workshop.snapshot(await (await import('node:fs/promises')).readFile(csvPath), 'csv')).rows).toBe(3);
});

test('names of columns may repeat', async () => {
  const table = await workshop.snapshot('id\n1\n', 'csv');
  const run = await simulate(workshop, table, {
    calls: [],
    finalSql: 'SELECT id AS a, id + 1 AS a FROM __rows AS t',
    answer: () => ({ state: 'null' }),
  });
  expect(run.rows.schema.fields.map(({ name }) => name)).toEqual(['a', 'a']);
});
