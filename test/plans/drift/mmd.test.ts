import { describe, expect, test } from 'vitest';
import { meanDiscrepancy } from '../../../plans/drift/mmd.js';
import { mulberry32 } from '../../../plans/tuning/numeric/random.js';

const random = mulberry32(3);
const vectors = (size: number, shift: number, spread = 1) =>
  Array.from({ length: size }, () => [0, 1, 2].map(() => spread * random.normal() + shift));

/** By the definition, pair by pair. */
function byHand(a: number[][], b: number[][]): number {
  const squared = (x: number[], y: number[]) => x.reduce((sum, value, at) => sum + (value - y[at]!) ** 2, 0);
  const all = [...a, ...b];
  const pairs = all.flatMap((x, i) => all.slice(i + 1).map((y) => squared(x, y))).sort((x, y) => x - y);
  const width = pairs[pairs.length >> 1]!;
  const mean = (x: number[][], y: number[][]) =>
    x.flatMap((one) => y.map((other) => Math.exp(-squared(one, other) / width))).reduce((sum, k) => sum + k, 0) /
    (x.length * y.length);
  return mean(a, a) + mean(b, b) - 2 * mean(a, b);
}

describe('the discrepancy of means', () => {
  test('is that of its definition', () => {
    for (let round = 0; round < 20; round++) {
      const [a, b] = [vectors(2 + (round % 5), 0), vectors(3 + (round % 4), round % 2)];
      expect(meanDiscrepancy(a, b, 1).statistic).toBeCloseTo(byHand(a, b), 10);
    }
  });

  test('rejects one distribution no more often than its level says', () => {
    const trials = 200;
    let rejected = 0;
    for (let round = 0; round < trials; round++) {
      if (meanDiscrepancy(vectors(10, 0), vectors(12, 0), round).p <= 0.1) rejected += 1;
    }
    expect(rejected / trials).toBeLessThanOrEqual(0.1 + 3 * Math.sqrt((0.1 * 0.9) / trials));
    expect(rejected).toBeGreaterThan(0);
  });

  test('finds another place and another spread', () => {
    expect(meanDiscrepancy(vectors(40, 0), vectors(40, 1), 1).p).toBeLessThan(0.005);
    expect(meanDiscrepancy(vectors(60, 0), vectors(60, 0, 3), 1).p).toBeLessThan(0.005);
  });

  test('of vectors that are all the same is nothing, and of too few an error', () => {
    const same = Array.from({ length: 5 }, () => [1, 2]);
    expect(meanDiscrepancy(same, same, 1)).toEqual({ statistic: expect.closeTo(0, 12) as number, p: 1 });
    expect(() => meanDiscrepancy([[1]], same, 1)).toThrow(RangeError);
  });
});
