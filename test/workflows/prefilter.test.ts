import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CallError } from '../../plans/protocol/call-errors.js';
import type { StrategyRequest } from '../../plans/protocol/strategy.js';
import { type Engine, startEngine } from '../support/engine.js';
import { pairPrompt } from '../support/pairs.js';

/** Joins whose pairs are filtered by the nearness or the keys of their values, against the truth and the direct join. */

const numberIn = (text: string): number => Number(/\d+/.exec(text)?.[0]);
/** Ticket n is about topic n modulo `topics`. */
let topics = 60;
const matches = (left: string, right: string): boolean => numberIn(left) % topics === numberIn(right) % topics;
/** A direction for each topic; some tickets look like those of another one. */
const vectorOf = (text: string): readonly number[] => {
  const n = numberIn(text);
  const misleading = text.startsWith('ticket') && n % 29 === 0;
  const angle = ((n % topics) + (misleading ? topics / 3 : 0)) * 2.399;
  return [Math.cos(angle), Math.sin(angle), Math.cos(angle * 1.7), Math.sin(angle * 1.7)];
};
let fails = (_: string): boolean => false;
let embedFails = (_: string): boolean => false;
let embedded: string[] = [];
/** What the model names as the keys of a record. */
let keysOf = (_table: string, record: string): readonly string[] => [`Topic no. ${numberIn(record) % topics}`];
const namesTopic = keysOf;
let mapped: string[] = [];
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine({
    oracle: {
      answer(prompt) {
        if (fails(prompt)) throw new CallError('contentFilter', 'the endpoint refused it');
        const [one, other] = pairPrompt(prompt);
        if (one === 'A' || one === 'B') {
          mapped.push(other);
          return { text: JSON.stringify({ answer: keysOf(one, other) }) };
        }
        return { text: JSON.stringify({ answer: matches(...pairPrompt(prompt)) }) };
      },
    },
    vectors: {
      embed(text) {
        if (embedFails(text)) throw new CallError('contentFilter', 'the endpoint refused it');
        embedded.push(text);
        return vectorOf(text);
      },
    },
  });
}, 120_000);
afterAll(() => engine.close());
beforeEach(() => {
  topics = 60;
  embedded = [];
  mapped = [];
  keysOf = namesTopic;
  fails = () => false;
  embedFails = () => false;
});

const csv = (tickets: number, from: number): string =>
  [
    'id,side,text',
    ...Array.from({ length: tickets }, (_, at) => `${from + at},l,ticket ${from + at}`),
    ...Array.from({ length: topics }, (_, at) => `${1_000_000 + at},r,topic ${at}`),
  ].join('\n');
const sql =
  "SELECT a.id AS l, b.id AS r FROM t a JOIN t b ON a.side = 'l' AND b.side = 'r' " +
  "AND AI_FILTER('Is {a.text} about {b.text}?') ORDER BY l, r";
const prefilter: StrategyRequest = { kind: 'prefilter', embedder: 'vectors' };
const wanted = (tickets: number, from: number): string[] =>
  Array.from({ length: tickets }, (_, at) => `${from + at} ${1_000_000 + ((from + at) % topics)}`);

async function ask(data: string, options: Parameters<Engine['start']>[2] = {}) {
  const before = engine.calls.get('oracle') ?? 0;
  const run = await engine.start(sql, data, { strategy: prefilter, ...options });
  const result = await run.result();
  const pairs = (await run.rows()).map((row) => `${String(row['l'])} ${String(row['r'])}`);
  return { run, result, pairs, calls: (engine.calls.get('oracle') ?? 0) - before };
}

describe('a join with a prefilter', () => {
  test('finds the share of the pairs that is wanted, with a part of the calls; a rerun is free', async () => {
    const truth = wanted(180, 0);
    const { pairs, calls, result } = await ask(csv(180, 0));
    const right = pairs.filter((pair) => truth.includes(pair));
    expect(pairs).toEqual(right);
    expect(right.length / truth.length).toBeGreaterThanOrEqual(0.9);
    // of 10,800
    expect(calls).toBeLessThan(0.5 * 180 * 60);
    expect(embedded).toHaveLength(180 + 60);
    expect(result.operators.map(({ id, model, step, strategy }) => [id, model, step, strategy])).toEqual([
      ['f0.sides', 'vectors', 'sides', 'prefilter'],
      ['f0.train', 'oracle', 'train', 'prefilter'],
      ['f0.sample', 'oracle', 'sample', 'prefilter'],
      ['f0.rest', 'oracle', 'rest', 'prefilter'],
    ]);
    expect(result.notes).toEqual([expect.stringMatching(/nearness by vectors decided .*recall ≥ 0\.9 at 95 %/)]);
    const again = await ask(csv(180, 0));
    expect(again.pairs).toEqual(pairs);
    expect(again.result.spend.calls).toBe(0);
  });

  test('what the direct join has answered is not asked again', async () => {
    const data = csv(60, 10_000);
    const direct = await ask(data, { strategy: { kind: 'direct' } });
    expect(direct.calls).toBe(60 * 60);
    const { pairs, calls } = await ask(data);
    expect(calls).toBe(0);
    expect(pairs.length / direct.pairs.length).toBeGreaterThanOrEqual(0.9);
    expect(pairs.every((pair) => direct.pairs.includes(pair))).toBe(true);
  });

  test('asks about all pairs where too few are true for the target to be shown, and says so', async () => {
    topics = 7;
    const { pairs, calls, result } = await ask(csv(8, 20_000));
    expect(pairs).toEqual(wanted(8, 20_000));
    expect(calls).toBe(56);
    expect(result.notes).toEqual([expect.stringContaining('asked about all 56 inputs')]);
  });

  test('pairs of a value that cannot be embedded go to the model; pairs that it refuses are errors', async () => {
    embedFails = (text) => text === 'ticket 30007';
    fails = (prompt) => prompt.includes('ticket 30008\n') && prompt.includes('topic 8\n');
    const { pairs, run } = await ask(csv(120, 30_000));
    expect(pairs).toContain(`30007 ${1_000_000 + (30_007 % 60)}`);
    expect((await run.errors()).map(({ code }) => code)).toEqual(['contentFilter']);
  });

  test('a budget that ends it leaves pairs undecided; a rerun pays for the rest alone', async () => {
    const data = csv(120, 40_000);
    const cut = await ask(data, { budget: { calls: 300 } });
    expect(cut.result.stop).toBe('budget-calls');
    expect(cut.result.undecided).toBeGreaterThan(0);
    const whole = await ask(data);
    expect(whole.result).toMatchObject({ stop: 'complete', undecided: 0 });
    expect(whole.pairs.length / 120).toBeGreaterThanOrEqual(0.9);
  });

  test('the estimate holds', async () => {
    const data = csv(150, 50_000);
    const estimate = await engine.estimate(sql, data, { strategy: prefilter });
    const { calls } = await ask(data);
    const { low, expected, high } = estimate.calls.find(({ id }) => id === 'f0')!.calls;
    expect(low).toBeLessThanOrEqual(calls);
    expect(high).toBeGreaterThanOrEqual(calls);
    expect(Math.abs(expected - calls)).toBeLessThanOrEqual(0.4 * calls);
    expect(estimate.calls.find(({ id }) => id === 'f0.sides')).toMatchObject({ operator: 'embed', distinct: 210 });
  });

  test.each([
    ["SELECT id FROM t WHERE AI_FILTER('Is it so? {text}')", prefilter, /two relations/],
    [sql, { kind: 'prefilter' }, /none/],
    [sql, { ...prefilter, recall: 1.5 }, /recall target is 1.5/],
    [sql, { kind: 'prefilter', embedder: 'oracle' }, /embed/],
  ] as const)('%s with %o is refused', async (query, strategy, why) => {
    const run = await engine.start(query, csv(2, 60_000), { strategy });
    await expect(run.result()).rejects.toMatchObject({ message: expect.stringMatching(why) });
  });
});

describe('a join by keys', () => {
  const map: StrategyRequest = { kind: 'map' };

  test('names the keys of each value once and asks about the pairs that share one; a rerun is free', async () => {
    const { pairs, calls, result } = await ask(csv(90, 70_000), { strategy: map });
    expect(pairs).toEqual(wanted(90, 70_000));
    expect(mapped).toHaveLength(90 + 60);
    expect(calls).toBe(90 + 60 + 90);
    expect(result.operators.map(({ id, step, strategy, calls: own }) => [id, step, strategy, own])).toEqual([
      ['f0.sides', 'sides', 'map', 150],
      ['f0.train', 'train', 'map', 90],
      ['f0.sample', 'sample', 'map', 0],
      ['f0.rest', 'rest', 'map', 0],
    ]);
    expect(result.notes).toEqual([
      expect.stringMatching(/keys by oracle decided 98.3 %, .* asked 90 of 5,400, .*is not tested/),
    ]);
    const again = await ask(csv(90, 70_000), { strategy: map });
    expect(again.pairs).toEqual(pairs);
    expect(again.result.spend.calls).toBe(0);
  });

  test('what shares a key by mistake is asked and dropped; what shares none by mistake is lost', async () => {
    keysOf = (table, record) => {
      const n = numberIn(record);
      if (table === 'A' && n % 10 === 3) return ['something else'];
      return table === 'A' && n % 10 === 4
        ? [`topic no ${n % topics}`, `TOPIC NO ${(n + 1) % topics}`]
        : namesTopic(table, record);
    };
    const { pairs, calls } = await ask(csv(60, 80_000), { strategy: map });
    expect(pairs).toEqual(wanted(60, 80_000).filter((pair) => !/^\d+3 /.test(pair)));
    expect(calls - mapped.length).toBe(54 + 6);
  });

  test('a recall target tests what the keys miss, and asks nearer keys until it holds', async () => {
    keysOf = (table, record) => {
      const n = numberIn(record);
      return table === 'A' && n % 6 === 1 ? [`topic nr ${n % topics}`] : namesTopic(table, record);
    };
    const truth = wanted(200, 90_000);
    const { pairs, calls, result } = await ask(csv(200, 90_000), { strategy: { ...map, recall: 0.9 } });
    const right = pairs.filter((pair) => truth.includes(pair));
    expect(pairs).toEqual(right);
    expect(right.length / truth.length).toBeGreaterThanOrEqual(0.9);
    expect(calls).toBeLessThan(0.5 * 200 * 60);
    expect(result.notes).toEqual([expect.stringMatching(/keys by oracle decided .*recall ≥ 0\.9 at 95 %/)]);
  });

  test('pairs of a value whose keys are not known go to the model; a mapper of its own', async () => {
    fails = (prompt) => prompt.startsWith('[1]:\n<data>\nA') && prompt.includes('ticket 100007');
    const { pairs, result } = await ask(csv(30, 100_000), { strategy: map });
    expect(pairs).toEqual(wanted(30, 100_000));
    expect(result.operators.slice(1).map(({ calls }) => calls)).toEqual([29, 0, 60]);
    await expect(ask(csv(2, 1), { strategy: { ...map, mapper: 'vectors' } })).rejects.toThrow(/vectors/);
  });

  test('a target of 1 asks about all pairs and for no keys', async () => {
    topics = 5;
    const { pairs, calls, result } = await ask(csv(5, 110_000), { strategy: { ...map, recall: 1 } });
    expect(pairs).toEqual(wanted(5, 110_000));
    expect(calls).toBe(25);
    expect(result.notes).toEqual([expect.stringContaining('only that reaches a target of 1')]);
  });

  test('the estimate holds', async () => {
    const data = csv(120, 120_000);
    const estimate = await engine.estimate(sql, data, { strategy: map });
    const { calls } = await ask(data, { strategy: map });
    const expected = estimate.calls.reduce((sum, one) => sum + one.calls.expected, 0);
    expect(Math.abs(expected - calls)).toBeLessThanOrEqual(0.2 * calls);
    expect(estimate.calls.map(({ id, operator, distinct }) => [id, operator, distinct])).toEqual([
      ['f0.sides', 'complete', 180],
      ['f0', 'filter', 7200],
    ]);
  });
});
