import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, startEngine } from '../support/engine.js';

/** How many rows a LIMIT asks about: real workflows, ledger and DuckDB, a scripted model that answers at once. */

const passes = (text: string): boolean => (Number(/row (\d+)/.exec(text)?.[1]) * 7919) % 10 < 2;
let engine: Engine;
let asked: string[] = [];
beforeAll(async () => {
  engine = await startEngine({
    oracle: {
      answer: (prompt) => {
        asked.push(prompt);
        return { text: JSON.stringify({ answer: prompt.includes('never') ? false : passes(prompt) }) };
      },
    },
  });
}, 120_000);
afterAll(() => engine.close());

const csv = (rows: number): string =>
  `id,text\n${Array.from({ length: rows }, (_, at) => `${at},row ${at} of many`).join('\n')}\n`;
const firstIds = (rows: number, count: number): readonly number[] =>
  Array.from({ length: rows }, (_, at) => at)
    .filter((at) => passes(`row ${at}`))
    .slice(0, count);

async function ask(sql: string, rows: number) {
  asked = [];
  const run = await engine.start(sql, csv(rows), { cache: false });
  const result = await run.result();
  return { ids: (await run.rows()).map((row) => Number(row['id'])), calls: asked.length, stop: result.stop };
}
const filter = "AI_FILTER('Is it so? {text}')";

test.each([
  [1, 10],
  [5, 50],
  [20, 180],
  [100, 700],
])('LIMIT %i asks about little more than is needed, and answers as ever', async (count, most) => {
  const { ids, calls, stop } = await ask(`SELECT id FROM t WHERE ${filter} LIMIT ${count}`, 10_000);
  expect([ids, stop]).toEqual([firstIds(10_000, count), 'complete']);
  expect(calls).toBeLessThanOrEqual(most);
  expect(calls).toBeGreaterThanOrEqual(Number(ids.at(-1)) + 1);
});

test('rows that hardly ever pass: waves grow, and all rows are asked in the end', async () => {
  const rare = await ask("SELECT id FROM t WHERE AI_FILTER('Is it so, never? {text}') LIMIT 3", 1000);
  expect([rare.ids, rare.calls, rare.stop]).toEqual([[], 1000, 'complete']);
  const waves = await engine.client.workflow.count(`WorkflowType = 'apply' AND WorkflowId STARTS_WITH 'q-engine-5/'`);
  expect(waves.count).toBeLessThanOrEqual(7);
});

test('OFFSET, ORDER BY and values', async () => {
  const sql = `SELECT id, AI_COMPLETE('Name {text}') AS n FROM t WHERE ${filter} ORDER BY id DESC LIMIT 2 OFFSET 3`;
  const { ids, calls } = await ask(sql, 500);
  const wanted = firstIds(500, 500).toReversed().slice(3, 5);
  expect(ids).toEqual(wanted);
  expect(calls).toBeLessThanOrEqual(45);
});

test('LIMIT 0 asks nothing', async () => {
  expect(await ask(`SELECT id FROM t WHERE ${filter} LIMIT 0`, 100)).toMatchObject({ ids: [], calls: 0 });
});

test('a dry run expects what a run takes', async () => {
  const sql = `SELECT id FROM t WHERE ${filter} LIMIT 20`;
  const { calls } = await ask(sql, 5000);
  const { total } = await engine.estimate(sql, csv(5000));
  expect(Math.abs(total.calls.expected - calls) / calls).toBeLessThanOrEqual(0.2);
});
