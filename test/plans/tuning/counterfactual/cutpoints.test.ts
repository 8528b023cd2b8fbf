import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketsOfRows, isComplete, missingAnswers } from '../../../../plans/tuning/counterfactual/answers.js';
import { optimiseCutpoints, smoothed } from '../../../../plans/tuning/counterfactual/cutpoints.js';
import type { RowRecord } from '../../../../plans/tuning/counterfactual/cutpoints.js';
import { mulberry32 } from '../../../../plans/tuning/numeric/random.js';

function records(buckets: number, rows: number, seed: number): RowRecord[] {
  const random = mulberry32(seed);
  return Array.from({ length: buckets }, (_, k) => ({
    quality: Array.from({ length: rows }, () => Number(random.uniform() < 0.4 + 0.2 * k)),
    seconds: Array.from({ length: rows }, () => 0.1 * 4 ** k),
    usd: Array.from({ length: rows }, () => 1e-5 * 10 ** k),
  }));
}

const score = (m: Readonly<Record<string, number>>) =>
  m['quality']! - 0.4 * Math.log1p(m['latencySeconds']!) - 30 * m['costUsd']!;

/** Metrics of a routing, row by row. */
function replay(all: readonly RowRecord[], masses: readonly number[]) {
  const rows = all[0]!.quality.length;
  const total = { quality: 0, latencySeconds: 0, costUsd: 0 };
  bucketsOfRows(masses, rows).forEach((bucket, row) => {
    total.quality += all[bucket]!.quality[row]! / rows;
    total.latencySeconds += all[bucket]!.seconds[row]!;
    total.costUsd += all[bucket]!.usd[row]!;
  });
  return total;
}

describe('optimiseCutpoints', () => {
  it('is at least as good as every other routing, and means what the router does', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer(),
        (buckets, rows, seed) => {
          const all = records(buckets, rows, seed);
          const found = optimiseCutpoints(all, score);
          expect(score(replay(all, found.masses))).toBeCloseTo(found.score, 9);
          const random = mulberry32(seed);
          for (let i = 0; i < 50; i++) {
            const cuts = Array.from({ length: buckets - 1 }, () => Math.floor(random.uniform() * (rows + 1))).sort(
              (a, b) => a - b,
            );
            const masses = [...cuts, rows].map((cut, k) => (cut - (cuts[k - 1] ?? 0)) / rows);
            expect(score(replay(all, masses))).toBeLessThanOrEqual(found.score + 1e-9);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('takes the cheaper buckets when scores are equal', () => {
    expect(optimiseCutpoints(records(3, 10, 1), () => 0).masses).toEqual([1, 0, 0]);
  });

  it('stays within its limit for many rows and buckets', () => {
    const found = optimiseCutpoints(records(6, 400, 2), score);
    expect(found.masses.reduce((sum, mass) => sum + mass, 0)).toBeCloseTo(1, 9);
  });

  it('says so when there is nothing to choose', () => {
    expect(() => optimiseCutpoints([], score)).toThrow(RangeError);
    expect(() => optimiseCutpoints(records(2, 3, 1), () => NaN)).toThrow(RangeError);
  });
});

describe('smoothed', () => {
  it('keeps a constant, stays in range and draws single rows towards their neighbours', () => {
    smoothed(new Array<number>(20).fill(1), 0.1).forEach((value) => expect(value).toBeCloseTo(1, 12));
    const one = smoothed([0, 0, 0, 0, 1, 0, 0, 0, 0, 0], 0.2);
    expect(Math.max(...one)).toBeLessThan(0.5);
    expect(one.indexOf(Math.max(...one))).toBe(4);
  });
});

describe('missing answers', () => {
  const table = {
    implementations: [
      { answered: [true, true, false, false], usdPerAnswer: 0.1 },
      { answered: [true, true, true, true], usdPerAnswer: 1 },
    ],
  };

  it('are those that the routing asks for and nobody has', () => {
    expect(missingAnswers([0.5, 0.5], table)).toEqual({ answers: 0, usd: 0 });
    expect(missingAnswers([0.75, 0.25], table)).toEqual({ answers: 1, usd: 0.1 });
    expect(missingAnswers([1, 0], table)).toEqual({ answers: 2, usd: 0.2 });
  });

  it('end when everyone has seen everything', () => {
    expect(isComplete(table)).toBe(false);
    expect(isComplete({ implementations: table.implementations.slice(1) })).toBe(true);
  });

  it('count rows as ranks: masses of rounding error move no row', () => {
    expect(bucketsOfRows([0.1 + 0.2, 0.7], 10)).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 1, 1]);
    expect(bucketsOfRows([0, 0, 1], 2)).toEqual([2, 2]);
  });
});
