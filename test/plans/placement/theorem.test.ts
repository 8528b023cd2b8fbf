/** PLOP, Theorem 4.1: lifting one filter past one operator never raises its distinct prompts, nor changes the result. */
import { expect, test } from 'vitest';
import { callsOf } from '../../../plans/placement/condition.js';
import { placementOf, putIn, takeOut } from '../../../plans/placement/skeleton.js';
import { pushDown } from '../../../plans/placement/steps/push-down.js';
import { mulberry32 } from '../../../plans/tuning/numeric/random.js';
import { run } from './evaluate.js';
import { randomWorld } from './random-world.js';
import { allJoins, randomTree } from './random-trees.js';

test('lifting past one operator, 10,000 times over random tables', () => {
  const random = mulberry32(41);
  let lifts = 0;
  let fewer = 0;
  while (lifts < 10_000) {
    const shape = {
      relations: 1 + Math.floor(random.uniform() * 3),
      filters: 2,
      unary: 0.5,
      joins: allJoins,
      rich: false,
    };
    const skeleton = takeOut(pushDown(randomTree(shape, random)).tree);
    const world = randomWorld(skeleton.tree.root, random);
    const { output } = skeleton.tree;
    skeleton.filters.forEach((filter, lifted) => {
      const { id } = callsOf(filter.condition)[0]!;
      const ran = filter.path.map((place) => {
        const tree = putIn(
          skeleton,
          placementOf(skeleton, ({ path }, index) => (index === lifted ? place : path[0]!)),
        );
        return run(tree.root, output, world);
      });
      for (let level = 1; level < ran.length; level++) {
        const before = ran[level - 1]!.prompts.get(id) ?? 0;
        const after = ran[level]!.prompts.get(id) ?? 0;
        if (after > before)
          expect.fail(`${before} to ${after} prompts: ${JSON.stringify(skeleton)} ${filter.path[level]}`);
        if (after < before) fewer++;
        expect(ran[level]!.result).toEqual(ran[0]!.result);
        lifts++;
      }
    });
  }
  // the theorem is idle where nothing is ever spared
  expect(fewer).toBeGreaterThan(lifts / 20);
});
