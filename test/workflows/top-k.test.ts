import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { quickselectComparisons } from '../../plans/physical/top-k/quickselect.js';
import { listwiseQuestions } from '../../plans/physical/top-k/listwise.js';
import type { StrategyRequest } from '../../plans/protocol/strategy.js';
import { type Engine, startEngine } from '../support/engine.js';
import { askRows, csvOf, itemsOf, numbersIn, type Row } from '../support/groups.js';

/** ORDER BY AI_SCORE(…) LIMIT k by comparisons and lists, through real workflows and activities. */

let engine: Engine;
beforeAll(async () => {
  const exact = (prompt: string, system: string): string => {
    const values = itemsOf(prompt).map((item) => numbersIn(item)[0]!);
    const sign = system.includes('lower') || system.includes('lowest') ? 1 : -1;
    const order = values.map((_, at) => at).sort((a, b) => sign * (values[a]! - values[b]!));
    return system.startsWith('Compare')
      ? 'AB'.charAt(order[0]!)
      : JSON.stringify({ answer: order.map((at) => at + 1) });
  };
  engine = await startEngine({
    oracle: {
      answer: (prompt, { system }) => ({ text: exact(prompt, system) }),
    },
    /** Says that the first one is better, whatever it is. */
    biased: { answer: () => ({ text: 'A' }) },
  });
}, 120_000);
afterAll(() => engine.close());

/** Numbers from `from` on, in an order that tells nothing. */
const rowsOf = (from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, at) => [at, 'g', `worth #${from + ((at * 37) % count)}`] as const);
const ask = (sql: string, rows: readonly Row[], options: Parameters<Engine['start']>[2] = {}) =>
  askRows(engine, sql, csvOf(rows), options);
const top = (rest: string) => `SELECT g, text FROM t ORDER BY AI_SCORE('How much is {text} worth?') ${rest}`;
const found = (rows: readonly Record<string, unknown>[]): number[] =>
  rows.map(({ text }) => numbersIn(String(text))[0]!);

const strategies: readonly StrategyRequest[] = [{ kind: 'pairwise' }, { kind: 'heap' }, { kind: 'listwise' }];
const falling = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from - at);

describe.each(strategies)('$kind', (strategy) => {
  test('finds the best in order with as many questions as it promises; a rerun is free', async () => {
    const rows = rowsOf(0, 41);
    const first = await ask(top('DESC LIMIT 3'), rows, { strategy });
    expect(found(first.rows)).toEqual(falling(40, 3));
    // the other columns stay (lotus/issues/168)
    expect(first.rows.every(({ g }) => g === 'g')).toBe(true);
    const promised = {
      pairwise: 2 * quickselectComparisons(41, 3),
      heap: 40 + 2 * 6,
      listwise: listwiseQuestions(41, 3, 20),
    };
    expect(first.calls()).toBeLessThanOrEqual(promised[strategy.kind as keyof typeof promised]);
    expect(first.result.operators).toMatchObject([{ id: 'c0', operator: 'score', calls: first.calls(), failed: 0 }]);
    expect(first.result.notes?.join()).toContain(`place by ${strategy.kind} comparison`);
    const again = await ask(top('DESC LIMIT 3'), rows, { strategy });
    expect(again.rows).toEqual(first.rows);
    expect(again.result.spend.calls).toBe(0);
  });

  test('ascending, with OFFSET, by alias, with duplicates and NULLs, k above n, k = 0', async () => {
    const rows: Row[] = [...rowsOf(1000, 5), ...rowsOf(1000, 5), [90, 'g', '']];
    const low = await ask(top('LIMIT 3 OFFSET 2'), rows, { strategy });
    expect(found(low.rows)).toEqual([1001, 1001, 1002]);
    const aliased = await ask(
      "SELECT text, AI_SCORE('How much is {text} worth?', {min: 0, max: 10}) AS s FROM t ORDER BY s DESC LIMIT 30",
      rows,
      { strategy },
    );
    expect(found(aliased.rows.slice(0, -1))).toEqual(falling(1004, 5).flatMap((n) => [n, n]));
    expect(aliased.rows.at(-1)).toEqual({ text: null, s: null });
    expect(aliased.rows[0]).toMatchObject({ s: 10 });
    const none = await ask(top('DESC LIMIT 0'), rows, { strategy });
    expect(none.rows).toEqual([]);
    expect(none.calls()).toBe(0);
  });
});

test('asked in both orders, a model that always says A decides nothing: the rows keep their order', async () => {
  const sql = "SELECT text FROM t ORDER BY AI_SCORE('Worth {text}?', {model: 'biased'}) DESC LIMIT 3";
  const rows = rowsOf(5000, 30);
  const both = await ask(sql, rows, { strategy: { kind: 'heap', bothOrders: true } });
  expect(found(both.rows)).toEqual(rows.slice(0, 3).map(([, , text]) => numbersIn(text)[0]));
  expect(both.calls('biased') % 2).toBe(0);
});

test.each([
  ['without LIMIT', "SELECT id FROM t ORDER BY AI_SCORE('{text}') DESC"],
  [
    'where the score is read elsewhere',
    "SELECT id FROM t WHERE AI_SCORE('{text}') > 0.5 ORDER BY AI_SCORE('{text}') DESC LIMIT 2",
  ],
  [
    'where it is computed with',
    "SELECT id, 2 * AI_SCORE('{text}') AS d FROM t ORDER BY AI_SCORE('{text}') DESC LIMIT 2",
  ],
  ['where it is not the first key', "SELECT id FROM t ORDER BY g, AI_SCORE('{text}') DESC LIMIT 2"],
  ['over groups', "SELECT max(AI_SCORE('{text}')) AS m FROM t GROUP BY g ORDER BY m DESC LIMIT 2"],
])('is refused before anything is asked %s', async (_, sql) => {
  await expect(ask(sql, rowsOf(0, 5), { strategy: { kind: 'pairwise' } })).rejects.toMatchObject({
    code: 'BadArgument',
  });
});
