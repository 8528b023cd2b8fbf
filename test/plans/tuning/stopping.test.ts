import { describe, expect, it } from 'vitest';
import type { Standing } from '../../../plans/tuning/best.js';
import { emptyHistory, recordTrial } from '../../../plans/tuning/history.js';
import { planReevaluation } from '../../../plans/tuning/reevaluation.js';
import { countedTrials, stopReason } from '../../../plans/tuning/stopping.js';

const history = (count: number, priceUsd = 0.1) =>
  Array.from({ length: count }, (_, i) => ({
    id: `t${i}`,
    configuration: {},
    status: 'done' as const,
    priceUsd,
  })).reduce(recordTrial, emptyHistory(1, 50));
const outlook = { expectedGain: 0.05, rowsAhead: 1000, usdPerUtility: 0.002, priceUsd: 0.05 };

describe('stopReason', () => {
  it('goes on while the gain is worth the price', () => {
    expect(stopReason(history(12), { trials: 20, usd: 2, seconds: 60 }, outlook, 10)).toBeUndefined();
  });

  it('names each limit', () => {
    expect(stopReason(history(20), { trials: 20 }, outlook)).toBe('trials');
    expect(stopReason(history(10), { usd: 1.04 }, outlook)).toBe('usd');
    expect(stopReason(history(1), { seconds: 60 }, outlook, 60)).toBe('seconds');
    expect(stopReason(history(1), {}, undefined)).toBe('exhausted');
  });

  it('stops when the gain over all rows ahead is less than the price, but not before ten trials', () => {
    const poor = { ...outlook, expectedGain: 0.001 };
    expect(stopReason(history(10), {}, poor)).toBe('not-worth-it');
    expect(stopReason(history(9), {}, poor)).toBeUndefined();
  });

  it('neither counts nor refuses free trials', () => {
    expect(countedTrials(history(30, 0))).toBe(0);
    expect(stopReason(history(30), { trials: 20, usd: 1 }, { ...outlook, priceUsd: 0 })).toBeUndefined();
  });
});

const standing = (id: string, mean: number, deviation: number): Standing => ({
  trialIds: [id],
  configuration: {},
  goals: [{ mean, deviation }],
  probabilityFeasible: 1,
  excess: 0,
  noise: 0,
});

describe('planReevaluation', () => {
  it('spends on rivals that are close and uncertain, nothing on one far behind', () => {
    const plan = planReevaluation([standing('a', 0.5, 0.05), standing('b', 0.49, 0.05), standing('c', 0.1, 0.02)], {
      repeats: 6,
      noise: 0.06,
    });
    expect(plan.map(({ trialId }) => trialId)).toEqual(['a', 'b']);
    expect(plan.reduce((sum, { repeats }) => sum + repeats, 0)).toBe(6);
  });

  it('spends nothing when all is known, nobody else is there, or the price is too high', () => {
    expect(planReevaluation([standing('a', 0.5, 0), standing('b', 0.4, 0)], { repeats: 5, noise: 0.1 })).toEqual([]);
    expect(planReevaluation([standing('a', 0.5, 0.1)], { repeats: 5, noise: 0.1 })).toEqual([]);
    expect(planReevaluation([], { repeats: 5, noise: 0.1 })).toEqual([]);
    const close = [standing('a', 0.5, 0.05), standing('b', 0.49, 0.05)];
    expect(planReevaluation(close, { repeats: 5, noise: 0.1, priceInUtility: 1 })).toEqual([]);
  });

  it('sees the worth of several repeats where one changes nothing', () => {
    const plan = planReevaluation([standing('a', 0.5, 0.001), standing('b', 0.4, 0.05)], { repeats: 40, noise: 0.3 });
    expect(plan[0]!.repeats).toBeGreaterThan(1);
  });
});
