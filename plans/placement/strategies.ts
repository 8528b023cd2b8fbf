/** Where the semantic operators of a query stand, by strategy: the steps in their order. */
import { type CostModel, paperConstants } from './cost-model.js';
import { type Price, priceTree } from './price.js';
import { placementOf, putIn, type Placement, type Skeleton, takeOut } from './skeleton.js';
import { decomposeJoins } from './steps/decompose-joins.js';
import { placeByCost } from './steps/place-by-cost.js';
import { pullUpProjections } from './steps/pull-up-projections.js';
import { pullUp } from './steps/pull-up.js';
import { pushDown } from './steps/push-down.js';
import { settle } from './steps/settle.js';
import { splitConjunctions } from './steps/split-conjunctions.js';
import type { Stepped, StepName, TraceEntry } from './trace.js';
import type { PlacementTree } from './tree.js';
import { checked } from './validate.js';

export const placementStrategies = ['pushdown', 'pullup', 'cost'] as const;
export type PlacementStrategy = (typeof placementStrategies)[number];

interface Chosen {
  readonly placement: Placement;
  readonly trace: readonly TraceEntry[];
}

type Rewrite = readonly [StepName, (tree: PlacementTree) => Stepped];

const split: Rewrite = ['split-conjunctions', splitConjunctions];
const decompose: Rewrite = ['decompose-joins', decomposeJoins];
const projections: Rewrite = ['pull-up-projections', pullUpProjections];
const low: Rewrite = ['push-down', pushDown];

interface Strategy {
  /** In order: joins first, as they leave conditions to split; filters go down last, as projections took some along. */
  readonly rewrites: readonly Rewrite[];
  readonly place: (skeleton: Skeleton, model: CostModel) => Chosen;
}

const strategies: Readonly<Record<PlacementStrategy, Strategy>> = {
  pushdown: { rewrites: [decompose, split, low], place: (skeleton) => ({ placement: lowest(skeleton), trace: [] }) },
  pullup: { rewrites: [decompose, split, projections, low], place: pullUp },
  cost: { rewrites: [decompose, split, projections, low], place: placeByCost },
};

function lowest(skeleton: Skeleton): Placement {
  return placementOf(skeleton, ({ path: [origin = ''] }) => origin);
}

export interface Placed {
  readonly strategy: PlacementStrategy;
  readonly tree: PlacementTree;
  readonly trace: readonly TraceEntry[];
  readonly price: Price;
}

/**
 * Places the semantic operators of a tree.
 *
 * @throws FermataError `Internal` when the tree is unsound, or a step has made it so.
 *
 * @example
 * const { tree, trace, price } = placeOperators(built, 'cost', { constants: { ...paperConstants, alpha: 1e-6 } });
 */
export function placeOperators(
  tree: PlacementTree,
  strategy: PlacementStrategy,
  model: CostModel = { constants: paperConstants },
): Placed {
  const { rewrites, place } = strategies[strategy];
  const trace: TraceEntry[] = [];
  let rewritten = checked(tree, 'planning');
  for (const [name, rewrite] of rewrites) {
    const stepped = rewrite(rewritten);
    rewritten = checked(stepped.tree, name);
    trace.push(...stepped.trace);
  }
  const skeleton = takeOut(rewritten);
  const chosen = place(skeleton, model);
  const settled = settle(skeleton, chosen.placement);
  trace.push(...chosen.trace, ...settled.trace);
  const placed = checked(putIn(skeleton, settled.placement), strategy);
  return { strategy, tree: placed, trace, price: priceTree(placed.root, model) };
}
