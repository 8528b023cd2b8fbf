import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planSample } from '../../../../plans/physical/cascade/sample.js';
import { strataOf, stratumAt } from '../../../../plans/physical/cascade/strata.js';

const score = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.25, 0.5, 1));
const scores = fc.array(score, { minLength: 1, maxLength: 300 });
const budget = fc.integer({ min: 0, max: 350 });
const scheme = fc.constantFrom('uniform' as const, 'importance' as const);
const seed = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe('strataOf', () => {
  it('splits all tuples and spends the whole budget, at least one tuple a stratum', () => {
    fc.assert(
      fc.property(scores, budget, (values, amount) => {
        const strata = strataOf(values, amount);
        const counted = strata.map(() => 0);
        for (const value of values) counted[stratumAt(strata, value)]!++;
        expect(strata.map(({ size }) => size)).toEqual(counted);
        expect(strata.reduce((sum, { taken }) => sum + taken, 0)).toBe(Math.min(amount, values.length));
        for (const { taken, size } of strata) {
          expect(taken).toBeLessThanOrEqual(size);
          if (amount > 0) expect(taken).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('samples high scores more densely', () => {
    const values = Array.from({ length: 2000 }, (_, i) => (i / 2000) ** 6);
    const rates = strataOf(values, 200).map(({ taken, size }) => taken / size);
    expect(rates.at(-1)).toBeGreaterThan(2 * rates[0]!);
  });
});

describe('planSample', () => {
  it('draws distinct tuples, as many as planned in each stratum, with weights that add up to the input', () => {
    fc.assert(
      fc.property(scores, budget, scheme, seed, (values, amount, how, start) => {
        const plan = planSample({ scores: values, budget: amount, seed: start, scheme: how });
        expect(new Set(plan.indices).size).toBe(Math.min(amount, values.length));
        const drawn = plan.strata.map(() => 0);
        for (const index of plan.indices) drawn[stratumAt(plan.strata, values[index]!)]!++;
        expect(drawn).toEqual(plan.strata.map(({ taken }) => taken));
        const total = plan.weights.reduce((sum, weight) => sum + weight, 0);
        if (amount > 0) expect(total).toBeCloseTo(values.length, 6);
        expect(planSample({ scores: values, budget: amount, seed: start, scheme: how })).toEqual(plan);
      }),
    );
  });

  it.each(['uniform', 'importance'] as const)('draws every tuple of a stratum equally often (%s)', (how) => {
    const values = Array.from({ length: 40 }, (_, i) => i / 40);
    const drawn = values.map(() => 0);
    const draws = 4000;
    let strata = planSample({ scores: values, budget: 16, seed: 0, scheme: how }).strata;
    for (let run = 0; run < draws; run++) {
      const plan = planSample({ scores: values, budget: 16, seed: run, scheme: how });
      for (const index of plan.indices) drawn[index]!++;
      strata = plan.strata;
    }
    values.forEach((value, i) => {
      const { taken, size } = strata[stratumAt(strata, value)]!;
      const p = taken / size;
      expect(Math.abs(drawn[i]! - draws * p)).toBeLessThan(4.5 * Math.sqrt(draws * p * (1 - p)) + 1e-9);
    });
  });

  it('takes an empty input', () => {
    for (const how of ['uniform', 'importance'] as const)
      expect(planSample({ scores: [], budget: 10, seed: 1, scheme: how }).indices).toEqual([]);
  });

  it.each([NaN, -0.1, 1.1, Infinity])('refuses a score of %d', (bad) => {
    expect(() => planSample({ scores: [0.5, bad], budget: 1, seed: 1, scheme: 'uniform' })).toThrow(/tuple 1/);
  });

  it.each([-1, 0.5, NaN])('refuses a budget of %d', (bad) => {
    expect(() => planSample({ scores: [0.5], budget: bad, seed: 1, scheme: 'uniform' })).toThrow(/budget/);
  });

  it('plans for a million scores', () => {
    const values = Float64Array.from({ length: 1_000_000 }, (_, i) => ((i * 7919) % 1_000_003) / 1_000_003);
    const plan = planSample({ scores: values, budget: 500, seed: 1, scheme: 'importance' });
    expect(plan.indices).toHaveLength(500);
  });
});
