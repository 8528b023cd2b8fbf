import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, startEngine } from '../support/engine.js';
import { askRows, csvOf, itemsOf, joining, noGroupFaults, numbersIn } from '../support/groups.js';

/** Aggregates in SQL, through real workflows, activities, store, ledger and DuckDB. */

let engine: Engine;
const isEven = (prompt: string): boolean => numbersIn(itemsOf(prompt)[0] ?? prompt)[0]! % 2 === 0;
beforeAll(async () => {
  engine = await startEngine({
    oracle: joining(noGroupFaults()),
    verdict: { answer: (prompt) => ({ text: JSON.stringify({ answer: isEven(prompt) }) }) },
    kind: { answer: (prompt) => ({ text: JSON.stringify({ answer: isEven(prompt) ? 'even' : 'odd' }) }) },
  });
}, 120_000);
afterAll(() => engine.close());

const ask = (sql: string, csv: string, options: Parameters<Engine['start']>[2] = {}) =>
  askRows(engine, sql, csv, options);

const six = csvOf([
  [1, 'a', '#1', 5],
  [2, 'b', '#2', 4],
  [3, 'a', '#3', 3],
  [4, 'b', '#4', 2],
  [5, 'a', '#3', 1],
  [6, '', '', 0],
]);
describe('AI_AGG', () => {
  test('answers each group, with its key in the result (lotus/issues/168); NULL inputs are skipped', async () => {
    const sql = "SELECT g, AI_AGG(text, 'join') AS j, count(*) AS n FROM t GROUP BY g ORDER BY g";
    const { rows, calls, result } = await ask(sql, six);
    expect(rows).toEqual([
      { g: 'a', j: '#1 #3 #3', n: 3n },
      { g: 'b', j: '#2 #4', n: 2n },
      { g: null, j: null, n: 1n },
    ]);
    expect(calls()).toBe(2);
    expect(result.operators).toMatchObject([{ id: 'a0', operator: 'aggregate', inputs: 2, answered: 2, calls: 2 }]);
    const again = await ask(sql, six);
    expect(again.result.spend).toMatchObject({ calls: 0, cached: 2 });
  });

  test('takes ORDER BY, DISTINCT and FILTER inside the call, several calls in one query, and no GROUP BY', async () => {
    const { rows } = await ask(
      `SELECT AI_AGG(text, 'join' ORDER BY w) AS o, AI_AGG(DISTINCT text, 'join') AS d,
        AI_AGG(text, 'join') FILTER (WHERE g = 'b') AS f, AI_AGG(DISTINCT text, 'join' ORDER BY w DESC NULLS LAST) AS x,
        AI_SUMMARIZE_AGG(text, 20) AS s, llm_reduce({'model_name': 'default'}, {'prompt': 'join', 'context_columns': [{'data': text}]}) AS r,
        AI.AGG('{g} has {text}', 'join') AS p FROM t`,
      six,
    );
    const [row] = rows;
    expect(row).toEqual({
      o: '#3 #4 #3 #2 #1',
      d: '#1 #2 #3 #4',
      f: '#2 #4',
      x: '#1 #2 #3 #4',
      s: '#1 #2 #3 #4 #3',
      r: '#1 #2 #3 #4 #3',
      p: '#1 #2 #3 #4 #3',
    });
  });

  test('no rows: NULL without GROUP BY, no row with it', async () => {
    const none = await ask("SELECT AI_AGG(text, 'join') AS j, count(*) AS n FROM t WHERE id > 100", six);
    expect(none.rows).toEqual([{ j: null, n: 0n }]);
    expect(none.calls()).toBe(0);
    const grouped = await ask("SELECT g, AI_AGG(text, 'join') FROM t WHERE id > 100 GROUP BY g", six);
    expect(grouped.rows).toEqual([]);
  });

  test('stands in HAVING and ORDER BY', async () => {
    const sql = `SELECT g FROM t GROUP BY 1 HAVING AI_AGG(text, 'join') <> '#2 #4' ORDER BY AI_AGG(text, 'join') DESC`;
    expect((await ask(sql, six)).rows).toEqual([{ g: 'a' }]);
  });

  test('folds what filters let through, grouped by answers, over answers, with WHERE that is decided late', async () => {
    const sql = `SELECT AI_CLASSIFY(text, ['even', 'odd'], {model: 'kind'}) AS k, AI_AGG(text, 'join') AS j, count(*) AS n
      FROM t WHERE AI_FILTER('Is it even? {text}', {model: 'verdict'}) OR id = 3 GROUP BY k ORDER BY k`;
    const { rows } = await ask(sql, six);
    expect(rows).toEqual([
      { k: 'even', j: '#2 #4', n: 2n },
      { k: 'odd', j: '#3', n: 1n },
    ]);
    const filtered = await ask(
      "SELECT AI_AGG(AI_COMPLETE('Repeat {text}'), 'join') AS j FROM t WHERE AI_FILTER('Is it even? {text}', {model: 'verdict'})",
      six,
    );
    expect(filtered.rows).toEqual([{ j: '#2 #4' }]);
  });
});
