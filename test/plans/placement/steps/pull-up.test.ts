/** Pull-up against Algorithm 1 of PLOP as printed: swaps of a filter with its parent until a pass makes none. */
import { expect, test } from 'vitest';
import { inputsOf, postOrder } from '../../../../plans/placement/children.js';
import { readsOf } from '../../../../plans/placement/condition.js';
import { barrier } from '../../../../plans/placement/crossing.js';
import { takeOut } from '../../../../plans/placement/skeleton.js';
import { pullUp } from '../../../../plans/placement/steps/pull-up.js';
import type { PlanNode } from '../../../../plans/placement/tree.js';
import { mulberry32 } from '../../../../plans/tuning/numeric/random.js';
import { allJoins, randomTree } from '../random-trees.js';

/** Filter → the operator on whose output it ends; the tree is held as links that the swaps change. */
function algorithmOne(root: PlanNode): ReadonlyMap<string, string> {
  const nodes = new Map(postOrder(root).map((node) => [node.id, node]));
  const parent = new Map<string, { id: string; side: number }>();
  const children = new Map<string, string[]>();
  for (const node of nodes.values()) {
    children.set(
      node.id,
      inputsOf(node).map(({ id }) => id),
    );
    inputsOf(node).forEach(({ id }, side) => parent.set(id, { id: node.id, side }));
  }
  const filters = [...nodes.values()].filter((node) => node.kind === 'semantic-filter');
  for (let swapped = true; swapped; ) {
    swapped = false;
    for (const filter of filters) {
      const above = parent.get(filter.id);
      if (above === undefined) continue;
      const p = nodes.get(above.id)!;
      if (p.kind.startsWith('semantic') || barrier(p, above.side, readsOf(filter.condition)) !== undefined) continue;
      const [below] = children.get(filter.id)!;
      const grand = parent.get(p.id);
      children.get(p.id)![above.side] = below!;
      parent.set(below!, above);
      children.set(filter.id, [p.id]);
      parent.set(p.id, { id: filter.id, side: 0 });
      if (grand === undefined) parent.delete(filter.id);
      else {
        children.get(grand.id)![grand.side] = filter.id;
        parent.set(filter.id, grand);
      }
      swapped = true;
    }
  }
  const under = (id: string): string => (nodes.get(id)!.kind === 'semantic-filter' ? under(children.get(id)![0]!) : id);
  return new Map(filters.map(({ id }) => [id, under(id)]));
}

test('ends where Algorithm 1 ends or, past a filter that is stuck, higher: 2,000 random trees', () => {
  const random = mulberry32(7);
  let same = 0;
  for (let round = 0; round < 2000; round++) {
    const relations = 1 + Math.floor(random.uniform() * 4);
    const tree = randomTree({ relations, filters: 4, unary: 0.5, joins: allJoins, rich: false }, random);
    const skeleton = takeOut(tree);
    const { placement } = pullUp(skeleton);
    const ends = new Map(
      [...placement].flatMap(([id, indexes]) =>
        indexes.map((index) => [skeleton.filters[index]!.node.id, id] as const),
      ),
    );
    const printed = algorithmOne(tree.root);
    for (const { node, path } of skeleton.filters) {
      const level = path.indexOf(ends.get(node.id)!);
      expect(level).toBe(path.length - 1);
      expect(level).toBeGreaterThanOrEqual(path.indexOf(printed.get(node.id)!));
    }
    if ([...ends].every(([id, place]) => printed.get(id) === place)) same++;
  }
  expect(same).toBeGreaterThan(1200);
});
