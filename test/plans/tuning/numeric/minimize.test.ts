import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minimize } from '../../../../plans/tuning/numeric/minimize.js';
import type { Differentiable } from '../../../../plans/tuning/numeric/minimize.js';

const box = (n: number, low: number, high: number) => ({
  lower: new Float64Array(n).fill(low),
  upper: new Float64Array(n).fill(high),
  maxIterations: 300,
});

const rosenbrock: Differentiable = (x, gradient) => {
  gradient.fill(0);
  let sum = 0;
  for (let i = 0; i + 1 < x.length; i++) {
    const a = x[i + 1]! - x[i]! ** 2;
    const b = 1 - x[i]!;
    sum += 100 * a * a + b * b;
    gradient[i]! += -400 * a * x[i]! - 2 * b;
    gradient[i + 1]! += 200 * a;
  }
  return sum;
};

describe('minimize', () => {
  it('finds the minimum of Rosenbrock in five dimensions', () => {
    const found = minimize(rosenbrock, new Float64Array(5).fill(-0.5), box(5, -2, 2));
    found.x.forEach((value) => expect(value).toBeCloseTo(1, 3));
  });

  it('stops at the bound of a convex quadratic whose minimum is outside', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 1, maxLength: 6 }), (centre) => {
        const bowl: Differentiable = (x, gradient) => {
          x.forEach((value, i) => (gradient[i] = 2 * (i + 1) * (value - centre[i]!)));
          return x.reduce((sum, value, i) => sum + (i + 1) * (value - centre[i]!) ** 2, 0);
        };
        const found = minimize(bowl, new Float64Array(centre.length), box(centre.length, -1, 1));
        found.x.forEach((value, i) => expect(value).toBeCloseTo(Math.min(1, Math.max(-1, centre[i]!)), 4));
      }),
    );
  });

  it('backs off from where the function is not defined, and never gets worse than the start', () => {
    const walled: Differentiable = (x, gradient) => {
      gradient[0] = -1;
      return x[0]! > 0.5 ? NaN : -x[0]!;
    };
    const found = minimize(walled, Float64Array.from([0]), box(1, -1, 1));
    expect(found.value).toBeLessThanOrEqual(0);
    expect(found.x[0]).toBeLessThanOrEqual(0.5);
  });

  it('returns a start that is itself not defined', () => {
    expect(minimize(() => NaN, Float64Array.from([0.3]), box(1, 0, 1)).x[0]).toBe(0.3);
  });
});
