/** Algorithm 2 of PLOP as a step: the DP where it is quick enough, a search above that. */
import type { CostModel } from '../cost-model.js';
import { cheapest, dpSteps } from '../dp.js';
import { instanceOf } from '../instance.js';
import { descend } from '../search.js';
import type { Placement, Skeleton } from '../skeleton.js';
import { orderTies } from '../tie-order.js';
import type { TraceEntry } from '../trace.js';

/**
 * Most steps of the DP: about half a second. 16 filters that may stand anywhere in a plan of 30 operators are within it
 * (2^16 · 17 steps an operator).
 */
export const maxDpSteps = 5e7;

export interface PlacedByCost {
  readonly placement: Placement;
  /** Expected calls + α · relational rows. */
  readonly cost: number;
  /** Whether no placement is cheaper under the model. */
  readonly optimal: boolean;
  readonly trace: readonly TraceEntry[];
}

/** The cheapest placement under the model. */
export function placeByCost(skeleton: Skeleton, model: CostModel): PlacedByCost {
  const instance = instanceOf(skeleton, model);
  const optimal = dpSteps(instance) <= maxDpSteps;
  const { placement: found, cost } = optimal ? cheapest(instance) : descend(instance);
  const placement = orderTies(instance, found);
  const how = optimal ? 'cheapest of all placements' : 'cheapest found; too many filters to try all placements';
  const trace = [...placement].flatMap(([over, indexes]) =>
    indexes.flatMap((index): TraceEntry[] => {
      const filter = skeleton.filters[index];
      if (filter === undefined) return [];
      const level = filter.path.indexOf(over);
      const place = level === 0 ? 'stays lowest' : `lifted over ${level} of ${filter.path.length - 1} operators`;
      return [{ step: 'place-by-cost', node: filter.node.id, over, reason: `${place}: ${how}` }];
    }),
  );
  return { placement, cost, optimal, trace };
}
