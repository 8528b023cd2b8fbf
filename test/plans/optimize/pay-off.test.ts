import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectedShare, payOff, type PayOffFacts } from '../../../plans/optimize/pay-off.js';

const asking = fc.record({ calls: fc.nat(500), usd: fc.double({ min: 0.001, max: 5, noNaN: true }) });
const facts: fc.Arbitrary<PayOffFacts> = fc.record({
  inputs: fc.nat(100_000),
  sample: fc.integer({ min: 1, max: 200 }),
  direct: asking,
  others: fc.array(asking, { maxLength: 4 }),
});

describe('what a search is expected to save', () => {
  it('is the share of the rows ahead at the price of the default model', () => {
    const { price, saving, unit } = payOff({
      ...{ inputs: 1_050, sample: 50, direct: { calls: 50, usd: 0.5 } },
      others: [
        { calls: 50, usd: 1 },
        { calls: 50, usd: 0.25 },
      ],
    });
    expect({ price, unit }).toEqual({ price: 1.25, unit: 'usd' });
    expect(saving).toBeCloseTo(expectedShare * 1_000 * 0.01, 12);
  });

  it('grows with the rows ahead and is nothing without any; the price does not depend on them', () => {
    fc.assert(
      fc.property(facts, fc.nat(10_000), (one, more) => {
        const [few, many] = [payOff(one), payOff({ ...one, inputs: one.inputs + more })];
        expect(many.saving).toBeGreaterThanOrEqual(few.saving);
        expect(many.price).toBe(few.price);
        expect(payOff({ ...one, inputs: Math.min(one.inputs, one.sample) }).saving).toBe(0);
      }),
    );
  });

  it.each([
    ['a price is not known', { calls: 50, usd: 0.5 }, [{ calls: 40 }]],
    ['the default model is free', { calls: 50, usd: 0 }, [{ calls: 40, usd: 3 }]],
  ])('is counted in calls where %s', (_, direct, others) => {
    const { price, saving, unit } = payOff({ inputs: 150, sample: 50, direct, others });
    expect({ price, saving, unit }).toEqual({ price: 40, saving: expectedShare * 100, unit: 'calls' });
  });
});
