import { describe, expect, it } from 'vitest';
import { lotus } from '../../../../bench/cascade/anchors.js';
import { population } from '../../../../bench/cascade/populations.js';
import { ours, simulate } from '../../../../bench/cascade/simulate.js';
import { rejected } from './guarantee.js';

const target = { recall: 0.9, precision: 0.9, confidence: 0.95 };

describe('the test of the guarantee', () => {
  it('rejects a learner that uses a normal approximation on rare positives', () => {
    const drawn = population('rare 5 %', 1200, 11);
    const setting = { population: drawn, scheme: 'importance', budget: 50, runs: 1000, seed: 7 } as const;
    expect(rejected(simulate(setting, lotus, [target])[0]!.recallFailures, 0.05)).toBe(true);
  });

  it('is met with room for few failures only: the uniform test spends most of its risk', () => {
    const drawn = population('anti-correlated', 5000, 11);
    const setting = { population: drawn, scheme: 'uniform', budget: 150, runs: 1000, seed: 7 } as const;
    const tally = simulate(setting, ours, [{ recall: 0.9, confidence: 0.9 }])[0]!;
    expect(tally.recallFailures).toBeGreaterThan(20);
    expect(rejected(tally.recallFailures, 0.1)).toBe(false);
  });
});

describe('calls', () => {
  it.each([
    ['sharp', 'uniform', 200, 0.2],
    ['informative', 'uniform', 200, 0.55],
    ['sharp', 'importance', 200, 0.25],
    ['all positive', 'uniform', 50, 0.05],
  ] as const)('%s proxy, %s sample of %i: under a share of %d', (name, scheme, budget, share) => {
    const setting = { population: population(name, 2000, 1), scheme, budget, runs: 100, seed: 7 };
    expect(simulate(setting, ours, [target])[0]!.callShare).toBeLessThan(share);
  });
});
