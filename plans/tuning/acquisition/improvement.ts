/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { improvementSlope, inverseMills, logCdf, logImprovement, logSumExp } from '../numeric/normal.js';
import { channelAt } from './channel.js';
import type { Channel, ChannelAt, Slopes } from './channel.js';

/** Log of an acquisition value at a point; adds its slopes where asked. */
export type Acquisition = (features: Float64Array, known: Float64Array, slopes?: Slopes) => number;

/**
 * Log noisy expected improvement, with limits: ln of the mean over draws of EI over that draw's best feasible base point,
 * times the probability that every limit is ≤ 0. A draw in which no base point is feasible counts improvement from below
 * everything seen, which leaves feasibility to decide.
 */
export function logNoisyImprovement(goal: Channel, limits: readonly Channel[], draws: number): Acquisition {
  const incumbents = bestOfDraws(goal, limits, draws);
  const terms = new Float64Array(draws);
  return (features, known, slopes) => {
    const at = channelAt(goal, draws, features, known);
    const limitsAt = limits.map((limit) => channelAt(limit, draws, features, known));
    for (let s = 0; s < draws; s++) {
      let term = logImprovement((at.means[s]! - incumbents[s]!) / at.deviation) + Math.log(at.deviation);
      for (const limit of limitsAt) term += logCdf(-limit.means[s]! / limit.deviation);
      terms[s] = term;
    }
    const total = logSumExp(terms);
    if (slopes) {
      const shares = terms.map((term) => Math.exp(term - total));
      addGoalSlopes(at, incumbents, shares, slopes);
      for (const limit of limitsAt) addLimitSlopes(limit, shares, slopes);
    }
    return total - Math.log(draws);
  };
}

/** Value of the best base point of each draw that keeps every limit. */
function bestOfDraws(goal: Channel, limits: readonly Channel[], draws: number): Float64Array {
  const count = goal.base.length / draws;
  let low = Infinity;
  let high = -Infinity;
  for (const value of goal.base) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const nothing = low - 0.5 * (high - low);
  return Float64Array.from({ length: draws }, (_, s) => {
    let best = -Infinity;
    for (let i = 0; i < count; i++)
      if (limits.every((limit) => limit.base[s * count + i]! <= 0)) best = Math.max(best, goal.base[s * count + i]!);
    return best === -Infinity ? nothing : best;
  });
}

function addGoalSlopes(at: ChannelAt, incumbents: Float64Array, shares: Float64Array, slopes: Slopes): void {
  const { deviation } = at;
  let deviationWeight = 0;
  const meanWeights = shares.map((share, s) => {
    const u = (at.means[s]! - incumbents[s]!) / deviation;
    const slope = improvementSlope(u, logImprovement(u));
    deviationWeight += (share * (1 - slope * u)) / deviation;
    return (share * slope) / deviation;
  });
  at.addSlopes(meanWeights, deviationWeight, slopes);
}

function addLimitSlopes(limit: ChannelAt, shares: Float64Array, slopes: Slopes): void {
  const { deviation } = limit;
  let deviationWeight = 0;
  const meanWeights = shares.map((share, s) => {
    const u = -limit.means[s]! / deviation;
    const slope = (share * inverseMills(u)) / deviation;
    deviationWeight -= slope * u;
    return -slope;
  });
  limit.addSlopes(meanWeights, deviationWeight, slopes);
}
