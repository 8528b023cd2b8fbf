import { describe, expect, it } from 'vitest';
import { deriveSeed, mulberry32 } from '../../../../plans/tuning/numeric/random.js';
import { scrambledSobol, sobolDimensions } from '../../../../plans/tuning/numeric/sobol.js';

describe('mulberry32', () => {
  it('gives the published sequence for a seed', () => {
    const random = mulberry32(1);
    // First three outputs of the public-domain reference implementation for seed 1.
    expect([random.uniform(), random.uniform(), random.uniform()]).toEqual([
      0.6270739405881613, 0.002735721180215478, 0.5274470399599522,
    ]);
  });

  it('has normals of mean 0 and variance 1', () => {
    const random = mulberry32(7);
    const values = Array.from({ length: 20_000 }, () => random.normal());
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    expect(mean).toBeCloseTo(0, 1);
    expect(variance).toBeCloseTo(1, 1);
  });

  it('derives different seeds from different counters and orders', () => {
    const seeds = [
      deriveSeed(1),
      deriveSeed(1, 0),
      deriveSeed(1, 1),
      deriveSeed(1, 0, 1),
      deriveSeed(1, 1, 0),
      deriveSeed(2),
    ];
    expect(new Set(seeds).size).toBe(seeds.length);
  });
});

describe('scrambledSobol', () => {
  it.each([1, 2, 3])('has one point in every interval of length 1/64 of each dimension (seed %i)', (seed) => {
    const sobol = scrambledSobol(sobolDimensions, seed);
    const points = Array.from({ length: 64 }, () => sobol.next());
    for (let d = 0; d < sobolDimensions; d++)
      expect(new Set(points.map((point) => Math.floor(point[d]! * 64))).size).toBe(64);
  });

  it('fills every 1/16 × 1/16 square of the first two dimensions once with 256 points', () => {
    const sobol = scrambledSobol(2, 5);
    const squares = Array.from({ length: 256 }, () => sobol.next()).map(
      ([x, y]) => Math.floor(x! * 16) * 16 + Math.floor(y! * 16),
    );
    expect(new Set(squares).size).toBe(256);
  });

  it('keeps all dimensions uncorrelated, those beyond the table too', () => {
    const dimensions = sobolDimensions + 3;
    const sobol = scrambledSobol(dimensions, 9);
    const points = Array.from({ length: 512 }, () => sobol.next());
    for (let a = 0; a < dimensions; a++)
      for (let b = 0; b < a; b++) {
        const covariance =
          points.reduce((sum, point) => sum + (point[a]! - 0.5) * (point[b]! - 0.5), 0) / points.length;
        expect(Math.abs(covariance * 12)).toBeLessThan(0.2);
      }
  });

  it('repeats itself for a seed and not for another', () => {
    const take = (seed: number) => Array.from(scrambledSobol(4, seed).next());
    expect(take(3)).toEqual(take(3));
    expect(take(3)).not.toEqual(take(4));
  });
});
