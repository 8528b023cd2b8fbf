/** A placement problem in numbers: what the DP and the search above its bound work on. */
import { inputsOf, postOrder, rowsOf } from './children.js';
import { callsOf, type SemanticCall } from './condition.js';
import { type CostModel, distinctPrompts, factsOf, type FilterFacts, joinLike, relationalWork } from './cost-model.js';
import { relationsBelow, relationsOf } from './lineage.js';
import type { Placeable, Skeleton } from './skeleton.js';
import type { NodeId, PlanNode } from './tree.js';

/** One call at one place. */
export interface InstanceCall {
  /** Distinct prompts there, with no filter applied. */
  readonly distinct: number;
  /** Filters that read a relation of the call, and so spare it prompts. */
  readonly sparedBy: readonly boolean[];
}

export interface InstanceNode {
  readonly id: NodeId;
  /** Indexes into `nodes`. */
  readonly inputs: readonly number[];
  /** c(u), in rows. */
  readonly work: number;
  /** Rows that each filter still to come looks up: the output of a join, else 0. */
  readonly probed: number;
  /** Filters that read a relation below. */
  readonly shrunkBy: readonly boolean[];
  /** Calls of a semantic operator that stays here. */
  readonly asks: readonly InstanceCall[];
  /** Filters whose lowest place is this one. */
  readonly starts: readonly number[];
}

export interface InstancePlace {
  /** Index into `nodes`. */
  readonly node: number;
  readonly calls: readonly InstanceCall[];
}

export interface InstanceFilter {
  readonly share: number;
  /** From the lowest to the highest. */
  readonly places: readonly InstancePlace[];
}

export interface Instance {
  readonly alpha: number;
  /** Inputs before the node that reads them; the root is the last. */
  readonly nodes: readonly InstanceNode[];
  readonly filters: readonly InstanceFilter[];
}

/** The numbers of a skeleton under a cost model. */
export function instanceOf({ tree, filters }: Skeleton, model: CostModel): Instance {
  const nodes = postOrder(tree.root);
  const indexes = new Map(nodes.map((node, at) => [node.id, at]));
  const origins = filters.map((filter) => originOf(filter, nodes, indexes));
  const facts = filters.map((filter, at) => factsOf(filter.condition, origins[at] ?? tree.root, model));
  const indexOf = (id: NodeId): number => indexes.get(id) ?? -1;
  return {
    alpha: model.constants.alpha,
    nodes: nodes.map((node) => ({
      id: node.id,
      inputs: inputsOf(node).map(({ id }) => indexOf(id)),
      work: relationalWork(node),
      probed: joinLike.has(node.kind) ? rowsOf(node) : 0,
      shrunkBy: touching(relationsBelow(node), facts),
      asks: fixedCalls(node).map(({ call, at }) => callAt(call, at, at, facts, model)),
      starts: filters.flatMap((_, index) => (origins[index]?.id === node.id ? [index] : [])),
    })),
    filters: filters.map((filter, index) => ({
      share: facts[index]?.share ?? 1,
      places: filter.path.flatMap((id) => {
        const node = nodes[indexOf(id)];
        const origin = origins[index];
        if (node === undefined || origin === undefined) return [];
        const calls = callsOf(filter.condition).map((call) => callAt(call, node, origin, facts, model));
        return [{ node: indexOf(id), calls }];
      }),
    })),
  };
}

function originOf(
  { path: [origin = ''] }: Placeable,
  nodes: readonly PlanNode[],
  indexes: ReadonlyMap<NodeId, number>,
): PlanNode | undefined {
  return nodes[indexes.get(origin) ?? -1];
}

/** Columns are traced at the origin: a projection higher up may not keep them until the filter is put above it. */
function callAt(
  call: SemanticCall,
  node: PlanNode,
  origin: PlanNode,
  facts: readonly FilterFacts[],
  model: CostModel,
): InstanceCall {
  return {
    distinct: distinctPrompts(node, call, model, origin),
    sparedBy: touching(relationsOf(origin, call.reads), facts),
  };
}

function touching(relations: readonly string[], facts: readonly FilterFacts[]): readonly boolean[] {
  return facts.map((one) => relations.some((relation) => one.relations.has(relation)));
}

function fixedCalls(node: PlanNode): readonly { readonly call: SemanticCall; readonly at: PlanNode }[] {
  if (node.kind === 'semantic-projection') return [{ call: node.call, at: node.input }];
  if (node.kind === 'semantic-filter') return callsOf(node.condition).map((call) => ({ call, at: node.input }));
  return node.kind === 'semantic-join' ? callsOf(node.condition).map((call) => ({ call, at: node })) : [];
}
