import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordHistory } from '../replay/record.js';
import { type Engine, startEngine } from '../support/engine.js';

/** A query with nested queries that ask: each block's activities, in their order, with what the earlier ones found. */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine({
    oracle: { answer: (prompt) => ({ text: JSON.stringify({ answer: /item \d*[13579]\b/.test(prompt) }) }) },
  });
}, 120_000);
afterAll(() => engine.close());

const csv = `id,txt\n${[...Array(90).keys()].map((id) => `${id},item ${id}`).join('\n')}\n`;
const sql =
  "WITH odd AS (SELECT * FROM t WHERE AI_FILTER('Odd? {txt}')) " +
  "SELECT a.id FROM odd a JOIN (SELECT id FROM odd WHERE AI_FILTER('Still odd? {txt}') LIMIT 5) b USING (id) WHERE AI_FILTER('And now? {a.txt}') ORDER BY id";

test('blocks run one after the other; a rerun is free', async () => {
  const run = await engine.start(sql, csv);
  expect((await run.rows()).map(({ id }) => Number(id))).toEqual([1, 3, 5, 7, 9]);
  const { operators, spend } = await run.result();
  expect(operators.map(({ id, calls }) => [id, calls])).toEqual([
    ['f0', 90],
    ['f1', expect.any(Number)],
    ['f2', 5],
  ]);
  expect(operators[1]!.calls).toBeLessThanOrEqual(45);
  await recordHistory(engine.client, run.id, undefined, 'nested-query');

  const again = await engine.start(sql, csv);
  expect((await again.rows()).map(({ id }) => Number(id))).toEqual([1, 3, 5, 7, 9]);
  expect((await again.result()).spend.calls).toBe(0);
  expect(spend.calls).toBe(operators.reduce((sum, { calls }) => sum + calls, 0));
});

test('a stop in the first block asks nothing in the later ones, and says what is missing', async () => {
  const run = await engine.start(sql.replaceAll('odd?', 'uneven?').replace('Odd?', 'Uneven?'), csv, {
    budget: { calls: 30 },
  });
  const result = await run.result();
  expect(result.stop).toBe('budget-calls');
  expect(result.spend.calls).toBe(30);
  expect(result.undecided).toBeGreaterThanOrEqual(60);
});
