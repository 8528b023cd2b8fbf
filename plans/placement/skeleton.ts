/** The operators without the semantic filters that may move, each of these with the places that it may take. */
import { inputsOf, postOrder, rebuild } from './children.js';
import { type Condition, readsOf } from './condition.js';
import { barrier, keeping } from './crossing.js';
import type { NodeId, PlacementTree, PlanNode, SemanticFilter } from './tree.js';

/** A semantic filter that may move. */
export interface Placeable {
  readonly node: Omit<SemanticFilter, 'input'>;
  readonly condition: Condition;
  /** Operators over which it may stand, from where it stood up to the first barrier. */
  readonly path: readonly NodeId[];
  /** What it would have to cross to get higher. */
  readonly stoppedBy: { readonly node: NodeId; readonly why: string } | undefined;
}

export interface Skeleton {
  readonly tree: PlacementTree;
  /** In the order in which the tree evaluated them. */
  readonly filters: readonly Placeable[];
}

/** Operator → the filters (by index) on its output, the first one lowest. Every filter occurs once, on its path. */
export type Placement = ReadonlyMap<NodeId, readonly number[]>;

/** Whether a node is a semantic filter that may move at all. */
export function isMovable(node: PlanNode): node is SemanticFilter {
  return node.kind === 'semantic-filter' && node.volatile !== true && node.raises !== true;
}

/** The nearest operator below that stays. */
export function standing(node: PlanNode): PlanNode {
  return isMovable(node) ? standing(node.input) : node;
}

/** Takes the movable semantic filters out of a tree. */
export function takeOut(tree: PlacementTree): Skeleton {
  const root = rebuild(tree.root, (node) => (isMovable(node) ? node.input : node));
  const parents = parentsOf(root);
  const filters = postOrder(tree.root)
    .filter(isMovable)
    .map((filter): Placeable => {
      const { input, ...node } = filter;
      return { node, condition: filter.condition, ...pathFrom(standing(input).id, filter.condition, parents) };
    });
  return { tree: { ...tree, root }, filters };
}

/** Puts the filters back, each where the placement says; projections that they crossed keep the columns they read. */
export function putIn({ tree, filters }: Skeleton, placement: Placement): PlacementTree {
  const crossed = new Map<NodeId, Set<string>>();
  for (const [place, indexes] of placement) {
    for (const index of indexes) {
      const filter = filters[index];
      if (filter === undefined) continue;
      for (const id of filter.path.slice(1, filter.path.indexOf(place) + 1)) {
        crossed.set(id, new Set([...(crossed.get(id) ?? []), ...readsOf(filter.condition)]));
      }
    }
  }
  const root = rebuild(tree.root, (node) => {
    let over = keeping(node, [...(crossed.get(node.id) ?? [])]);
    for (const index of placement.get(node.id) ?? []) {
      const filter = filters[index];
      const origin = filter?.path[0];
      if (filter !== undefined && origin !== undefined) over = { ...filter.node, input: over, origin };
    }
    return over;
  });
  return { ...tree, root };
}

/** Each filter on one operator of its path, in the order of the filters where several share one. */
export function placementOf(skeleton: Skeleton, place: (filter: Placeable, index: number) => NodeId): Placement {
  const placement = new Map<NodeId, number[]>();
  skeleton.filters.forEach((filter, index) => {
    const id = place(filter, index);
    placement.set(id, [...(placement.get(id) ?? []), index]);
  });
  return placement;
}

interface Above {
  readonly node: PlanNode;
  readonly side: number;
}

function parentsOf(root: PlanNode): ReadonlyMap<NodeId, Above> {
  return new Map(
    postOrder(root).flatMap((node) => inputsOf(node).map((input, side) => [input.id, { node, side }] as const)),
  );
}

function pathFrom(
  origin: NodeId,
  condition: Condition,
  parents: ReadonlyMap<NodeId, Above>,
): Pick<Placeable, 'path' | 'stoppedBy'> {
  const path = [origin];
  const reads = readsOf(condition);
  for (let above = parents.get(origin); above !== undefined; above = parents.get(above.node.id)) {
    const why = barrier(above.node, above.side, reads);
    if (why !== undefined) return { path, stoppedBy: { node: above.node.id, why } };
    path.push(above.node.id);
  }
  return { path, stoppedBy: undefined };
}
