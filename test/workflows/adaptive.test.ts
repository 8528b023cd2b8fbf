import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordHistory } from '../replay/record.js';
import { type Engine, startEngine } from '../support/engine.js';

/** Conditions on several relations of a join, whose order is decided while the query runs. */

/** The share of items, in percent, of which a question says yes. */
const shares: Readonly<Record<string, number>> = { rare: 5, tenth: 10, half: 50, usual: 95 };

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine({
    oracle: {
      answer: (prompt) => {
        const kind = /Is it (\w+)\?/.exec(prompt)?.[1] ?? '';
        const item = /item (\d+)/.exec(prompt)?.[1];
        return { text: JSON.stringify({ answer: (Number(item) * 37) % 100 < (shares[kind] ?? 0) }) };
      },
    },
  });
}, 120_000);
afterAll(() => engine.close());

/** Books `b` of ids from 0 and reviews `r`, so many of each book. */
function csv(books: number, reviews: number): string {
  const rows = [...Array(books).keys()].flatMap((id) => [
    `b,${id},${id},item ${id}`,
    ...[...Array(reviews).keys()].map((at) => `r,${id},${at},item ${books + id * reviews + at}`),
  ]);
  return `kind,book,n,txt\n${rows.join('\n')}\n`;
}

/** In either order of writing: what is chosen must not follow from it. */
function sql(ofReviews: string, ofBooks: string, booksFirst = false): string {
  const conditions = [`AI_FILTER('Is it ${ofReviews}? {r.txt}')`, `AI_FILTER('Is it ${ofBooks}? {b.txt}')`];
  const written = booksFirst ? conditions.toReversed() : conditions;
  const joined = booksFirst ? 't b JOIN t r' : 't r JOIN t b';
  return (
    `SELECT r.txt AS r, b.txt AS b FROM ${joined} ON r.book = b.book WHERE r.kind = 'r' AND b.kind = 'b' ` +
    `AND ${written.join(' AND ')} ORDER BY r.txt, b.txt`
  );
}

const written = [
  ['the dear condition first', false],
  ['the dear condition last', true],
] as const;

async function run(text: string, data: string, placement: 'pullup' | 'adaptive', budget = {}) {
  const started = await engine.start(text, data, { placement, cache: false, budget });
  const [rows, result] = [await started.rows(), await started.result()];
  return { id: started.id, rows: rows.map((row) => JSON.stringify(row)), result };
}

test.each(written)(
  'what asks least is asked first, and the other about what it leaves; written: %s',
  async (_, books) => {
    const [text, data] = [sql('half', 'tenth', books), csv(40, 5)];
    const pullup = await run(text, data, 'pullup');
    const adaptive = await run(text, data, 'adaptive');
    expect(adaptive.rows).toEqual(pullup.rows);
    expect(adaptive.rows.length).toBeGreaterThan(0);
    if (!books) expect(pullup.result.spend.calls).toBeGreaterThan(200);
    expect(adaptive.result.spend.calls).toBe(40 + 4 * 5);
    expect(adaptive.result.operators.map(({ calls }) => calls).sort()).toEqual([20, 40]);
    if (!books) await recordHistory(engine.client, adaptive.id, undefined, 'adaptive-query');
  },
);

test.each(written)('where nothing else tells which is first, a few answers do; written: %s', async (_, books) => {
  const [text, data] = [sql('usual', 'rare', books), csv(800, 1)];
  const { rows, result } = await run(text, data, 'adaptive');
  const passing = (from: number, share: number) =>
    [...Array(800).keys()].filter((at) => ((from + at) * 37) % 100 < share).length;
  const least = 800 + passing(0, 5);
  expect(result.spend.calls).toBeGreaterThanOrEqual(least);
  expect(result.spend.calls).toBeLessThanOrEqual(least + 0.02 * 1600);
  expect(rows.length).toBeGreaterThan(0);
});

test('an answer that could change nothing about the order is not paid for', async () => {
  const { result } = await run(sql('half', 'tenth'), csv(200, 9), 'adaptive');
  expect(result.spend.calls).toBe(200 + 20 * 9);
});

test('what is left of a relation tells anew which of two conditions on it comes first', async () => {
  const two = sql('usual', 'tenth').replace(' ORDER', " AND AI_FILTER('Is it rare? {r.txt}') ORDER");
  const { result } = await run(two, csv(200, 50), 'adaptive');
  // books, then of 20 * 50 reviews all for the rare one, and few for the other beside a pilot
  expect(result.spend.calls).toBeGreaterThanOrEqual(200 + 1000 + 50);
  expect(result.spend.calls).toBeLessThanOrEqual(200 + 1000 + 50 + 16);
});

test('a budget that ends in the first leaves the rest undecided', async () => {
  const { result } = await run(sql('half', 'tenth'), csv(40, 5), 'adaptive', { calls: 10 });
  expect(result.stop).toBe('budget-calls');
  expect(result.spend.calls).toBe(10);
  expect(result.undecided).toBeGreaterThanOrEqual(30);
});

test('a rerun is free', async () => {
  const [text, data] = [sql('half', 'rare'), csv(30, 3)];
  const first = await engine.start(text, data, { placement: 'adaptive' });
  const rows = await first.rows();
  expect((await first.result()).spend.calls).toBeGreaterThan(0);
  const again = await engine.start(text, data, { placement: 'adaptive' });
  expect(await again.rows()).toEqual(rows);
  expect((await again.result()).spend.calls).toBe(0);
});
