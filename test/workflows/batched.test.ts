import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { StrategyRequest } from '../../plans/protocol/strategy.js';
import { CallError } from '../../plans/protocol/call-errors.js';
import type { JsonValue } from '../../plans/protocol/json.js';
import { batchReply, type Item, itemsIn } from '../support/batches.js';
import { type Engine, startEngine } from '../support/engine.js';

/** Runs with batched prompts: real workflows, ledger and DuckDB, a scripted model. */

const isTrue = (text: string): boolean => Number(/row (\d+)/.exec(text)?.[1]) % 3 === 0;
const honest = (items: readonly Item[]): string => batchReply(items.map(({ id, text }) => [id, isTrue(text)]));
let reply: (items: readonly Item[], prompt: string) => string;
let engine: Engine;

beforeAll(async () => {
  engine = await startEngine({
    oracle: {
      answer: (prompt) => {
        const items = itemsIn(prompt);
        return { text: items.length > 0 ? reply(items, prompt) : `{"answer": ${isTrue(prompt)}}` };
      },
    },
  });
}, 120_000);
afterAll(() => engine.close());
beforeEach(() => {
  reply = honest;
});

const csvOf = (from: number, rows: number): string =>
  `id,text\n${Array.from({ length: rows }, (_, at) => `${from + at},row ${from + at} has five words`).join('\n')}\n`;
const filter = "SELECT id FROM t WHERE AI_FILTER('Is it so? {text}') ORDER BY id";
const batched = (size: number): StrategyRequest => ({ kind: 'batched', size });

async function ask(sql: string, csv: string, options: Parameters<Engine['start']>[2] = {}) {
  const before = engine.calls.get('oracle') ?? 0;
  const run = await engine.start(sql, csv, { strategy: batched(50), ...options });
  const result = await run.result();
  const rows = await run.rows();
  return { result, rows, ids: rows.map((row) => Number(row['id'])), calls: (engine.calls.get('oracle') ?? 0) - before };
}
const wanted = (from: number, rows: number): readonly number[] =>
  Array.from({ length: rows }, (_, at) => from + at).filter((id) => id % 3 === 0);

describe('docetl issue 86: a thousand rows of five words in batches of 50', () => {
  test('take 20 calls, and a rerun none', async () => {
    const { ids, calls, result } = await ask(filter, csvOf(0, 1000));
    expect(ids).toEqual(wanted(0, 1000));
    expect(calls).toBe(20);
    expect(result.spend).toMatchObject({ calls: 20, answered: 1000, retries: 0, failed: 0 });
    expect(result.operators).toMatchObject([{ inputs: 1000, answered: 1000, calls: 20, strategy: 'batched' }]);

    const again = await ask(filter, csvOf(0, 1000));
    expect([again.ids, again.calls]).toEqual([ids, 0]);
    expect(again.result.spend).toMatchObject({ calls: 0, cached: 1000 });
    expect(again.result.spend.savedUsd).toBeCloseTo(result.spend.usd, 6);
  });

  test('new rows among the old ones are the only ones that are asked', async () => {
    const mixed = `${csvOf(990, 10)}${csvOf(5000, 60).replace('id,text\n', '')}`;
    const { ids, calls } = await ask(filter, mixed);
    expect(ids).toEqual([...wanted(990, 10), ...wanted(5000, 60)]);
    expect(calls).toBe(2);
  });

  test('a reply of 49 answers is repaired', async () => {
    reply = (items) => honest(items.some(({ text }) => text.includes('row 10123 ')) ? items.slice(0, -1) : items);
    const { ids, calls, result } = await ask(filter, csvOf(10_000, 1000));
    expect(ids).toEqual(wanted(10_000, 1000));
    expect(calls).toBe(21);
    expect(result.spend).toMatchObject({ calls: 21, retries: 1, failed: 0, answered: 1000 });
  });
});

test('a batch that meets a rate limit is asked again, the others are not', async () => {
  let failed = 0;
  reply = (items) => {
    if (items.some(({ text }) => text.includes('row 20007 ')) && failed++ === 0) {
      throw new CallError('rateLimited', 'too many requests', { retryAfterMs: 20 });
    }
    return honest(items);
  };
  const { ids, calls, result } = await ask(filter, csvOf(20_000, 200));
  expect(ids).toEqual(wanted(20_000, 200));
  expect([calls, result.spend.failed]).toEqual([4 + 2, 0]);
});

test('a budget of calls counts batches; the rest is undecided, and the next run goes on from there', async () => {
  const { result, calls } = await ask(filter, csvOf(30_000, 500), { budget: { calls: 4 } });
  expect([result.stop, calls]).toEqual(['budget-calls', 4]);
  expect(result.undecided).toBe(300);
  const rest = await ask(filter, csvOf(30_000, 500));
  expect([rest.ids, rest.calls]).toEqual([wanted(30_000, 500), 6]);
});

test('equal rows are asked once, NULL is not asked', async () => {
  const csv = `id,text\n${Array.from({ length: 90 }, (_, at) => `${at},${at % 3 === 0 ? '' : `row ${40_000 + (at % 30)}`}`).join('\n')}\n`;
  const { calls, result } = await ask(filter, csv);
  expect([calls, result.spend.answered]).toEqual([1, 20]);
});

test('values of every kind, several calls in one query, each with its own batches', async () => {
  reply = (items, prompt) => {
    const answer = (text: string): JsonValue => {
      const id = Number(/row (\d+)/.exec(text)?.[1]);
      if (prompt.includes('Is it so?')) return id % 3 === 0;
      if (prompt.includes('How many')) return id % 5;
      return ['even', 'odd'][id % 2] ?? '';
    };
    return batchReply(items.map(({ id, text }) => [id, answer(text)]));
  };
  const sql = `SELECT id, AI_CLASSIFY(text, ['even', 'odd']) AS kind, AI_COMPLETE('How many? {text}', 'integer') AS n
               FROM t WHERE AI_FILTER('Is it so? {text}') ORDER BY id`;
  const { rows, calls } = await ask(sql, csvOf(50_000, 90), { strategy: batched(30) });
  expect(rows.map((row) => [Number(row['id']), row['kind'], Number(row['n'])])).toEqual(
    wanted(50_000, 90).map((id) => [id, ['even', 'odd'][id % 2], id % 5]),
  );
  expect(calls).toBe(3 + 1 + 1);
});

describe('the estimate', () => {
  const estimate = async (sql: string, csv: string, strategy: StrategyRequest) => {
    const object = await engine.store.put(Buffer.from(csv));
    const request = {
      v: 1,
      sql,
      tables: [{ name: 't', format: 'csv', object, path: 't.csv' }],
      onError: 'null',
      maxErrorRatio: 1,
      cache: true,
      strategy,
    };
    const planned = await engine.activities.planQuery({
      runId: 'q-estimate',
      request: await engine.store.put(Buffer.from(JSON.stringify(request))),
      budget: {},
      estimate: true,
    });
    return planned.estimate;
  };
  test('counts batches, and what has been answered', async () => {
    const all = { low: 20, expected: 20, high: 20 };
    const sql = "SELECT id FROM t WHERE AI_FILTER('Is it so, honestly? {text}') ORDER BY id";
    const csv = csvOf(60_000, 1000);
    expect((await estimate(sql, csv, batched(50)))?.calls).toMatchObject([{ distinct: 1000, cached: 0, calls: all }]);
    const single = (await estimate(sql, csv, { kind: 'direct' }))?.total;
    const together = (await estimate(sql, csv, batched(50)))?.total;
    expect(together?.tokens.expected).toBeLessThan((single?.tokens.expected ?? 0) * 0.8);
    await ask(sql, csvOf(60_000, 400));
    expect((await estimate(sql, csv, batched(50)))?.calls).toMatchObject([
      { cached: 400, calls: { low: 12, expected: 12, high: 12 } },
    ]);
  });
});

describe('calls that have no batches', () => {
  test('run directly beside those that have them, and are noted', async () => {
    const sql = "SELECT id, AI_SUMMARIZE(text) AS s FROM t WHERE AI_FILTER('Is it so? {text}')";
    const { result } = await ask(sql, csvOf(70_000, 3));
    expect(result.notes?.join('\n')).toMatch(/summarize ".*" runs directly: summarize has no strategy batched/);
  });
  test.each<[string, StrategyRequest, string, RegExp]>([
    ['only such calls', batched(20), 'SELECT AI_SUMMARIZE(text) AS s FROM t', /summarize has no strategy batched/],
    ['a size of one', batched(1), filter, /batch size is 1/],
    ['a size above the most', batched(201), filter, /batch size is 201/],
  ])('%s: refused before any call', async (_, strategy, sql, message) => {
    const before = engine.calls.get('oracle');
    const asked = ask(sql, csvOf(80_000, 3), { strategy, cache: false });
    await expect(asked).rejects.toMatchObject({
      code: 'BadArgument',
      message: expect.stringMatching(message) as string,
    });
    expect(engine.calls.get('oracle')).toBe(before);
  });
});
