import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planText } from '../../../plans/algebra/text.js';
import { relationalSql } from '../../../plans/algebra/sql.js';
import { operatorsOf, schemaOf } from '../../../plans/algebra/walk.js';
import { bag, evaluate, type Row, type Tables } from '../../support/algebra/evaluate.js';
import { choices, planFrom, relations, tables } from '../../support/algebra/random-plan.js';

/** CADENZA §3, Conservativity: without tasks, the algebra is relational algebra. DuckDB says what that is. */

let instance: DuckDBInstance;
let connection: Awaited<ReturnType<DuckDBInstance['connect']>>;

beforeAll(async () => {
  instance = await DuckDBInstance.create();
  connection = await instance.connect();
});

afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

const sqlTypes: Readonly<Record<string, string>> = { Text: 'VARCHAR', Image: 'VARCHAR' };

async function load(content: Tables): Promise<void> {
  for (const [name, { schema }] of Object.entries(relations)) {
    const columns = schema.map((attribute) => `"${attribute.name}" ${sqlTypes[attribute.type] ?? attribute.type}`);
    await connection.run(`CREATE OR REPLACE TABLE ${name} (${columns.join(', ')})`);
    const rows = (content[name] ?? []).map(
      (row) => `(${schema.map((attribute) => sqlValue(row[attribute.name])).join(', ')})`,
    );
    if (rows.length > 0) await connection.run(`INSERT INTO ${name} VALUES ${rows.join(', ')}`);
  }
}

function sqlValue(value: Row[string] | undefined): string {
  return value === null || value === undefined ? 'NULL' : typeof value === 'string' ? `'${value}'` : String(value);
}

async function duckdbRows(sql: string): Promise<{ rows: readonly Row[]; types: readonly string[] }> {
  const reader = await connection.runAndReadAll(sql);
  const rows = reader
    .getRowObjectsJS()
    .map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
      ),
    );
  return { rows: rows as Row[], types: reader.columnTypes().map((type) => type.toString()) };
}

test('random DAGs of σ π ⋈ γ ∪ top-k give the bag and the types that DuckDB gives', async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(tables, fc.array(choices, { minLength: 1, maxLength: 12 }), async (content, drafts) => {
      await load(content);
      for (const numbers of drafts) {
        const plan = planFrom(numbers);
        for (const { kind } of operatorsOf(plan)) seen.set(kind, (seen.get(kind) ?? 0) + 1);
        const sql = relationalSql(plan);
        const { rows, types } = await duckdbRows(sql);
        expect(bag(evaluate(plan, content)), `${planText(plan)}\n${sql}`).toEqual(bag(rows));
        expect(schemaOf(plan).map(({ type }) => sqlTypes[type] ?? type)).toEqual(types);
      }
    }),
    { numRuns: 250, plugins: [fc.interruptAfterTimeLimit(10_000)] },
  );
  // a generator that never made some kind would test nothing of it
  for (const kind of ['select', 'project', 'join', 'group', 'union', 'topk'])
    expect(seen.get(kind), kind).toBeGreaterThan(40);
}, 20_000);
