import { describe, expect, it } from 'vitest';
import { population } from '../../../../bench/cascade/populations.js';
import { ours, simulate } from '../../../../bench/cascade/simulate.js';
import { recommendSample } from '../../../../plans/physical/cascade/recommend.js';
import { mulberry32 } from '../../../../plans/tuning/numeric/random.js';

const targets = { recall: 0.9, precision: 0.9, confidence: 0.95 };

/** Scores that are the probabilities of their labels. */
function calibrated(size: number, power: number) {
  const random = mulberry32(4);
  const scores = Float64Array.from({ length: size }, () => {
    const u = random.uniform();
    return u < 0.5 ? (2 * u) ** power / 2 : 1 - (2 - 2 * u) ** power / 2;
  });
  return { name: 'calibrated', scores, labels: Uint8Array.from(scores, (p) => (random.uniform() < p ? 1 : 0)) };
}

describe('recommendSample', () => {
  it('expects about the calls that come about, when scores are probabilities', () => {
    const drawn = calibrated(3000, 6);
    const { size, expectedOracleCalls } = recommendSample(drawn.scores, targets);
    const setting = { population: drawn, scheme: 'uniform', budget: size, runs: 100, seed: 3 } as const;
    const share = simulate(setting, ours, [targets])[0]!.callShare;
    expect(Math.abs(share - expectedOracleCalls / 3000)).toBeLessThan(0.1);
  });

  it('is about as good as the best size tried', () => {
    const drawn = calibrated(3000, 6);
    const share = (budget: number) =>
      simulate({ population: drawn, scheme: 'uniform', budget, runs: 60, seed: 3 }, ours, [targets])[0]!.callShare;
    const best = Math.min(...[60, 120, 200, 350, 600, 1000].map(share));
    expect(share(recommendSample(drawn.scores, targets).size)).toBeLessThan(best + 0.05);
  });

  it('samples relatively less of a larger table', () => {
    const small = recommendSample(calibrated(1000, 6).scores, targets);
    const large = recommendSample(calibrated(100_000, 6).scores, targets);
    expect(large.size).toBeGreaterThan(small.size);
    expect(large.size / 100_000).toBeLessThan(small.size / 1000);
  });

  it('asks about all at once where sampling cannot pay', () => {
    const { scores } = population('sharp', 30, 1);
    expect(recommendSample(scores, targets)).toEqual({ size: 0, expectedOracleCalls: 30 });
    expect(recommendSample(new Float64Array(1000), targets)).toEqual({ size: 0, expectedOracleCalls: 1000 });
    expect(recommendSample([], targets)).toEqual({ size: 0, expectedOracleCalls: 0 });
    expect(recommendSample(calibrated(1000, 6).scores, { ...targets, recall: 1, precision: 1 }).size).toBe(0);
  });
});
