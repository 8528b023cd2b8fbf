import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CallFacts, estimateCalls } from '../../../plans/cost/estimate.js';
import type { Range } from '../../../plans/protocol/run.js';

const price = { unit: 'tokens', inputPerMTok: 1, outputPerMTok: 2 } as const;
const facts = (id: string, role: 'filter' | 'value', rest: Partial<CallFacts> = {}): CallFacts => ({
  ...{ id, role, operator: 'AI_FILTER', intent: 'x', model: 'm', rows: 1000, distinct: 500, cached: 100 },
  ...{ promptTokens: 100, outputTokens: { low: 5, expected: 8, high: 32 }, price },
  ...rest,
});
const withoutPrice = (call: CallFacts): CallFacts =>
  Object.fromEntries(Object.entries(call).filter(([key]) => key !== 'price')) as unknown as CallFacts;
const range = (low: number, expected: number, high: number): Range => ({ low, expected, high });

describe('estimateCalls', () => {
  it('knows the calls of a first filter, and takes 0.2 of the rows for those after it', () => {
    const { calls, total } = estimateCalls([facts('f0', 'filter'), facts('f1', 'filter'), facts('c0', 'value')]);
    expect(calls.map((call) => call.calls)).toEqual([range(400, 400, 400), range(0, 80, 400), range(0, 16, 400)]);
    expect(total.calls).toEqual(range(400, 496, 1200));
    expect(calls[0]?.tokens).toEqual(range(400 * 55, 400 * 108, 400 * 232));
    expect(calls[0]?.usd?.expected).toBeCloseTo((400 * (100 + 16)) / 1e6, 12);
    expect(total.usd?.high).toBeCloseTo((1200 * (200 + 64)) / 1e6, 12);
  });

  it('counts the calls of prompts that go together, and the tokens of each', () => {
    const { calls } = estimateCalls([facts('c0', 'value', { perCall: 150 })]);
    expect(calls[0]?.calls).toEqual(range(3, 3, 3));
    expect(calls[0]?.tokens).toEqual(range(400 * 55, 400 * 108, 400 * 232));
    expect(calls[0]?.usd?.expected).toBeCloseTo((400 * (100 + 16)) / 1e6, 12);
  });

  it('takes known selectivities', () => {
    const [, second] = estimateCalls([
      facts('f0', 'filter', { selectivity: range(0.4, 0.5, 0.6) }),
      facts('c0', 'value'),
    ]).calls;
    expect(second?.calls).toEqual(range(160, 200, 240));
  });

  it('asks nothing for no rows or answered prompts, and that costs nothing even when the price is unknown', () => {
    const unpriced = withoutPrice(facts('f0', 'filter', { cached: 500 }));
    const { calls, total } = estimateCalls([unpriced, facts('c0', 'value', { rows: 0, distinct: 0, cached: 0 })]);
    expect(calls.map((call) => call.calls)).toEqual([range(0, 0, 0), range(0, 0, 0)]);
    expect(total.usd).toEqual(range(0, 0, 0));
  });

  it('says nothing about USD when any price is unknown', () => {
    const unpriced = withoutPrice(facts('c0', 'value'));
    const { calls, total } = estimateCalls([facts('f0', 'filter'), unpriced]);
    expect(calls[0]?.usd).toBeDefined();
    expect(calls[1]).not.toHaveProperty('usd');
    expect(total).not.toHaveProperty('usd');
  });

  it('prices compute by the hour when it knows how long a call takes', () => {
    const hourly = { unit: 'hour', usdPerHour: 3.6 } as const;
    const call = facts('f0', 'filter', { price: hourly });
    expect(estimateCalls([call]).total).not.toHaveProperty('usd');
    expect(estimateCalls([{ ...call, ms: range(500, 1000, 2000) }]).total.usd?.expected).toBeCloseTo(0.4, 12);
  });

  it('stops early under LIMIT', () => {
    const [filter, value] = estimateCalls(
      [facts('f0', 'filter', { cached: 0 }), facts('c0', 'value', { cached: 0 })],
      20,
    ).calls;
    expect(filter?.calls).toEqual(range(1, 50, 500));
    expect(value?.calls).toEqual(range(0, 10, 20));
    expect(estimateCalls([facts('f0', 'filter'), facts('c0', 'value')], 0).total.calls).toEqual(range(0, 0, 0));
  });

  const someFacts = fc.record({
    role: fc.constantFrom<'filter' | 'value'>('filter', 'value'),
    rows: fc.nat(10_000),
    distinctShare: fc.double({ min: 0, max: 1, noNaN: true }),
    cachedShare: fc.double({ min: 0, max: 1, noNaN: true }),
    promptTokens: fc.nat(5000),
  });
  const list = fc.array(someFacts, { maxLength: 5 }).map((items) =>
    items.map(({ role, rows, distinctShare, cachedShare, promptTokens }, at) => {
      const distinct = Math.ceil(rows * distinctShare);
      return facts(`x${at}`, role, { rows, distinct, cached: Math.floor(distinct * cachedShare), promptTokens });
    }),
  );
  const stop = fc.option(fc.nat(500), { nil: undefined });

  it('keeps low ≤ expected ≤ high ≤ what is not answered, whole, and sums to the total', () => {
    fc.assert(
      fc.property(list, stop, (items, stopAfter) => {
        const { calls, total } = estimateCalls(items, stopAfter);
        for (const [at, call] of calls.entries()) {
          for (const { low, expected, high } of [call.calls, call.tokens, call.usd!]) {
            expect(0 <= low && low <= expected && expected <= high).toBe(true);
          }
          expect(Object.values(call.calls).every(Number.isInteger)).toBe(true);
          expect(call.calls.high).toBeLessThanOrEqual(items[at]!.distinct - items[at]!.cached);
        }
        expect(total.calls.expected).toBe(calls.reduce((sum, call) => sum + call.calls.expected, 0));
      }),
    );
  });

  it('never grows with more cached answers, a smaller limit or shorter prompts', () => {
    fc.assert(
      fc.property(list, fc.nat(500), fc.nat(500), (items, a, b) => {
        const lesser = items.map((item) => ({
          ...item,
          cached: Math.min(item.distinct, item.cached + 5),
          promptTokens: Math.floor(item.promptTokens / 2),
        }));
        const [small, large] = [Math.min(a, b), Math.max(a, b)];
        const most = estimateCalls(items).total;
        for (const less of [estimateCalls(lesser).total, estimateCalls(items, large).total]) {
          for (const bound of ['low', 'expected', 'high'] as const) {
            expect(less.calls[bound]).toBeLessThanOrEqual(most.calls[bound]);
            expect(less.usd![bound]).toBeLessThanOrEqual(most.usd![bound] + 1e-9);
          }
        }
        expect(estimateCalls(items, small).total.calls.expected).toBeLessThanOrEqual(
          estimateCalls(items, large).total.calls.expected,
        );
      }),
    );
  });
});
