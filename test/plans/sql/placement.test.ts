import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Placement } from '../../../plans/protocol/placement.js';
import { type Bench, openBench } from '../../support/sql-plan-executor.js';
import { standIn, standInMacros } from '../../support/sql-stand-ins.js';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench([
    ...standInMacros,
    "CREATE TABLE books AS SELECT i AS id, repeat('b', i) AS title FROM range(60) r(i)",
    // a tenth of the books have been lent, each of them to the same 20 readers
    'CREATE TABLE loans AS SELECT 9 * (i % 6) AS book, i // 6 AS reader FROM range(120) r(i)',
    "CREATE TABLE visits AS SELECT i % 20 AS reader, i AS day, repeat('v', i % 30) AS note FROM range(400) r(i)",
  ]);
});
afterAll(() => bench.close());

async function run(sql: string, placement: Placement) {
  const { rows, asked } = await bench.execute(await bench.plan(sql, placement), standIn, 1000);
  return { rows: rows.map((row) => JSON.stringify(row)).sort(), asked };
}

describe('placement by cost', () => {
  const from = 'FROM books b JOIN loans l ON l.book = b.id JOIN visits v ON v.reader = l.reader';

  it('decides a condition behind the join that leaves the fewest prompts, before the one that makes rows more', async () => {
    const plan = await bench.plan(`SELECT count(*) ${from} WHERE AI_FILTER('Is it a novel? {b.title}')`, 'cost');
    const [numbered, decided] = plan.before ?? [];
    expect(plan.before).toHaveLength(2);
    expect(numbered?.block.calls).toEqual([]);
    expect(decided?.block.calls.map(({ inputs }) => inputs.map(({ label }) => label))).toEqual([['b.title']]);
    expect(plan.calls).toEqual([]);
    const source = decided?.block.source.sql.replaceAll(
      numbered?.table ?? '',
      '(SELECT row_number() OVER () AS __key0, * FROM books)',
    );
    expect(await bench.query(`SELECT count(*) FROM (${source ?? ''})`)).toMatchObject({ rows: [['6']] });
  });

  it.each([
    `SELECT b.id, v.day ${from} WHERE AI_FILTER('Is it a novel? {b.title}')`,
    `SELECT b.id, v.day ${from} WHERE AI_FILTER('Is it a novel? {b.title}') AND AI_FILTER('Is it kind? {v.note}') AND v.day > 30`,
    `SELECT b.id, v.day ${from} WHERE AI_FILTER('Is {b.title} like {v.note}?') AND NOT AI_FILTER('{b.title}') AND b.id < 40`,
    `SELECT * FROM books b NATURAL JOIN (SELECT book AS id, reader FROM loans) l JOIN visits v USING (reader) WHERE AI_FILTER('{title}') AND AI_FILTER('{note}')`,
  ])('gives the rows of pushdown: %s', async (sql) => {
    const [low, cost] = [await run(sql, 'pushdown'), await run(sql, 'cost')];
    expect(cost.rows).toEqual(low.rows);
    expect(cost.rows.length).toBeGreaterThan(0);
  });
});
