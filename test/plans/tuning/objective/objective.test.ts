import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipped, normalisedCost, normalisedLatency } from '../../../../plans/tuning/objective/normalise.js';
import { criteriaOf, presets, scoreOf } from '../../../../plans/tuning/objective/objective.js';
import type { Objective } from '../../../../plans/tuning/objective/objective.js';

const reference = { latencySeconds: 60, costUsd: 0.125 };
const metrics = { quality: 0.8, latencySeconds: 12, costUsd: 0.02 };
const positive = fc.double({ min: 1e-6, max: 1e4, noNaN: true });

describe('normalised latency and cost', () => {
  it('are 0 for nothing, 1 for the reference, and grow', () => {
    expect(normalisedLatency(0, reference)).toBe(0);
    expect(normalisedLatency(60, reference)).toBeCloseTo(1, 12);
    expect(normalisedCost(0.125, reference)).toBeCloseTo(1, 12);
    expect(clipped(normalisedCost(10, reference))).toBe(1);
    fc.assert(
      fc.property(positive, positive, (a, b) => {
        fc.pre(Math.abs(a - b) > 1e-9 * (a + b));
        expect(normalisedLatency(a, reference) < normalisedLatency(b, reference)).toBe(a < b);
      }),
    );
  });
});

describe('utility', () => {
  it.each(Object.entries(presets))('is w_q·Q − w_l·L̂ − w_c·Ĉ for %s, split into quality and the rest', (_, weights) => {
    const [goal] = criteriaOf({ mode: 'utility', weights, reference }).goals;
    const rest = -weights.latency * normalisedLatency(12, reference) - weights.cost * normalisedCost(0.02, reference);
    expect(goal!.value(metrics)).toBeCloseTo(weights.quality * 0.8 + rest, 12);
    expect(goal!.split!.qualityWeight * 0.8 + goal!.split!.rest(metrics)).toBeCloseTo(goal!.value(metrics), 12);
  });

  it('does not need a metric whose weight is 0, and is NaN without one that counts', () => {
    const [goal] = criteriaOf({ mode: 'utility', weights: { quality: 1, latency: 0, cost: 0 }, reference }).goals;
    expect(goal!.value({ quality: 0.4 })).toBe(0.4);
    expect(goal!.value({ costUsd: 1 })).toBeNaN();
  });

  it.each([
    { quality: 0, latency: 0, cost: 0 },
    { quality: -1, latency: 1, cost: 1 },
    { quality: NaN, latency: 1, cost: 1 },
    { quality: Infinity, latency: 1, cost: 1 },
  ])('refuses weights %o', (weights) => {
    expect(() => criteriaOf({ mode: 'utility', weights, reference })).toThrow(/weights/);
  });
});

describe('constrained', () => {
  const objective: Extract<Objective, { mode: 'constrained' }> = {
    mode: 'constrained',
    weights: presets.balanced,
    reference,
    limits: { latencySeconds: 600, costUsd: 2 },
    extrapolation: 200,
    alpha: 2,
  };

  it('has log ratios of the extrapolated metrics: positive exactly when the limit is broken', () => {
    const { limits } = scoreOf(criteriaOf(objective), metrics);
    expect(limits).toEqual([
      expect.closeTo(Math.log((12 * 200) / 600), 12),
      expect.closeTo(Math.log((0.02 * 200) / 2), 12),
    ]);
  });

  it('or the penalty α·Σ ln(1 + v) of Appendix H', () => {
    const plain = criteriaOf({ mode: 'utility', weights: presets.balanced, reference }).goals[0]!.value(metrics);
    const { goals, limits } = scoreOf(criteriaOf({ ...objective, method: 'penalty' }), metrics);
    expect(goals[0]).toBeCloseTo(plain - 2 * (Math.log1p((2400 - 600) / 600) + Math.log1p((4 - 2) / 2)), 12);
    expect(limits).toEqual([]);
  });

  it('has no penalty within the limits', () => {
    const easy = { ...objective, method: 'penalty' as const, limits: { latencySeconds: 1e6 } };
    const plain = criteriaOf({ mode: 'utility', weights: presets.balanced, reference }).goals[0]!.value(metrics);
    expect(scoreOf(criteriaOf(easy), metrics).goals[0]).toBeCloseTo(plain, 12);
  });

  it.each([{ extrapolation: 0 }, { limits: { costUsd: 0 } }, { limits: { costUsd: NaN } }, { alpha: -1 }])(
    'refuses %o',
    (part) => {
      expect(() => criteriaOf({ ...objective, ...part })).toThrow(/limits and extrapolation/);
    },
  );
});
