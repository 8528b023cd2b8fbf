import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FermataError } from '../../../../plans/protocol/errors.js';
import { aggregateFunctions, rowFunctions, unstableFunctions } from '../../../../plans/sql/duckdb-functions.js';
import { findNode, isClass, positionOf, text } from '../../../../plans/sql/tree.js';
import { fileFunctions } from '../../../../plans/sql/tokens.js';
import { createSqlDescriber } from '../../../../workers/runtime/duckdb/sql-describer.js';
import { createSqlParser } from '../../../../workers/runtime/duckdb/sql-parser.js';

let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

describe('createSqlParser', () => {
  it.each([
    'SELECT 9007199254740993, 12345678901234567890, 1.50, 1e-7, 10.0::DOUBLE, -0.5, 1e22, 123456789012345678901234567890.5, 0.1',
    "SELECT 'it''s {x} 😀', E'a\\nb\\\\', $$q'$$, '\\u0000number:5', DATE '2020-01-01', INTERVAL 3 DAY, [1, 2], {'a b': 1}",
    'SELECT * FROM range(20) TABLESAMPLE 100% ORDER BY 1',
    'SELECT sum(range) OVER (ORDER BY range ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM range(5) ORDER BY 1 DESC LIMIT 3 OFFSET 1',
    'WITH q AS (SELECT unnest([1, 2, 2]) AS a) SELECT a, count(*) FROM q GROUP BY ALL HAVING count(*) > 0 ORDER BY ALL',
    'SELECT range AS a, -range AS b FROM range(3) ORDER BY ALL DESC',
    'SELECT * FROM range(2) a(i) CROSS JOIN range(3) b(j) FULL JOIN range(5) c(k) ON i = k ORDER BY ALL',
    'SELECT * FROM range(2) a(i) CROSS JOIN range(3) b(j) FULL JOIN range(5) c(k) ON j = k ORDER BY ALL',
    'SELECT * FROM range(9) c(k) LEFT JOIN (range(2) a(i) CROSS JOIN range(3) b(j)) ON j = k ORDER BY ALL',
    'SELECT * FROM range(2) a(i), (SELECT [i, 5] AS l) b, unnest(l) u(x) LEFT JOIN range(9) c(k) ON x = k ORDER BY ALL',
  ])('gives the same rows after both ways: %s', async (sql) => {
    const parser = createSqlParser(connection);
    const [tree] = await parser.serialize(sql);
    const back = await parser.deserialize(tree!);
    const rows = async (query: string): Promise<unknown> => (await connection.runAndReadAll(query)).getRowsJson();
    expect(await rows(back)).toEqual(await rows(sql));
  });

  it('gives places in UTF-16 units, in nodes and in syntax errors', async () => {
    const parser = createSqlParser(connection);
    const sql = "SELECT 'é😀', /* 漢 */ f(x) FROM t";
    const [tree] = await parser.serialize(sql);
    const call = findNode(tree, (node) => isClass(node, 'FUNCTION') && text(node, 'function_name') === 'f');
    expect(positionOf(call!)).toBe(sql.indexOf('f(x)'));
    const broken = "SELECT 'é😀', /* 漢 */ f(x) FRM t";
    await expect(parser.serialize(broken)).rejects.toMatchObject({
      code: 'SqlSyntax',
      where: { position: broken.lastIndexOf('t') },
    });
  });

  it('returns every statement, and refuses what is no query', async () => {
    const parser = createSqlParser(connection);
    expect(await parser.serialize('SELECT 1; SELECT 2;')).toHaveLength(2);
    for (const sql of [
      'CREATE TABLE x(a INT)',
      'DELETE FROM x',
      "COPY x TO 'y'",
      'PRAGMA version',
      'SET threads = 1',
      'EXPLAIN SELECT 1',
    ]) {
      await expect(parser.serialize(sql), sql).rejects.toMatchObject({ code: 'UnsupportedSql' });
    }
  });
});

describe('createSqlDescriber', () => {
  it('binds against the schemas without rows', async () => {
    const own = await DuckDBInstance.create(':memory:');
    const { describe: describeSql, declare } = await createSqlDescriber(await own.connect(), [
      {
        name: 'a "b".csv',
        columns: [
          { name: 'x"y', type: 'STRUCT(a INTEGER, "b c" VARCHAR[])' },
          { name: 'n', type: 'DECIMAL(9,2)' },
        ],
      },
    ]);
    expect(await describeSql('SELECT "x""y", n * 2 AS m FROM "a ""b"".csv"')).toEqual([
      { name: 'x"y', type: 'STRUCT(a INTEGER, "b c" VARCHAR[])' },
      { name: 'm', type: expect.stringMatching(/DECIMAL/) },
    ]);
    const codeOf = (sql: string): Promise<unknown> =>
      describeSql(sql).then(
        () => 'bound',
        (error: unknown) => (error as FermataError).code,
      );
    expect(await codeOf('SELECT k FROM "a ""b"".csv"')).toBe('UnknownColumn');
    expect(await codeOf('SELECT t.k FROM "a ""b"".csv" AS t')).toBe('UnknownColumn');
    expect(await codeOf('SELECT q.k FROM "a ""b"".csv" AS t')).toBe('UnknownTable');
    expect(await codeOf('SELECT 1 FROM nope')).toBe('UnknownTable');
    expect(await codeOf('SELECT nope(1)')).toBe('UnknownFunction');
    expect(await codeOf('SELECT upper([1])')).toBe('TypeMismatch');
    await declare({ name: 'nope', columns: [{ name: 'a', type: 'BIGINT' }] });
    expect(await codeOf('SELECT a FROM nope')).toBe('bound');
    own.closeSync();
  });
});

describe('the tables of DuckDB functions agree with its catalog', () => {
  const names = async (where: string): Promise<string[]> => {
    const reader = await connection.runAndReadAll(
      `SELECT DISTINCT function_name FROM duckdb_functions() WHERE ${where}`,
    );
    return reader.getRows().map(([name]) => String(name));
  };

  it('aggregates', async () => {
    const aggregates = await names("function_type = 'aggregate'");
    expect(aggregates.filter((name) => !aggregateFunctions.has(name))).toEqual([]);
  });
  it('macros over aggregates', async () => {
    const reader = await connection.runAndReadAll(
      "SELECT DISTINCT function_name, macro_definition FROM duckdb_functions() WHERE function_type = 'macro'",
    );
    const folding = (reader.getRows() as [string, string | null][]).filter(([, definition]) =>
      [...(definition ?? '').matchAll(/(\w+)\(/g)].some(([, name]) => aggregateFunctions.has(name!)),
    );
    expect(folding.map(([name]) => name).filter((name) => !aggregateFunctions.has(name))).toEqual([]);
  });
  it('functions that do not repeat their value', async () => {
    const unstable = await names("stability <> 'CONSISTENT'");
    expect(unstable.filter((name) => !unstableFunctions.has(name))).toEqual([]);
  });
  it('functions in FROM', async () => {
    const tables = new Set([...(await names("function_type LIKE 'table%'")), 'generate_subscripts']);
    expect([...rowFunctions, ...fileFunctions].filter((name) => !tables.has(name))).toEqual([]);
  });
});
