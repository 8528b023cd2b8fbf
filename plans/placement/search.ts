/**
 * Places filters where the DP would take too long (more than some 17 in one subtree): descent from the better of all-low and
 * all-high. Each pass tries every place of every filter, others held, and takes what is cheaper; it ends when a pass finds
 * nothing. Filters on one operator stand in the order of N / (1 − s), which is the cheapest for filters that spare each other.
 * No bound on the distance to the optimum; on random trees it is the optimum in most cases (test/plans/placement/search.test.ts).
 */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import type { Instance, InstanceCall, InstanceFilter } from './instance.js';
import type { Placement } from './skeleton.js';

/** A placement that no single move makes cheaper, and its cost. */
export function descend(instance: Instance): { readonly placement: Placement; readonly cost: number } {
  const { filters } = instance;
  const starts = [filters.map(() => 0), filters.map(({ places }) => places.length - 1)];
  const costs = starts.map((levels) => costAt(instance, levels));
  const levels = [...starts[costs[0]! < costs[1]! ? 0 : 1]!];
  let cost = Math.min(...costs);
  for (let moved = true; moved; ) {
    moved = false;
    for (let filter = 0; filter < filters.length; filter++) {
      const found = bestLevel(instance, levels, filter);
      if (found.cost >= cost * (1 - 1e-12)) continue;
      levels[filter] = found.level;
      cost = found.cost;
      moved = true;
    }
  }
  return { placement: placementAt(instance, levels), cost };
}

function bestLevel(instance: Instance, levels: readonly number[], filter: number): { level: number; cost: number } {
  let best = { level: levels[filter]!, cost: Infinity };
  const tried = [...levels];
  for (let level = 0; level < instance.filters[filter]!.places.length; level++) {
    tried[filter] = level;
    const cost = costAt(instance, tried);
    if (cost < best.cost) best = { level, cost };
  }
  return best;
}

function placementAt({ nodes, filters }: Instance, levels: readonly number[]): Placement {
  return new Map(
    nodes.flatMap(({ id }, at) => {
      const here = standingAt(filters, levels, at);
      return here.length === 0 ? [] : [[id, here] as const];
    }),
  );
}

/** The filters of one operator, those first that remove the most for their prompts. */
function standingAt(filters: readonly InstanceFilter[], levels: readonly number[], at: number): readonly number[] {
  const rank = (filter: number): number => {
    const { share, places } = filters[filter]!;
    const prompts = places[levels[filter]!]!.calls.reduce((sum, { distinct }) => sum + distinct, 0);
    return share < 1 ? prompts / (1 - share) : Infinity;
  };
  return filters
    .flatMap(({ places }, filter) => (places[levels[filter]!]!.node === at ? [filter] : []))
    .sort((a, b) => rank(a) - rank(b) || a - b);
}

function costAt({ alpha, nodes, filters }: Instance, levels: readonly number[]): number {
  const below: number[][] = [];
  const started: number[] = [];
  let cost = 0;
  nodes.forEach((node, at) => {
    const applied = node.inputs.flatMap((input) => below[input]!);
    started[at] = node.inputs.reduce((sum, input) => sum + started[input]!, node.starts.length);
    const rows = node.work + node.probed * (started[at] - applied.length);
    cost += alpha * rows * shareOf(filters, applied, node.shrunkBy) + promptsOf(filters, node.asks, applied);
    for (const filter of standingAt(filters, levels, at)) {
      cost += promptsOf(filters, filters[filter]!.places[levels[filter]!]!.calls, applied);
      applied.push(filter);
    }
    below[at] = applied;
  });
  return cost;
}

function promptsOf(
  filters: readonly InstanceFilter[],
  calls: readonly InstanceCall[],
  applied: readonly number[],
): number {
  return calls.reduce((sum, { distinct, sparedBy }) => sum + distinct * shareOf(filters, applied, sparedBy), 0);
}

function shareOf(filters: readonly InstanceFilter[], applied: readonly number[], counted: readonly boolean[]): number {
  return applied.reduce((product, filter) => (counted[filter]! ? product * filters[filter]!.share : product), 1);
}
