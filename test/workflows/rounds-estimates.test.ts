import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Estimate } from '../../plans/protocol/run.js';
import type { StrategyRequest } from '../../plans/protocol/strategy.js';
import { type Engine, startEngine } from '../support/engine.js';
import { askRows, csvOf, itemsOf, joining, longRows, noGroupFaults, numbersIn } from '../support/groups.js';

/** What --dry-run says of calls in rounds, against what they then ask. */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine({
    oracle: joining(noGroupFaults()),
    tiny: { ...joining(noGroupFaults()), contextTokens: 3_000 },
    judge: {
      answer(prompt, { output, system }) {
        if (output.kind === 'enum' && !system.startsWith('Compare')) return { text: output.values[0]! };
        const values = itemsOf(prompt).map((item) => numbersIn(item)[0]!);
        if (system.startsWith('Compare')) return { text: values[0]! > values[1]! ? 'A' : 'B' };
        if (system.startsWith('Find')) return { text: JSON.stringify({ answer: ['one', 'two', 'three'] }) };
        const order = values.map((_, at) => at).sort((a, b) => values[b]! - values[a]!);
        return { text: JSON.stringify({ answer: order.map((at) => at + 1) }) };
      },
    },
  });
}, 120_000);
afterAll(() => engine.close());

const rows = longRows(100, 120);
const callsOf = ({ calls }: Estimate) => calls.at(-1)!.calls;

const cases: readonly (readonly [string, string, StrategyRequest | undefined])[] = [
  ['groups that fit at once', "SELECT g, AI_AGG(text, 'join') FROM t GROUP BY g", undefined],
  ['a tree', "SELECT g, AI_AGG(text, 'join', {model: 'tiny'}) FROM t GROUP BY g", undefined],
  ['a fold', "SELECT g, AI_AGG(text, 'join', {model: 'tiny'}) FROM t GROUP BY g", { kind: 'fold' }],
  ['labels', "SELECT AI_GROUP(text, 3, {model: 'judge'}) FROM t", undefined],
  ['quickselect', "SELECT id FROM t ORDER BY AI_SCORE('{text}', {model: 'judge'}) DESC LIMIT 3", { kind: 'pairwise' }],
  ['lists', "SELECT id FROM t ORDER BY AI_SCORE('{text}', {model: 'judge'}) DESC LIMIT 3", { kind: 'listwise' }],
];

describe('the estimate of', () => {
  test.each(cases)('%s holds', async (_, sql, strategy) => {
    const options = strategy === undefined ? {} : { strategy };
    const { low, expected, high } = callsOf(await engine.estimate(sql, csvOf(rows), options));
    const { result } = await askRows(engine, sql, csvOf(rows), options);
    const { calls } = result.spend;
    expect(low).toBeLessThanOrEqual(calls);
    expect(high).toBeGreaterThanOrEqual(calls);
    // pivots are drawn at random
    expect(Math.abs(calls - expected)).toBeLessThanOrEqual(
      Math.max(2, (strategy?.kind === 'pairwise' ? 0.6 : 0.2) * calls),
    );
  });

  test('an aggregate that was answered before is nothing', async () => {
    const [, sql] = cases[0]!;
    await askRows(engine, sql, csvOf(rows));
    const estimate = await engine.estimate(sql, csvOf(rows));
    expect(callsOf(estimate)).toEqual({ low: 0, expected: 0, high: 0 });
    expect(estimate.calls.at(-1)).toMatchObject({ operator: 'aggregate', distinct: 2, cached: 2 });
  });

  test('groups by an answer is wide, since they are not known', async () => {
    const sql = "SELECT AI_CLASSIFY(text, ['a', 'b'], {model: 'judge'}) AS k, AI_AGG(text, 'join') FROM t GROUP BY k";
    const { low, expected, high } = callsOf(await engine.estimate(sql, csvOf(rows)));
    expect(low).toBe(0);
    expect(expected).toBeGreaterThan(2);
    expect(high).toBe(rows.length);
  });

  test('no rows, or none wanted, is nothing', async () => {
    for (const sql of [
      "SELECT AI_AGG(text, 'join') FROM t WHERE id < 0",
      'SELECT AI_GROUP(text, 3) FROM t WHERE id < 0',
    ]) {
      expect(callsOf(await engine.estimate(sql, csvOf(rows)))).toEqual({ low: 0, expected: 0, high: 0 });
    }
    const none = "SELECT id FROM t ORDER BY AI_SCORE('{text}') DESC LIMIT 0";
    expect(callsOf(await engine.estimate(none, csvOf(rows), { strategy: { kind: 'heap' } }))).toMatchObject({
      high: 0,
    });
  });
});
