import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { median, standardise } from '../../../../plans/tuning/surrogate/standardise.js';

const column = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 30 });

describe('standardise', () => {
  it('has mean 0 and variance 1, and comes back by shift and scale', () => {
    fc.assert(
      fc.property(column, (values) => {
        const { values: standard, shift, scale } = standardise(Float64Array.from(values), { tame: false });
        expect(standard.reduce((sum, value) => sum + value, 0) / values.length).toBeCloseTo(0, 6);
        values.forEach((value, i) =>
          expect(Math.abs(shift + scale * standard[i]! - value)).toBeLessThan(1e-6 * (1 + Math.abs(value))),
        );
      }),
    );
  });

  it('keeps the order when it tames', () => {
    fc.assert(
      fc.property(column, (values) => {
        const { values: standard } = standardise(Float64Array.from(values), { tame: true });
        for (let i = 1; i < values.length; i++)
          if (values[i]! > values[i - 1]!) expect(standard[i]).toBeGreaterThanOrEqual(standard[i - 1]!);
      }),
    );
  });

  it.each([1e12, -1e12])('lets one value of %d not flatten the others', (wild) => {
    const { values } = standardise(Float64Array.from([1, 2, 3, 4, 5, 6, wild]), { tame: true });
    expect(values[5]! - values[0]!).toBeGreaterThan(0.3);
  });

  it('leaves identical values at 0', () => {
    expect(Array.from(standardise(new Float64Array(5).fill(1e300), { tame: true }).values)).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('median', () => {
  it('is the middle, or the mean of the two', () => {
    expect([median([]), median([3]), median([9, 1, 5]), median([4, 1, 2, 3])]).toEqual([0, 3, 5, 2.5]);
  });
});
