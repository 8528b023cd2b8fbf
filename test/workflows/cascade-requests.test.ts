import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StrategyRequest } from '../../plans/protocol/strategy.js';
import { type Engine, startEngine } from '../support/engine.js';
import { askItems, cascade, csvOf, filter, knownModels, noFaults, quality } from '../support/known-truth.js';

/** Cascades that cannot save a call ask about everything; requests that make no sense are refused. */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(knownModels(noFaults()));
}, 120_000);
afterAll(() => engine.close());

const ask = (sql: string, csv: string, options: Parameters<Engine['start']>[2] = {}) =>
  askItems(engine, sql, csv, options);

describe('asks about all, and says so', () => {
  test.each([
    ['too few rows for a guarantee', 60, 'proxy', /asked about all 60 inputs: the targets need a sample/],
    ['a proxy that tells nothing apart', 500, 'flat', /asked about all 500 inputs: the proxy tells too little/],
  ])('%s', async (_, rows, proxy, message) => {
    const { ids, calls, result } = await ask(filter, csvOf(30_000, rows), {
      strategy: cascade(undefined, proxy),
      cache: false,
    });
    expect(quality(ids, 30_000, rows)).toEqual({ recall: 1, precision: 1 });
    expect(calls('oracle')).toBe(rows);
    expect(result.notes?.join()).toMatch(message);
  });

  test('targets of 1 ask no proxy', async () => {
    const { calls, result } = await ask(filter, csvOf(31_000, 80), { strategy: cascade({ recall: 1 }) });
    expect([calls('proxy'), calls('oracle')]).toEqual([0, 80]);
    expect(result.notes?.join()).toContain('only that reaches a target of 1');
  });

  test('no rows and NULLs', async () => {
    expect((await ask(filter, csvOf(0, 0), { strategy: cascade() })).ids).toEqual([]);
    const { ids, result } = await ask(filter, 'id,text\n1,\n2,\n', { strategy: cascade() });
    expect([ids, result.spend.calls]).toEqual([[], 0]);
  });
});

describe('refused before any call', () => {
  const of = (strategy: StrategyRequest, sql: string) => ask(sql, csvOf(0, 3), { strategy, cache: false });
  test.each([
    ['an unknown proxy', cascade(undefined, 'nobody'), filter, 'UnknownModel', /nobody/],
    ['the oracle as its own proxy', cascade(undefined, 'oracle'), filter, 'BadArgument', /stand in for/],
    ['a recall above 1', cascade({ recall: 1.5 }), filter, 'BadArgument', /recall target is 1.5/],
    ['a precision of 0', cascade({ precision: 0 }), filter, 'BadArgument', /precision target is 0/],
    [
      'an operator that has none',
      cascade(),
      "SELECT AI_CLASSIFY(text, ['a', 'b']) AS c FROM t",
      'BadArgument',
      /classify has no strategy cascade; it has: direct/,
    ],
    [
      'a filter that explains',
      cascade(),
      "SELECT AI_FILTER('so? {text}', {explain: true}) AS c FROM t",
      'BadArgument',
      /explanation/,
    ],
    ['a query without calls', cascade(), 'SELECT id FROM t', 'BadArgument', /no semantic call/],
  ])('%s', async (_, strategy, sql, code, message) => {
    const before = [...engine.calls];
    await expect(of(strategy, sql)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect([...engine.calls]).toEqual(before);
  });

  test('a call without the strategy beside one that has it runs directly, and is noted', async () => {
    const sql = "SELECT id, AI_COMPLETE('say {text}') AS c FROM t WHERE AI_FILTER('so? {text}')";
    const { result } = await of(cascade(), sql);
    expect(result.notes?.join('\n')).toMatch(/complete ".*" runs directly: complete has no strategy cascade/);
  });
});
