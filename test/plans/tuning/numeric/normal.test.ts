import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  erfcx,
  improvementSlope,
  inverseMills,
  logCdf,
  logImprovement,
  logSumExp,
} from '../../../../plans/tuning/numeric/normal.js';

/** erfcx by its continued fraction, good for x ≥ 1.5. */
function byFraction(x: number): number {
  let tail = 0;
  for (let k = 400; k >= 1; k--) tail = k / 2 / (x + tail);
  return 1 / (Math.sqrt(Math.PI) * (x + tail));
}

/** erfcx by the series of erf, good for small x. */
function bySeries(x: number): number {
  let term = x;
  let erf = x;
  for (let k = 1; k < 200; k++) {
    term *= (-x * x) / k;
    erf += term / (2 * k + 1);
  }
  return Math.exp(x * x) * (1 - (2 / Math.sqrt(Math.PI)) * erf);
}

describe('erfcx', () => {
  it('agrees with its series and its continued fraction', () => {
    for (let x = 0; x < 1.5; x += 0.01) expect(erfcx(x) / bySeries(x)).toBeCloseTo(1, 11);
    for (let x = 1.5; x < 60; x *= 1.03) expect(erfcx(x) / byFraction(x)).toBeCloseTo(1, 12);
  });
});

describe('log h', () => {
  it('has the closed form where that is exact, and joins without a jump', () => {
    expect(logImprovement(0)).toBeCloseTo(Math.log(1 / Math.sqrt(2 * Math.PI)), 12);
    for (const joint of [-1, -1e4]) {
      const gap = logImprovement(joint * (1 + 1e-9)) - logImprovement(joint * (1 - 1e-9));
      expect(Math.abs(gap)).toBeLessThan(1e-6 * Math.abs(logImprovement(joint)));
    }
  });

  it('keeps its precision far down: ln h(u) → ln φ(u) − 2 ln(−u) + ln(1 − 3/u²)', () => {
    for (const u of [-100, -300, -1000, -3000, -9000]) {
      const asymptote = -0.5 * u * u - 0.5 * Math.log(2 * Math.PI) - 2 * Math.log(-u) + Math.log1p(-3 / u ** 2);
      expect(logImprovement(u) - asymptote).toBeCloseTo(0, 6);
    }
    expect(logImprovement(-1e100)).toBeLessThan(-1e199);
  });

  it('has the slopes of finite differences', () => {
    fc.assert(
      fc.property(fc.double({ min: -50, max: 8, noNaN: true }), (u) => {
        const h = 1e-5 * (1 + Math.abs(u));
        const slope = (logImprovement(u + h) - logImprovement(u - h)) / (2 * h);
        expect(improvementSlope(u, logImprovement(u)) / slope).toBeCloseTo(1, 4);
        const mills = (logCdf(u + h) - logCdf(u - h)) / (2 * h);
        expect(Math.abs(inverseMills(u) - mills)).toBeLessThan(1e-4 * (1 + Math.abs(mills)));
      }),
    );
  });
});

describe('log-sum-exp', () => {
  it('neither over- nor underflows', () => {
    expect(logSumExp(Float64Array.from([-1000, -1000]))).toBeCloseTo(-1000 + Math.LN2, 12);
    expect(logSumExp(Float64Array.from([-Infinity, -Infinity]))).toBe(-Infinity);
  });
});
