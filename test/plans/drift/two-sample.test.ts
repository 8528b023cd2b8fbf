import { describe, expect, test } from 'vitest';
import { kolmogorovSmirnov, levelOf, stabilityIndex } from '../../../plans/drift/two-sample.js';
import { mulberry32 } from '../../../plans/tuning/numeric/random.js';

const random = mulberry32(7);
const sample = (size: number, of: () => number) => Float64Array.from({ length: size }, of).sort();
const shareUpTo = (values: ArrayLike<number>, at: number) =>
  Array.from(values).filter((value) => value <= at).length / values.length;

describe('Kolmogorov–Smirnov', () => {
  test('finds the distance that trying every value finds, with ties and sizes that differ', () => {
    for (let round = 0; round < 200; round++) {
      const draw = () => Math.floor(random.uniform() * 6);
      const [a, b] = [sample(1 + Math.floor(random.uniform() * 12), draw), sample(1 + (round % 9), draw)];
      const tried = [...a, ...b].map((at) => Math.abs(shareUpTo(a, at) - shareUpTo(b, at)));
      expect(kolmogorovSmirnov(a, b).statistic).toBeCloseTo(Math.max(...tried), 12);
    }
  });

  test('has the critical values of the tables', () => {
    // D at level α is c(α)·√((n + m)/(n·m)), with c(0.05) = 1.358 and c(0.01) = 1.628.
    expect(levelOf(1.358 * Math.sqrt(2 / 1e8), 1e8, 1e8)).toBeCloseTo(0.05, 3);
    expect(levelOf(1.628 * Math.sqrt(2 / 1e8), 1e8, 1e8)).toBeCloseTo(0.01, 3);
    expect(levelOf(0, 10, 10)).toBe(1);
    expect(levelOf(1, 100, 100)).toBeLessThan(1e-12);
  });

  test('rejects one distribution no more often than its level says, and finds a shift', () => {
    const trials = 1000;
    let [rejected, found] = [0, 0];
    for (let round = 0; round < trials; round++) {
      const then = sample(80, () => random.normal());
      if (
        kolmogorovSmirnov(
          then,
          sample(60, () => random.normal()),
        ).p < 0.05
      )
        rejected += 1;
      if (
        kolmogorovSmirnov(
          then,
          sample(60, () => random.normal() + 1),
        ).p < 0.05
      )
        found += 1;
    }
    // Three standard errors of a share of 0.05.
    expect(rejected / trials).toBeLessThanOrEqual(0.05 + 3 * Math.sqrt((0.05 * 0.95) / trials));
    expect(rejected).toBeGreaterThan(0);
    expect(found / trials).toBeGreaterThan(0.99);
  });
});

describe('the stability index', () => {
  test('is that of the formula on counts by hand', () => {
    const then = Float64Array.from({ length: 20 }, (_, at) => at);
    expect(stabilityIndex(then, then)).toBe(0);
    // Deciles of two rows each; all of the other rows lie in the last one.
    const [p, q, last] = [2.5 / 25, 0.5 / 25, 20.5 / 25];
    const expected = 9 * (q - p) * Math.log(q / p) + (last - p) * Math.log(last / p);
    expect(stabilityIndex(then, new Float64Array(20).fill(100))).toBeCloseTo(expected, 12);
  });

  test('takes what many rows share as one bin', () => {
    const zeros = new Float64Array(50);
    expect(stabilityIndex(zeros, zeros)).toBe(0);
    expect(stabilityIndex(zeros, new Float64Array(50).fill(-1))).toBeGreaterThan(1);
  });

  test('is below 0.1 for large samples of one distribution', () => {
    const draw = () => sample(2000, () => random.normal());
    expect(stabilityIndex(draw(), draw())).toBeLessThan(0.1);
    expect(
      stabilityIndex(
        draw(),
        sample(2000, () => random.normal() + 1),
      ),
    ).toBeGreaterThan(0.5);
  });
});
