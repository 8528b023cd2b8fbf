import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binomialCdf, logGamma } from '../../../../../plans/physical/cascade/bounds/beta.js';
import {
  clopperPearson,
  fewestTrials,
  largestMisses,
} from '../../../../../plans/physical/cascade/bounds/clopper-pearson.js';

const alphas = [0.1, 0.05, 0.01];

describe('clopperPearson', () => {
  it.each(alphas)('has the closed forms at none and at all (alpha %d)', (alpha) => {
    for (const n of [1, 5, 29, 1000]) {
      expect(clopperPearson(0, n, alpha)).toEqual({ lower: 0, upper: expect.closeTo(1 - alpha ** (1 / n), 10) });
      expect(clopperPearson(n, n, alpha)).toEqual({ lower: expect.closeTo(alpha ** (1 / n), 10), upper: 1 });
    }
  });

  it('knows nothing of no trials', () => {
    expect(clopperPearson(0, 0, 0.05)).toEqual({ lower: 0, upper: 1 });
  });

  it('covers, each side with 1 − alpha, at every proportion', () => {
    const trials = 40;
    for (const alpha of alphas) {
      const intervals = Array.from({ length: trials + 1 }, (_, x) => clopperPearson(x, trials, alpha));
      for (let p = 0.01; p < 1; p += 0.01) {
        const chance = (x: number) => binomialCdf(x, trials, p) - binomialCdf(x - 1, trials, p);
        const missed = (outside: (x: number) => boolean) =>
          intervals.reduce((sum, _, x) => sum + (outside(x) ? chance(x) : 0), 0);
        expect(missed((x) => intervals[x]!.upper < p)).toBeLessThanOrEqual(alpha + 1e-9);
        expect(missed((x) => intervals[x]!.lower > p)).toBeLessThanOrEqual(alpha + 1e-9);
      }
    }
  });
});

describe('largestMisses', () => {
  it('is the last count whose upper bound is within the rate', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 400 }),
        fc.double({ min: 0.02, max: 0.4, noNaN: true }),
        fc.constantFrom(...alphas),
        (trials, rate, alpha) => {
          const misses = largestMisses(trials, rate, alpha);
          if (misses >= 0) expect(clopperPearson(misses, trials, alpha).upper).toBeLessThanOrEqual(rate + 1e-9);
          expect(clopperPearson(misses + 1, trials, alpha).upper).toBeGreaterThan(rate - 1e-9);
        },
      ),
    );
  });

  // The tests' counts are hypergeometric, the limits are the binomial's.
  it('keeps its level when drawing without replacement', () => {
    for (const alpha of alphas)
      for (const rate of [0.05, 0.1, 0.3])
        for (const population of [20, 60, 200, 1000])
          for (let trials = 1; trials <= population; trials += Math.ceil(population / 40)) {
            const bad = Math.min(population, Math.floor(rate * population) + 1);
            const misses = largestMisses(trials, rate, alpha);
            expect(hypergeometricCdf(misses, population, bad, trials)).toBeLessThanOrEqual(alpha + 1e-9);
          }
  });
});

describe('fewestTrials', () => {
  it('is where no miss begins to be enough', () => {
    expect(fewestTrials(0.1, 0.05)).toBe(29);
    for (const rate of [0.01, 0.1, 0.2])
      for (const alpha of alphas) {
        const trials = fewestTrials(rate, alpha);
        expect(largestMisses(trials, rate, alpha)).toBeGreaterThanOrEqual(0);
        expect(largestMisses(trials - 1, rate, alpha)).toBe(-1);
      }
  });
});

function hypergeometricCdf(count: number, population: number, bad: number, trials: number): number {
  const choose = (n: number, k: number) => logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
  let sum = 0;
  for (let x = Math.max(0, trials - population + bad); x <= Math.min(count, bad, trials); x++)
    sum += Math.exp(choose(bad, x) + choose(population - bad, trials - x) - choose(population, trials));
  return sum;
}
