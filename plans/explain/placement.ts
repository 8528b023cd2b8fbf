/** One explain model for placed hybrid plans: what the text, the JSON and the report print. */
import { inputsOf } from '../placement/children.js';
import { conditionText } from '../placement/condition.js';
import type { CallPrice, NodePrice } from '../placement/price.js';
import type { Placed } from '../placement/strategies.js';
import type { TraceEntry } from '../placement/trace.js';
import type { NodeId, NodeKind, NodeOf, PlanNode } from '../placement/tree.js';

/** What a run counted of a node. */
export interface Measured {
  /** Distinct inputs that needed an answer. */
  readonly distinct: number;
  readonly calls: number;
  readonly cached: number;
  readonly usd: number;
  /** Calls whose price is not known; `usd` is without them. */
  readonly unpriced: number;
}

export interface ExplainedNode {
  readonly id: NodeId;
  readonly kind: NodeKind;
  /** What it does, in a few words. */
  readonly title: string;
  /** Estimated rows of the output. */
  readonly rows: number;
  /** Estimates of a semantic node; absent for plain ones. */
  readonly asks?: {
    /** Distinct prompts of its input, were no semantic filter below. */
    readonly distinct: number;
    readonly calls: number;
    /** Absent: the price of a call is not known. */
    readonly usd?: number;
    /** Offsets in the query of the calls. */
    readonly positions: readonly number[];
  };
  /** Calls + α · relational rows, of this node alone. */
  readonly cost: number;
  readonly measured?: Measured;
  /** Why it stands where it stands. */
  readonly reasons: readonly string[];
  readonly inputs: readonly ExplainedNode[];
}

export interface ExplainedPlan {
  readonly strategy: string;
  readonly root: ExplainedNode;
  readonly calls: number;
  /** Absent: the price of some call is not known. */
  readonly usd?: number;
  /** Rows of relational work, with look-ups of answers. */
  readonly relationalRows: number;
  readonly cost: number;
  readonly trace: readonly TraceEntry[];
}

/** The explain model of a placed tree. */
export function explainPlacement(placed: Placed): ExplainedPlan {
  const { strategy, tree, trace, price } = placed;
  const usd = usdOf([...price.nodes.values()].flatMap(({ asks }) => asks));
  return {
    strategy,
    root: explainNode(tree.root, placed),
    calls: price.calls,
    ...(usd === undefined ? {} : { usd }),
    relationalRows: price.work + price.lookups,
    cost: price.cost,
    trace,
  };
}

function explainNode(node: PlanNode, placed: Placed): ExplainedNode {
  const price = placed.price.nodes.get(node.id);
  return {
    id: node.id,
    kind: node.kind,
    title: titleOf(node),
    rows: price?.rows ?? 0,
    ...asksOf(price),
    cost: price?.cost ?? 0,
    reasons: reasonsOf(node.id, placed.trace),
    inputs: inputsOf(node).map((input) => explainNode(input, placed)),
  };
}

function asksOf(price: NodePrice | undefined): Pick<ExplainedNode, 'asks'> {
  if (price === undefined || price.asks.length === 0) return {};
  const sum = (part: (ask: CallPrice) => number): number => price.asks.reduce((total, ask) => total + part(ask), 0);
  const usd = usdOf(price.asks);
  const positions = price.asks.flatMap(({ call }) => call.positions ?? []);
  const asks = { distinct: sum(({ distinct }) => distinct), calls: sum(({ calls }) => calls), positions };
  return { asks: { ...asks, ...(usd === undefined ? {} : { usd }) } };
}

/** An unknown price makes the sum unknown, never zero. */
function usdOf(asks: readonly CallPrice[]): number | undefined {
  return asks.reduce<number | undefined>(
    (sum, { call, calls }) => (sum === undefined || call.usd === undefined ? undefined : sum + calls * call.usd),
    0,
  );
}

/** The last word of each step about a node, with what it crossed. */
function reasonsOf(id: NodeId, trace: readonly TraceEntry[]): readonly string[] {
  const steps = [...new Set(trace.filter(({ node }) => node === id).map(({ step }) => step))];
  return steps.map((step) => {
    const entries = trace.filter((entry) => entry.node === id && entry.step === step);
    const crossed = entries.flatMap(({ over }) => (over === undefined ? [] : [over]));
    const over = crossed.length === 0 ? '' : ` (${crossed.join(', ')})`;
    return `${step}${over}: ${entries.at(-1)?.reason ?? ''}`;
  });
}

const listed = (columns: readonly string[]): string => columns.join(', ');

const titles: { readonly [Kind in NodeKind]: (node: NodeOf<Kind>) => string } = {
  relation: ({ relation }) => `Scan ${relation}`,
  filter: ({ condition }) => `Filter ${conditionText(condition)}`,
  where: ({ condition }) => `Where ${conditionText(condition)}`,
  project: ({ keeps, makes }) => `Project ${listed([...keeps, ...makes.map(({ column }) => column)])}`,
  join: ({ join, reads }) => `${join} join${reads.length === 0 ? '' : ` on ${reads.join(' = ')}`}`,
  aggregate: ({ keys }) => (keys.length === 0 ? 'Aggregate' : `Aggregate by ${listed(keys)}`),
  distinct: ({ columns, on }) => (on === undefined ? `Distinct ${listed(columns)}` : `Distinct on ${listed(on)}`),
  window: ({ makes }) => `Window ${listed(makes.map(({ column }) => column))}`,
  limit: ({ rows }) => `Limit ${rows}`,
  sample: ({ rows }) => `Sample ${rows}`,
  order: ({ reads }) => `Order by ${listed(reads)}`,
  set: ({ makes }) => `Set operation giving ${listed(makes)}`,
  unnest: ({ makes }) => `Unnest ${listed(makes.map(({ column }) => column))}`,
  fence: ({ why }) => `Fence: ${why}`,
  'semantic-filter': ({ condition }) => `SemanticFilter ${conditionText(condition)}`,
  'semantic-projection': ({ call, makes }) => `SemanticProjection ${makes} := ${call.intent ?? call.id}`,
  'semantic-join': ({ join, condition }) => `SemanticJoin (${join}) ${conditionText(condition)}`,
};

function titleOf(node: PlanNode): string {
  return node.label ?? (titles[node.kind] as (node: PlanNode) => string)(node);
}
