/** One share of the 10,000 random trees on which the DP is held against brute force. */
import { expect } from 'vitest';
import type { CostConstants } from '../../../plans/placement/cost-model.js';
import { cheapest } from '../../../plans/placement/dp.js';
import { instanceOf } from '../../../plans/placement/instance.js';
import { priceTree } from '../../../plans/placement/price.js';
import { putIn, takeOut } from '../../../plans/placement/skeleton.js';
import { decomposeJoins } from '../../../plans/placement/steps/decompose-joins.js';
import { splitConjunctions } from '../../../plans/placement/steps/split-conjunctions.js';
import { problemsOf } from '../../../plans/placement/validate.js';
import { mulberry32, type Random } from '../../../plans/tuning/numeric/random.js';
import { bruteForce } from './brute-force.js';
import { allJoins, pick, randomTree } from './random-trees.js';

/** More placements than this take too long; such trees are drawn again. */
const mostPlans = 2500;

function randomConstants(random: Random): CostConstants {
  return {
    alpha: pick([0, 1e-7, 1e-5, 1e-3, 0.01, 0.1, 1, 10], random),
    selectivity: random.uniform(),
    joinSelectivity: random.uniform(),
    crossSelectivity: pick([1, 1, random.uniform()], random),
  };
}

/** Compares on `trees` trees of `filters` filters; gives how many of them had a choice between costs. */
export function compareWithBruteForce(seed: number, trees: number, filters: (random: Random) => number): void {
  const random = mulberry32(seed);
  let compared = 0;
  let plans = 0;
  while (compared < trees) {
    const shape = {
      relations: 1 + Math.floor(random.uniform() * 4),
      filters: filters(random),
      unary: random.uniform() * 0.5,
      joins: random.uniform() < 0.5 ? (['inner', 'inner', 'cross'] as const) : allJoins,
      rich: random.uniform() < 0.3,
    };
    const drawn = randomTree(shape, random);
    const tree = splitConjunctions(decomposeJoins(drawn).tree).tree;
    const constants = randomConstants(random);
    const least = bruteForce(tree.root, constants, mostPlans);
    if (least === undefined) continue;
    compared++;
    plans += least.plans;
    const skeleton = takeOut(tree);
    const { placement, cost } = cheapest(instanceOf(skeleton, { constants }));
    const placed = putIn(skeleton, placement);
    const about = (): string => JSON.stringify({ seed, compared, constants, tree });
    if (!near(cost, least.cost)) expect.fail(`DP ${cost}, brute force ${least.cost}: ${about()}`);
    const walked = priceTree(placed.root, { constants }).cost;
    if (!near(walked, cost)) expect.fail(`the walk prices ${walked}, the DP ${cost}: ${about()}`);
    const problems = problemsOf(placed);
    if (problems.length > 0) expect.fail(`${problems.join('; ')}: ${about()}`);
  }
  // most trees must offer a choice, or nothing was compared
  expect(plans).toBeGreaterThan(10 * trees);
}

function near(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other));
}
