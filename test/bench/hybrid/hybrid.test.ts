import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { queries, schemas } from '../../../bench/hybrid/queries.js';
import { csvOf, truthOf } from '../../../bench/hybrid/schemas/table.js';
import { tpch, tpchRows } from '../../../bench/hybrid/schemas/tpch.js';
import { swanSql } from '../../../bench/hybrid/swan.js';
import { startPool } from '../../../bench/pool/start.js';
import { openBench } from '../../support/sql-plan-executor.js';

const named = (name: string) => schemas.find((schema) => schema.name === name)!;

describe('the schemas', () => {
  it('are as large as those of PLOP, Table 1', () => {
    const average = (name: string): number => {
      const { tables } = named(name);
      return Math.round(tables.reduce((sum, { rows }) => sum + rows.length, 0) / tables.length);
    };
    expect(['books', 'places', 'shops'].map(average)).toEqual([682, 1594, 1040]);
    expect(Object.fromEntries(tpch.tables.map(({ name, rows }) => [name, rows.length]))).toEqual(tpchRows);
  });

  it('ask about texts of which none is part of another, each once', () => {
    for (const { tables } of schemas) {
      for (const { name, rows, asked } of tables) {
        if (asked === undefined) continue;
        const texts = rows.map((row) => String(row[asked.column]));
        expect(new Set(texts).size, name).toBe(texts.length);
        // every text ends with a full stop and has none before
        for (const text of texts) expect(text.indexOf('.'), text).toBe(text.length - 1);
      }
    }
  });

  it('hold the keys that they name', () => {
    const rowsOf = (name: string) => tpch.tables.find((table) => table.name === name)!.rows;
    const keys = (table: string, ...columns: string[]): Set<string> =>
      new Set(rowsOf(table).map((row) => columns.map((column) => row[column]).join()));
    const isIn = (inner: Set<string>, outer: Set<string>): boolean => [...inner].every((key) => outer.has(key));
    expect(isIn(keys('lineitem', 'l_partkey', 'l_suppkey'), keys('partsupp', 'ps_partkey', 'ps_suppkey'))).toBe(true);
    expect(isIn(keys('lineitem', 'l_orderkey'), keys('orders', 'o_orderkey'))).toBe(true);
    expect(isIn(keys('orders', 'o_custkey'), keys('customer', 'c_custkey'))).toBe(true);
    expect(isIn(keys('partsupp', 'ps_partkey'), keys('part', 'p_partkey'))).toBe(true);
    expect(isIn(keys('partsupp', 'ps_suppkey'), keys('supplier', 's_suppkey'))).toBe(true);
    expect(keys('partsupp', 'ps_partkey', 'ps_suppkey').size).toBe(tpchRows.partsupp);
    expect(keys('lineitem', 'l_orderkey', 'l_linenumber').size).toBe(tpchRows.lineitem);
    expect(keys('orders', 'o_custkey').size).toBeLessThanOrEqual((tpchRows.customer / 3) * 2);
  });
});

describe('the queries in the words of SWAN-AISQL', () => {
  it('put the columns of a prompt beside its text, the others stay as they are', () => {
    expect(swanSql("SELECT a FROM t WHERE a > 1 AND AI_FILTER('Is it {t.x}, or {t.y}?') AND b = '{c}'")).toBe(
      "SELECT a FROM t WHERE a > 1 AND ai_FILTER('Is it ' || t.x || ', or ' || t.y || '?') AND b = '{c}'",
    );
    expect(swanSql("AI_CLASSIFY(r.txt, ['a', 'b'], {task_description: 'mood'}) AS m")).toBe(
      "ai_classify('mood: ' || r.txt, ['a', 'b']) AS m",
    );
  });

  it('hold no prompt of ours any more', () => {
    for (const { name, sql } of queries) expect(swanSql(sql), name).not.toMatch(/AI_|task_description|\{/);
  });
});

describe('the queries', () => {
  const joinsOf = (sql: string): number => sql.match(/ JOIN | EXISTS /g)?.length ?? 0;
  const promptsOf = (sql: string): readonly string[] =>
    Array.from(
      sql.matchAll(/AI_(?:FILTER|SCORE)\('([^']*)'|AI_CLASSIFY\(([\w.]+)/g),
      ([, prompt, column]) => prompt ?? `What is its mood? {${column}}`,
    );
  const aliases = (prompt: string): number =>
    new Set(Array.from(prompt.matchAll(/\{(\w+)\./g), ([, name]) => name)).size;
  const numbersOf = (test: (sql: string) => boolean): readonly number[] =>
    queries.flatMap(({ sql }, at) => (test(sql) ? [at + 1] : []));

  it('have the mix of PLOP §6.1', () => {
    expect(queries).toHaveLength(30);
    expect(numbersOf((sql) => !sql.includes('AI_FILTER'))).toEqual([1, 2, 3]);
    expect(numbersOf((sql) => promptsOf(sql).some((prompt) => aliases(prompt) === 2))).toEqual([
      16, 17, 25, 27, 28, 29, 30,
    ]);
    const joins = queries.map(({ sql }) => joinsOf(sql));
    expect([Math.min(...joins), Math.max(...joins)]).toEqual([1, 9]);
    expect(Math.max(...queries.map(({ sql }) => sql.match(/AI_FILTER/g)?.length ?? 0))).toBe(4);
    expect(new Set(queries.map(({ schema }) => schema.name))).toEqual(new Set(schemas.map(({ name }) => name)));
  });

  it('are planned under every placement, and their questions are ones that the pool can answer', async () => {
    const pool = await startPool({ truth: schemas.flatMap(truthOf), seed: 1, latencyScale: 0 });
    try {
      for (const schema of schemas) {
        const bench = await openBench(
          schema.tables.map(({ name, rows }) => `CREATE TABLE ${name} AS ${valuesOf(rows.slice(0, 3))}`),
        );
        for (const { name, sql } of queries.filter((query) => query.schema === schema)) {
          for (const placement of ['pushdown', 'pullup', 'cost', 'adaptive'] as const) {
            expect((await bench.plan(sql, placement)).final.sql, name).not.toBe('');
          }
          for (const prompt of promptsOf(sql))
            expect(await answered(pool.url, filled(prompt, sql, schema)), prompt).toBe(200);
        }
        bench.close();
      }
    } finally {
      await pool.close();
    }
  });

  function valuesOf(rows: readonly Readonly<Record<string, string | number>>[]): string {
    const cell = (value: string | number): string => (typeof value === 'number' ? String(value) : `'${value}'`);
    const lines = rows.map((row) => `(${Object.values(row).map(cell).join(', ')})`);
    return `SELECT * FROM (VALUES ${lines.join(', ')}) t(${Object.keys(rows[0] ?? {}).join(', ')})`;
  }

  /** The prompt with the texts of the first rows. */
  function filled(prompt: string, sql: string, { tables }: (typeof schemas)[number]): string {
    return prompt.replace(/\{(\w+)\.(\w+)\}/g, (_, alias: string, column: string) => {
      const table = new RegExp(`(?:FROM|JOIN) (\\w+) ${alias}\\b`).exec(sql)?.[1];
      const text = tables.find(({ name }) => name === table)?.rows[0]?.[column];
      expect(text, `${alias}.${column}`).toBeTypeOf('string');
      return String(text);
    });
  }

  async function answered(url: string, prompt: string): Promise<number> {
    const messages = [{ role: 'user', content: prompt }];
    const reply = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
      body: JSON.stringify({ model: 'sim-strong', messages }),
    });
    return reply.status;
  }
});

it('tables are CSV that DuckDB reads as it was meant', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'fermata-hybrid-'));
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  for (const table of named('books').tables) {
    const file = join(dir, `${table.name}.csv`);
    await writeFile(file, csvOf(table));
    const reader = await connection.runAndReadAll(`SELECT * FROM '${file}'`);
    expect(reader.getRowObjectsJson()).toHaveLength(table.rows.length);
    expect(reader.columnNames()).toEqual(Object.keys(table.rows[0] ?? {}));
  }
  connection.closeSync();
  await rm(dir, { recursive: true, force: true });
});
