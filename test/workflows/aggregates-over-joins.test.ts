import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, startEngine } from '../support/engine.js';
import { askRows, csvOf, itemsOf, joining, noGroupFaults, numbersIn } from '../support/groups.js';

/** Aggregates, groups by meaning and top-k where the rows are those of a join or of a query within. */

let engine: Engine;
const isEven = (prompt: string): boolean => numbersIn(itemsOf(prompt)[0] ?? prompt)[0]! % 2 === 0;
beforeAll(async () => {
  engine = await startEngine({
    oracle: joining(noGroupFaults()),
    verdict: { answer: (prompt) => ({ text: JSON.stringify({ answer: isEven(prompt) }) }) },
    // of two: the one with the larger number
    judge: {
      answer: (prompt) => {
        const [a, b] = itemsOf(prompt).map((item) => numbersIn(item)[0]!);
        return { text: JSON.stringify({ answer: a! > b! ? 'A' : 'B' }) };
      },
    },
  });
}, 120_000);
afterAll(() => engine.close());

const ask = (sql: string, options: Parameters<Engine['start']>[2] = {}) => askRows(engine, sql, six, options);
const six = csvOf([
  [1, 'a', '#1', 5],
  [2, 'b', '#2', 4],
  [3, 'a', '#3', 3],
  [4, 'b', '#4', 2],
  [5, 'a', '#5', 1],
  [6, 'b', '#6', 0],
]);

test('over a join, grouped by a column of either side', async () => {
  const { rows, calls } = await ask(
    `SELECT b.g, AI_AGG('{a.text}', 'join' ORDER BY a.id) AS j, count(*) AS n
     FROM t a JOIN t b ON a.id = b.id + 1 GROUP BY b.g ORDER BY 1`,
  );
  expect(rows).toEqual([
    { g: 'a', j: '#2 #4 #6', n: 3n },
    { g: 'b', j: '#3 #5', n: 2n },
  ]);
  expect(calls()).toBe(2);
  // columns that FILTER alone reads
  const some = await ask("SELECT AI_AGG(a.text, 'join') FILTER (WHERE b.w > 3) AS j FROM t a JOIN t b USING (id)");
  expect(some.rows).toEqual([{ j: '#1 #2' }]);
});

test.each(['pullup', 'pushdown'] as const)('over a join that a filter narrows (%s), with HAVING', async (placement) => {
  const { rows } = await ask(
    `SELECT b.g, AI_AGG(a.text, 'join') AS j FROM t a JOIN t b USING (id)
     WHERE AI_FILTER('Even? {b.text}', {model: 'verdict'}) GROUP BY ALL HAVING count(*) > 2`,
    { placement },
  );
  expect(rows).toEqual([{ g: 'b', j: '#2 #4 #6' }]);
});

test('in a WITH query that a filter reads; ids of calls go on over the blocks', async () => {
  const { rows, result } = await ask(
    `WITH j AS (SELECT g, AI_AGG(text, 'join') AS s FROM t GROUP BY g)
     SELECT g, s, AI_AGG(s, 'join again') AS twice FROM j WHERE AI_FILTER('Even? {s}', {model: 'verdict'}) GROUP BY ALL`,
  );
  expect(rows).toEqual([{ g: 'b', s: '#2 #4 #6', twice: '#2 #4 #6' }]);
  expect(result.operators.map(({ id }) => id)).toEqual(['a0', 'f0', 'a1']);
});

test('as a scalar of a subquery', async () => {
  const { rows } = await ask("SELECT id FROM t WHERE text = (SELECT AI_AGG(text, 'join') FROM t WHERE id = 4)");
  expect(rows).toEqual([{ id: 4n }]);
});

test('top-k of a join, and of a query within, by comparisons', async () => {
  const score = "AI_SCORE('How large? {x.text}', {model: 'judge'})";
  for (const kind of ['pairwise', 'heap'] as const) {
    const joined = await ask(`SELECT x.id FROM t x JOIN t y USING (id) ORDER BY ${score} DESC LIMIT 2`, {
      strategy: { kind },
    });
    expect(joined.rows).toEqual([{ id: 6n }, { id: 5n }]);
    const within = await ask(
      `SELECT count(*) AS n, max(id) AS m FROM (SELECT * FROM t x ORDER BY ${score} DESC LIMIT 2)`,
      {
        strategy: { kind },
      },
    );
    expect(within.rows).toEqual([{ n: 2n, m: 6n }]);
  }
});

test.each([
  ['ON', "SELECT 1 FROM t a JOIN t b ON AI_AGG(a.text, 'join') = b.text"],
  ['ON of an outer join', "SELECT 1 FROM t a LEFT JOIN t b ON AI_AGG(a.text, 'join') = b.text"],
  ['WHERE over a join', "SELECT 1 FROM t a JOIN t b USING (id) WHERE AI_AGG(a.text, 'join') = ''"],
])('in %s it is refused before a call', async (_place, sql) => {
  await expect(ask(sql)).rejects.toMatchObject({ code: 'UnsupportedSql' });
});
