import { expect, test } from 'vitest';
import { paperConstants } from '../../../plans/placement/cost-model.js';
import { cheapest, dpSteps } from '../../../plans/placement/dp.js';
import { instanceOf } from '../../../plans/placement/instance.js';
import { priceTree } from '../../../plans/placement/price.js';
import { descend } from '../../../plans/placement/search.js';
import { putIn, takeOut } from '../../../plans/placement/skeleton.js';
import { maxDpSteps, placeByCost } from '../../../plans/placement/steps/place-by-cost.js';
import { mulberry32, type Random } from '../../../plans/tuning/numeric/random.js';
import { pick, randomTree } from './random-trees.js';

const draw = (filters: number, relations: number, random: Random) =>
  takeOut(
    randomTree(
      { relations, filters, unary: 0.3, joins: ['inner', 'inner', 'left', 'semi', 'cross'], rich: false },
      random,
    ),
  );

test('the search is never better than the DP and nearly always as good', () => {
  const random = mulberry32(5);
  let optimal = 0;
  for (let round = 0; round < 1000; round++) {
    const skeleton = draw(1 + Math.floor(random.uniform() * 8), 1 + Math.floor(random.uniform() * 6), random);
    const constants = {
      ...paperConstants,
      alpha: pick([1e-7, 1e-3, 0.1, 1], random),
      joinSelectivity: random.uniform(),
    };
    const instance = instanceOf(skeleton, { constants });
    const best = cheapest(instance).cost;
    const { placement, cost } = descend(instance);
    expect(cost).toBeGreaterThanOrEqual(best * (1 - 1e-9));
    expect(priceTree(putIn(skeleton, placement).root, { constants }).cost).toBeCloseTo(cost, 3);
    // the order of ties is free
    const placed = putIn(skeleton, placeByCost(skeleton, { constants }).placement);
    expect(priceTree(placed.root, { constants }).cost / best).toBeCloseTo(1, 9);
    if (cost <= best * (1 + 1e-9)) optimal++;
  }
  expect(optimal).toBeGreaterThan(950);
});

test('24 filters are beyond the DP, 16 are not', () => {
  const random = mulberry32(6);
  const many = draw(24, 3, random);
  expect(dpSteps(instanceOf(many, { constants: paperConstants }))).toBeGreaterThan(maxDpSteps);
  expect(placeByCost(many, { constants: paperConstants }).optimal).toBe(false);
  expect(placeByCost(draw(16, 6, random), { constants: paperConstants }).optimal).toBe(true);
});
