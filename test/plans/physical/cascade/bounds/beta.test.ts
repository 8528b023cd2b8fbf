import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binomialCdf, incompleteBeta, logGamma } from '../../../../../plans/physical/cascade/bounds/beta.js';

/** Direct sum of the binomial's terms. */
function summed(count: number, trials: number, p: number): number {
  let term = (1 - p) ** trials;
  let sum = 0;
  for (let k = 0; k <= Math.min(count, trials); k++) {
    sum += term;
    term *= ((trials - k) / (k + 1)) * (p / (1 - p));
  }
  return sum;
}

describe('logGamma', () => {
  it('gives factorials and √π', () => {
    let factorial = 1;
    for (let n = 1; n <= 20; n++) {
      expect(Math.exp(logGamma(n) - Math.log(factorial))).toBeCloseTo(1, 12);
      factorial *= n;
    }
    expect(logGamma(0.5)).toBeCloseTo(0.5 * Math.log(Math.PI), 13);
  });
});

describe('incompleteBeta', () => {
  it('has closed forms at a = 1 and b = 1', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 500 }), (x, n) => {
        expect(incompleteBeta(x, n, 1)).toBeCloseTo(x ** n, 12);
        expect(incompleteBeta(x, 1, n)).toBeCloseTo(1 - (1 - x) ** n, 12);
      }),
    );
  });

  it('is symmetric', () => {
    const parameter = fc.double({ min: 0.5, max: 1e5, noNaN: true });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), parameter, parameter, (drawn, a, b) => {
        // of a tiny number the complement is not exact: that of the complement is
        const y = 1 - drawn;
        expect(incompleteBeta(1 - y, a, b) + incompleteBeta(y, b, a)).toBeCloseTo(1, 9);
      }),
    );
  });

  it('is a half at the middle of a symmetric one, up to a million', () => {
    for (const a of [1, 10, 1e3, 1e6]) expect(incompleteBeta(0.5, a, a)).toBeCloseTo(0.5, 8);
  });
});

describe('binomialCdf', () => {
  it('equals the sum of the terms', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: -1, max: 301 }),
        fc.double({ min: 0.01, max: 0.9, noNaN: true }),
        (trials, count, p) => {
          expect(binomialCdf(count, trials, p)).toBeCloseTo(summed(count, trials, p), 9);
        },
      ),
    );
  });
});
