/** Prices a finished tree: one walk from the leaves up, C_LLM + α · C_rel of PLOP §3.1. */
import { inputsOf, postOrder, rowsOf } from './children.js';
import { callsOf, type SemanticCall } from './condition.js';
import {
  type CostModel,
  distinctPrompts,
  factsOf,
  type FilterFacts,
  joinLike,
  relationalWork,
  selectivity,
} from './cost-model.js';
import { relationsBelow, relationsOf } from './lineage.js';
import { isMovable, standing } from './skeleton.js';
import type { NodeId, PlanNode } from './tree.js';

/** What one call of a node is expected to ask. */
export interface CallPrice {
  readonly call: SemanticCall;
  /** Distinct prompts on the input, were no semantic filter below. */
  readonly distinct: number;
  /** Those that the filters below leave. */
  readonly calls: number;
}

export interface NodePrice {
  /** Rows of the output, behind the filters below and at the node. */
  readonly rows: number;
  readonly asks: readonly CallPrice[];
  /** Rows of relational work. */
  readonly work: number;
  /** Probes of the answer cache that later filters make on this join's output. */
  readonly lookups: number;
  /** Calls + α · (work + lookups). */
  readonly cost: number;
}

export interface Price {
  readonly calls: number;
  readonly work: number;
  readonly lookups: number;
  readonly cost: number;
  readonly nodes: ReadonlyMap<NodeId, NodePrice>;
}

/** The price of a tree whose filters stand where they stand; their `origin` says which joins they were lifted over. */
export function priceTree(root: PlanNode, model: CostModel): Price {
  const origins = originsOf(root);
  const nodes = new Map<NodeId, NodePrice>();
  walk(root, model, origins, nodes);
  const prices = [...nodes.values()];
  const sum = (part: (price: NodePrice) => number): number => prices.reduce((total, price) => total + part(price), 0);
  return {
    calls: sum(({ asks }) => asks.reduce((total, { calls }) => total + calls, 0)),
    work: sum(({ work }) => work),
    lookups: sum(({ lookups }) => lookups),
    cost: sum(({ cost }) => cost),
    nodes,
  };
}

/** Origin → how many filters started over it. */
function originsOf(root: PlanNode): ReadonlyMap<NodeId, number> {
  const origins = new Map<NodeId, number>();
  for (const node of postOrder(root)) {
    if (!isMovable(node)) continue;
    const origin = node.origin ?? standing(node).id;
    origins.set(origin, (origins.get(origin) ?? 0) + 1);
  }
  return origins;
}

interface Below {
  /** Movable filters applied so far. */
  readonly applied: readonly FilterFacts[];
  /** Movable filters that started in this subtree. */
  readonly started: number;
}

function walk(
  node: PlanNode,
  model: CostModel,
  origins: ReadonlyMap<NodeId, number>,
  nodes: Map<NodeId, NodePrice>,
): Below {
  const inputs = inputsOf(node).map((input) => walk(input, model, origins, nodes));
  const before = inputs.flatMap(({ applied }) => applied);
  const asks = asksOf(node, before, model);
  const calls = asks.reduce((total, ask) => total + ask.calls, 0);
  const started = inputs.reduce((total, input) => total + input.started, origins.get(node.id) ?? 0);
  if (isMovable(node)) {
    const applied = [...before, factsOf(node.condition, node.input, model)];
    const rows = rowsOf(node) * selectivity(relationsBelow(node), applied);
    nodes.set(node.id, { rows, asks, work: 0, lookups: 0, cost: calls });
    return { applied, started };
  }
  const share = selectivity(relationsBelow(node), before);
  const work = relationalWork(node) * share;
  // filters that start on this join's own output wait for it just as those from below it do
  const waiting = started - before.length;
  const lookups = joinLike.has(node.kind) ? rowsOf(node) * share * waiting : 0;
  nodes.set(node.id, {
    rows: rowsOf(node) * share,
    asks,
    work,
    lookups,
    cost: calls + model.constants.alpha * (work + lookups),
  });
  return { applied: before, started };
}

function asksOf(node: PlanNode, applied: readonly FilterFacts[], model: CostModel): readonly CallPrice[] {
  const [at, calls] = asked(node);
  return calls.map((call) => {
    const distinct = distinctPrompts(at, call, model);
    return { call, distinct, calls: distinct * selectivity(relationsOf(at, call.reads), applied) };
  });
}

/** The operator whose output the prompts are made from, and the calls. */
function asked(node: PlanNode): readonly [PlanNode, readonly SemanticCall[]] {
  if (node.kind === 'semantic-filter') return [standing(node.input), callsOf(node.condition)];
  if (node.kind === 'semantic-projection') return [standing(node.input), [node.call]];
  return node.kind === 'semantic-join' ? [node, callsOf(node.condition)] : [node, []];
}
