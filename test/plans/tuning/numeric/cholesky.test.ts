import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  appendRow,
  factor,
  factorWithJitter,
  invert,
  logDeterminant,
  solve,
} from '../../../../plans/tuning/numeric/cholesky.js';
import { mulberry32 } from '../../../../plans/tuning/numeric/random.js';

/** B·Bᵀ + I: positive definite. */
function positive(size: number, seed: number): Float64Array {
  const random = mulberry32(seed);
  const b = Array.from({ length: size }, () => Array.from({ length: size }, () => random.normal()));
  const a = new Float64Array(size * size);
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++)
      a[i * size + j] = b[i]!.reduce((sum, value, k) => sum + value * b[j]![k]!, i === j ? 1 : 0);
  return a;
}

function times(a: Float64Array, x: Float64Array): number[] {
  const size = x.length;
  return Array.from({ length: size }, (_, i) => x.reduce((sum, value, j) => sum + a[i * size + j]! * value, 0));
}

describe('cholesky', () => {
  it('solves, inverts and appends rows of random positive definite matrices', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer(), (size, seed) => {
        const a = positive(size, seed);
        const full = factor(a, size)!;
        const b = Float64Array.from({ length: size }, (_, i) => Math.sin(i + 1));
        times(a, solve(full, b)).forEach((value, i) => expect(value).toBeCloseTo(b[i]!, 8));
        const inverse = invert(full);
        for (let i = 0; i < size; i++)
          times(a, inverse.slice(i * size, (i + 1) * size)).forEach((value, k) =>
            expect(value).toBeCloseTo(Number(i === k), 8),
          );
        if (size === 1) return;
        const small = size - 1;
        const leading = Float64Array.from(
          { length: small * small },
          (_, k) => a[Math.floor(k / small) * size + (k % small)]!,
        );
        const grown = appendRow(
          factor(leading, small)!,
          a.slice(small * size, small * size + small),
          a[size * size - 1]!,
        );
        grown.lower.forEach((value, k) => expect(value).toBeCloseTo(full.lower[k]!, 9));
      }),
      { numRuns: 60 },
    );
  });

  it('has the log determinant of a diagonal matrix', () => {
    expect(logDeterminant(factor(Float64Array.from([2, 0, 0, 8]), 2)!)).toBeCloseTo(Math.log(16), 12);
  });

  it('adds jitter only where needed: none, for a singular matrix a little, for NaN no factor', () => {
    expect(factorWithJitter(positive(5, 1), 5)!.jitter).toBe(0);
    const ones = new Float64Array(16).fill(1);
    expect(factor(ones, 4)).toBeUndefined();
    const jittered = factorWithJitter(ones, 4)!;
    expect(jittered.jitter).toBeGreaterThan(0);
    expect(jittered.jitter).toBeLessThan(1e-6);
    expect(factorWithJitter(new Float64Array(4).fill(NaN), 2)).toBeUndefined();
    expect(factorWithJitter(Float64Array.from([1, 5, 5, 1]), 2)).toBeUndefined();
  });
});
