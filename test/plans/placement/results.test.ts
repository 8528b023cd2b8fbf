/** Every strategy gives the rows of the query as written, on random trees over random tables. */
import { expect, test } from 'vitest';
import { paperConstants } from '../../../plans/placement/cost-model.js';
import { placeOperators, placementStrategies } from '../../../plans/placement/strategies.js';
import { mulberry32 } from '../../../plans/tuning/numeric/random.js';
import { run } from './evaluate.js';
import { randomWorld } from './random-world.js';
import { allJoins, pick, randomTree } from './random-trees.js';

test('3,000 random queries: the same bag of rows under each strategy', () => {
  const random = mulberry32(11);
  let rows = 0;
  let fewer = 0;
  for (let round = 0; round < 3000; round++) {
    const tree = randomTree(
      {
        relations: 1 + Math.floor(random.uniform() * 3),
        filters: 1 + Math.floor(random.uniform() * 3),
        unary: 0.5,
        joins: allJoins,
        rich: true,
      },
      random,
    );
    const world = randomWorld(tree.root, random);
    const written = run(tree.root, tree.output, world);
    rows += written.result.length;
    const constants = { ...paperConstants, alpha: pick([1e-7, 0.1, 10], random) };
    for (const strategy of placementStrategies) {
      const placed = placeOperators(tree, strategy, { constants });
      const ran = run(placed.tree.root, tree.output, world);
      if (JSON.stringify(ran.result) !== JSON.stringify(written.result)) {
        expect.fail(`${strategy}, round ${round}: ${JSON.stringify({ tree, placed: placed.tree })}`);
      }
      if (ran.calls < written.calls) fewer++;
    }
  }
  expect(rows).toBeGreaterThan(3000);
  expect(fewer).toBeGreaterThan(300);
});
