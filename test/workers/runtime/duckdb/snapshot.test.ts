import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import * as arrow from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FermataError } from '../../../../plans/protocol/errors.js';
import type { TableInput } from '../../../../plans/protocol/run.js';
import { openDuckDb } from '../../../../workers/runtime/duckdb/session.js';
import { openWorkshop, type Workshop } from '../../../support/relations.js';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

async function rowsOf(object: string): Promise<readonly Record<string, unknown>[]> {
  const session = await openDuckDb({ tempDir: workshop.dir });
  try {
    const path = await workshop.store.localPath(object);
    return await session.rows(`SELECT * FROM read_parquet('${path}')`);
  } finally {
    await session.close();
  }
}

async function failure(bytes: string | Uint8Array, format: TableInput['format'], more?: Partial<TableInput>) {
  const error: unknown = await workshop.snapshot(bytes, format, more).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(FermataError.is(error), String(error)).toBe(true);
  return error as FermataError;
}

const notUtf8 = Buffer.from([0xff, 0xfe]);

describe('CSV', () => {
  test.each([
    ['too many values', 'a,b\n1,2\n3,4,5\n6,7\n', 3],
    ['too few values', 'a,b\n1,2\n3,4\n5\n6,7\n', 4],
    ['an open quote', 'a,b\n1,2\n3,"x\n', 3],
    ['invalid UTF-8', Buffer.concat([Buffer.from('a,b\n1,2\n3,"'), notUtf8, Buffer.from('"\n')]), 3],
  ])('%s: the line is named', async (_, bytes, line) => {
    const error = await failure(bytes, 'csv');
    expect(error).toMatchObject({ code: 'BadData', where: { line } });
    expect(error.message).toContain('data.csv');
    expect(error.message).not.toContain('store');
    expect(error.hint).toBeTruthy();
  });

  test('an empty file is told; a header alone is a table of 0 rows', async () => {
    expect((await failure('', 'csv')).code).toBe('BadData');
    expect(await workshop.snapshot('a,b\n', 'csv')).toMatchObject({ rows: 0, columns: [{ name: 'a' }, { name: 'b' }] });
  });

  test('quotes, line ends, braces, emoji, 1 MB cells, NULLs, semicolons', async () => {
    const big = 'é'.repeat(500_000);
    const table = await workshop.snapshot(`id;text\n1;"a ""b"";\n{0} 🍎"\n2;\n3;"${big}"\n`, 'csv');
    expect(await rowsOf(table.object)).toEqual([
      { id: 1n, text: 'a "b";\n{0} 🍎', __row: 0n },
      { id: 2n, text: null, __row: 1n },
      { id: 3n, text: big, __row: 2n },
    ]);
  });

  test('odd and repeated column names are kept apart', async () => {
    const table = await workshop.snapshot('a,A,"we""ird 🍎, x",select\n1,2,3,4\n', 'csv');
    expect(table.columns.map(({ name }) => name)).toEqual(['a', 'A_1', 'we"ird 🍎, x', 'select']);
  });

  test.each(['__row', '__ROW_x', '__a_f0', '__pos', '__in'])('the name %s is refused', async (name) => {
    expect(await failure(`${name},b\n1,2\n`, 'csv')).toMatchObject({ code: 'BadData', where: { column: name } });
  });

  test('types are found over the whole file', async () => {
    const lines = Array.from({ length: 30_000 }, (_, index) => String(index));
    const table = await workshop.snapshot(`a\n${lines.join('\n')}\nlast\n`, 'csv');
    expect(table).toMatchObject({ rows: 30_001, columns: [{ name: 'a', type: 'VARCHAR' }] });
  });

  test('tab-separated', async () => {
    const table = await workshop.snapshot('a\tb\n1,5\tx\n', 'tsv');
    expect(await rowsOf(table.object)).toEqual([{ a: '1,5', b: 'x', __row: 0n }]);
  });
});

describe('JSON', () => {
  test.each([
    ['a broken line', '{"a": 1}\n{"a": 2, "b":\n{"a": 3}\n', 2],
    ['a broken array', '[{"a": 1},\n {"a": 2},\n {"a": },\n {"a": 4}]\n', 3],
    ['no JSON at all', 'hello\n', 1],
    ['invalid UTF-8', Buffer.concat([Buffer.from('{"a": "x"}\n{"a": "'), notUtf8, Buffer.from('"}\n')]), 2],
  ])('%s: the line is named', async (_, bytes, line) => {
    expect(await failure(bytes, 'json')).toMatchObject({ code: 'BadData', where: { line } });
  });

  test('files without a record are told', async () => {
    expect((await failure('', 'json')).code).toBe('BadData');
    expect((await failure('[]', 'json')).code).toBe('BadData');
  });

  test.each([
    ['array', '[{"a": 1, "b": "x"}, {"a": 2}]'],
    ['lines', '{"a": 1, "b": "x"}\n{"a": 2}\n'],
  ])('%s', async (_, text) => {
    const table = await workshop.snapshot(text, 'json');
    expect(await rowsOf(table.object)).toEqual([
      { a: 1n, b: 'x', __row: 0n },
      { a: 2n, b: null, __row: 1n },
    ]);
  });
});

test('broken Parquet files are told', async () => {
  for (const bytes of ['', 'PAR1 but no more', 'x'.repeat(1000)]) {
    expect((await failure(bytes, 'parquet')).code).toBe('BadData');
  }
});

describe('DuckDB files', () => {
  async function databaseFile(): Promise<Uint8Array> {
    const path = join(workshop.dir, `user-${String(Math.random())}.db`);
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run(
      `CREATE TABLE reviews AS SELECT 1 AS a; CREATE SCHEMA s; CREATE TABLE s."we ird" AS SELECT 2 AS b`,
    );
    await connection.run(`CREATE VIEW spy AS SELECT * FROM read_text('/etc/hostname')`);
    connection.closeSync();
    instance.closeSync();
    return (await import('node:fs/promises')).readFile(path);
  }

  test('a table by name, in a schema too', async () => {
    const bytes = await databaseFile();
    expect(await workshop.snapshot(bytes, 'duckdb', { inner: 'Reviews' })).toMatchObject({
      rows: 1,
      columns: [{ name: 'a' }],
    });
    expect(await workshop.snapshot(bytes, 'duckdb', { inner: 's.we ird' })).toMatchObject({ columns: [{ name: 'b' }] });
  });

  test('a missing table names those that exist', async () => {
    const error = await failure(await databaseFile(), 'duckdb', { inner: 'reviws' });
    expect(error.code).toBe('UnknownTable');
    expect(error.message).toContain('reviews, spy, s.we ird');
    expect(error.hint).toContain('Did you mean "reviews"');
  });

  test('a view in the file cannot read other files', async () => {
    expect((await failure(await databaseFile(), 'duckdb', { inner: 'spy' })).code).toBe('BadData');
  });

  test('another kind of file is told', async () => {
    expect((await failure('x'.repeat(20_000), 'duckdb')).code).toBe('BadData');
  });
});

describe('Arrow IPC', () => {
  const columns = () => ({
    dict: arrow.vectorFromArray(['x', 'y', 'x', null], new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32())),
    at: arrow.vectorFromArray([0, 1_700_000_000_123, null, -1], new arrow.TimestampMillisecond()),
    list: arrow.vectorFromArray([[1, 2], [], null, [3]], new arrow.List(new arrow.Field('item', new arrow.Int32()))),
    struct: arrow.vectorFromArray(
      [{ a: 1 }, { a: null }, null, { a: 4 }],
      new arrow.Struct([new arrow.Field('a', new arrow.Int32())]),
    ),
    none: arrow.vectorFromArray([null, null, null, null], new arrow.Null()),
    flag: arrow.vectorFromArray([true, false, null, true], new arrow.Bool()),
    big: arrow.vectorFromArray([1n, -2n, null, 2n ** 62n], new arrow.Int64()),
  });

  test.each(['file', 'stream'] as const)('%s form', async (form) => {
    const table = await workshop.snapshot(arrow.tableToIPC(new arrow.Table(columns()), form), 'arrow');
    expect(table.columns.map(({ type }) => type)).toEqual([
      'VARCHAR',
      'TIMESTAMP_MS',
      'INTEGER[]',
      'STRUCT(a INTEGER)',
      'INTEGER',
      'BOOLEAN',
      'BIGINT',
    ]);
    const rows = await rowsOf(table.object);
    expect(rows.map((row) => String(row['at']))).toEqual([
      '1970-01-01 00:00:00',
      '2023-11-14 22:13:20.123',
      'null',
      '1969-12-31 23:59:59.999',
    ]);
    expect(
      rows.map((row) => [
        row['dict'],
        String(row['list']),
        String(row['struct']),
        row['none'],
        row['flag'],
        row['big'],
      ]),
    ).toEqual([
      ['x', '[1, 2]', "{'a': 1}", null, true, 1n],
      ['y', '[]', "{'a': NULL}", null, false, -2n],
      ['x', 'null', 'null', null, null, null],
      [null, '[3]', "{'a': 4}", null, true, 2n ** 62n],
    ]);
  });

  test('what is not Arrow is told', async () => {
    expect((await failure('no arrow', 'arrow')).code).toBe('BadData');
  });
});

describe('images and audio', () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );

  test('a declared column becomes references; text that looks like a path stays text', async () => {
    await writeFile(join(workshop.dir, 'one.png'), png);
    const table = await workshop.snapshot('id,pic,note\n1,one.png,see one.png\n2,,x\n3,one.png,y\n', 'csv', {
      image: ['PIC'],
    });
    const hash = await workshop.store.put(png);
    const ref = `object:image/png:${hash}`;
    expect(table.columns[1]).toEqual({ name: 'pic', type: 'VARCHAR', modality: 'image' });
    expect((await rowsOf(table.object)).map((row) => [row['pic'], row['note']])).toEqual([
      [ref, 'see one.png'],
      [null, 'x'],
      [ref, 'y'],
    ]);
  });

  test.each([
    ['missing', undefined],
    ['empty', Buffer.alloc(0)],
    ['cut', png.subarray(0, 60)],
    ['text', Buffer.from('I am no picture')],
    ['sound', Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(60)])],
  ])('a %s file is told with its row', async (name, bytes) => {
    if (bytes !== undefined) await writeFile(join(workshop.dir, `${name}.png`), bytes);
    await writeFile(join(workshop.dir, 'one.png'), png);
    const error = await failure(`id,pic\n1,one.png\n2,${name}.png\n`, 'csv', { image: ['pic'] });
    expect(error).toMatchObject({ code: 'BadMedia', where: { column: 'pic', row: 2 } });
    expect(error.message).toContain(`${name}.png`);
  });

  test('an unknown column and a wrong type are told', async () => {
    const error = await failure('id,picture\n1,x\n', 'csv', { image: ['pictre'] });
    expect(error.code).toBe('UnknownColumn');
    expect(error.hint).toContain('Did you mean "picture"');
    expect((await failure('id,picture\n1,x\n', 'csv', { image: ['id'] })).code).toBe('TypeMismatch');
  });

  test('BLOBs are stored', async () => {
    const data = new arrow.Table({ pic: arrow.vectorFromArray([png, null, png], new arrow.Binary()) });
    const table = await workshop.snapshot(arrow.tableToIPC(data), 'arrow', { image: ['pic'] });
    const ref = `object:image/png:${await workshop.store.put(png)}`;
    expect((await rowsOf(table.object)).map((row) => row['pic'])).toEqual([ref, null, ref]);
  });
});
