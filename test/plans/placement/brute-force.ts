/**
 * All valid placements of the semantic filters of a tree, each priced by a walk of its own: the oracle for the DP. It takes
 * nothing from the code under test but the types of the tree.
 */
import type { CostConstants } from '../../../plans/placement/cost-model.js';
import type { Condition, SemanticCall } from '../../../plans/placement/condition.js';
import type { PlanNode } from '../../../plans/placement/tree.js';

interface Operator {
  readonly node: PlanNode;
  readonly inputs: readonly Operator[];
  /** Filters that stood on its output. */
  readonly standing: readonly string[];
  parent?: Operator;
  side: number;
}

interface Filter {
  readonly id: string;
  readonly condition: Condition;
  readonly places: readonly Operator[];
}

const inputsOf = (node: PlanNode): readonly PlanNode[] => {
  if ('inputs' in node) return node.inputs;
  if ('left' in node) return [node.left, node.right];
  return 'input' in node ? [node.input] : [];
};

/** The columns a condition reads and the calls it makes. */
function leavesOf(condition: Condition): { reads: string[]; calls: SemanticCall[] } {
  if (condition.kind === 'call') return { reads: [...condition.call.reads], calls: [condition.call] };
  if (condition.kind === 'plain') return { reads: [...condition.reads], calls: [] };
  const parts = (condition.kind === 'not' ? [condition.part] : condition.parts).map(leavesOf);
  return { reads: parts.flatMap(({ reads }) => reads), calls: parts.flatMap(({ calls }) => calls) };
}

function probability(condition: Condition, constants: CostConstants): number {
  switch (condition.kind) {
    case 'call':
      return condition.call.selectivity ?? constants.selectivity;
    case 'plain':
      return condition.share ?? 0.2;
    case 'not':
      return 1 - probability(condition.part, constants);
    case 'and':
      return condition.parts.map((part) => probability(part, constants)).reduce((a, b) => a * b, 1);
    case 'or':
      return 1 - condition.parts.map((part) => 1 - probability(part, constants)).reduce((a, b) => a * b, 1);
  }
}

/** May a filter over `reads` go from input `side` of the operator to its output? */
function passable(node: PlanNode, side: number, reads: readonly string[]): boolean {
  if (['filter', 'project', 'order', 'semantic-projection'].includes(node.kind)) return true;
  if (node.kind === 'distinct') return node.on === undefined && reads.every((read) => node.columns.includes(read));
  if (node.kind !== 'join' && node.kind !== 'semantic-join') return false;
  if (node.join === 'inner' || node.join === 'cross') return true;
  return side === (node.join === 'right' ? 1 : 0) && node.join !== 'full';
}

/** Takes the filters off; `over` collects them. */
function strip(node: PlanNode, over: Map<string, { condition: Condition; on: Operator }>): Operator {
  if (node.kind === 'semantic-filter') {
    const below = strip(node.input, over);
    over.set(node.id, { condition: node.condition, on: below });
    return below;
  }
  const inputs = inputsOf(node).map((input) => strip(input, over));
  const operator: Operator = { node, inputs, standing: [], side: 0 };
  inputs.forEach((input, side) => {
    input.parent = operator;
    input.side = side;
  });
  return operator;
}

/** The relations that a column depends on and the operators whose rows it is counted by, seen at an operator. */
function trace(at: Operator, column: string): { relations: Set<string>; counters: Set<Operator> } {
  const { node } = at;
  if (node.kind === 'relation') return { relations: new Set([node.relation]), counters: new Set([at]) };
  if (node.kind === 'aggregate') return { relations: tables(at), counters: new Set([at]) };
  if (node.kind === 'limit') {
    return { relations: trace(at.inputs[0]!, column).relations, counters: new Set([at]) };
  }
  const made =
    node.kind === 'semantic-projection'
      ? { [node.makes]: node.call.reads }
      : Object.fromEntries(
          ('makes' in node ? (node.makes ?? []) : []).map((one) =>
            typeof one === 'string' ? [one, []] : [one.column, one.reads],
          ),
        );
  const sources = made[column] ?? [column];
  const relations = new Set<string>();
  const counters = new Set<Operator>();
  for (const source of sources) {
    for (const input of at.inputs) {
      if (!outputs(input).has(source)) continue;
      const below = trace(input, source);
      below.relations.forEach((relation) => relations.add(relation));
      below.counters.forEach((counter) => counters.add(counter));
      break;
    }
  }
  return { relations, counters };
}

function outputs({ node, inputs }: Operator): Set<string> {
  const made = 'makes' in node && Array.isArray(node.makes) ? (node.makes as readonly { column: string }[]) : [];
  const names = made.map(({ column }) => column);
  if (node.kind === 'relation' || node.kind === 'distinct') return new Set(node.columns);
  if (node.kind === 'project') return new Set([...node.keeps, ...names]);
  if (node.kind === 'aggregate') return new Set([...node.keys, ...names]);
  const looked = 'join' in node && ['semi', 'anti', 'mark'].includes(node.join);
  const below = (looked ? inputs.slice(0, 1) : inputs).flatMap((input) => [...outputs(input)]);
  return new Set([...below, ...(node.kind === 'semantic-projection' ? [node.makes] : names)]);
}

function tables(at: Operator): Set<string> {
  if (at.node.kind === 'relation') return new Set([at.node.relation]);
  return new Set(at.inputs.flatMap((input) => [...tables(input)]));
}

/** N: sizes of what is counted, times a share for each join between there and the place. */
function distinct(at: Operator, counters: ReadonlySet<Operator>, constants: CostConstants): number {
  let product = 1;
  const joins = new Set<Operator>();
  for (const counter of counters) {
    let { rows } = counter.node as { rows: number };
    let climbing = counter.node.kind === 'relation';
    for (let step = counter; step !== at; ) {
      step = step.parent!;
      const { node } = step;
      if (node.kind === 'join' || node.kind === 'semantic-join') joins.add(step);
      climbing &&= ['filter', 'project', 'order', 'semantic-projection'].includes(node.kind);
      if (climbing && node.kind !== 'semantic-projection') ({ rows } = node as { rows: number });
    }
    product *= rows;
  }
  for (const { node } of joins) {
    if (node.kind !== 'join' && node.kind !== 'semantic-join') continue;
    if (['left', 'right', 'full', 'mark'].includes(node.join)) continue;
    product *= node.reads.length === 0 ? constants.crossSelectivity : constants.joinSelectivity;
  }
  return product;
}

export interface BruteForce {
  readonly cost: number;
  readonly plans: number;
}

/** The least cost over all placements and orders; undefined when there are more than `most` of them. */
export function bruteForce(root: PlanNode, constants: CostConstants, most: number): BruteForce | undefined {
  const over = new Map<string, { condition: Condition; on: Operator }>();
  const top = strip(root, over);
  const filters = [...over].map(([id, { condition, on }]): Filter => {
    const { reads } = leavesOf(condition);
    const places = [on];
    for (let at = on; at.parent !== undefined && passable(at.parent.node, at.side, reads); at = at.parent) {
      places.push(at.parent);
    }
    return { id, condition, places };
  });
  if (filters.reduce((product, { places }) => product * places.length, 1) > most) return undefined;
  const placements = [...assignments(filters)];
  const factorial = (count: number): number => (count < 2 ? 1 : count * factorial(count - 1));
  const plans = placements.reduce(
    (sum, placed) => sum + [...placed.values()].reduce((product, { length }) => product * factorial(length), 1),
    0,
  );
  if (plans > most) return undefined;
  const pricer = new Pricer(filters, constants);
  let least = Infinity;
  for (const placed of placements) {
    for (const plan of orders([...placed])) least = Math.min(least, pricer.price(top, new Map(plan)));
  }
  return { cost: least, plans };
}

function* assignments(filters: readonly Filter[]): Generator<ReadonlyMap<Operator, readonly Filter[]>> {
  const [first, ...rest] = filters;
  if (first === undefined) {
    yield new Map();
    return;
  }
  for (const others of assignments(rest)) {
    for (const place of first.places) yield new Map([...others, [place, [...(others.get(place) ?? []), first]]]);
  }
}

function* orders(
  placed: readonly (readonly [Operator, readonly Filter[]])[],
): Generator<(readonly [Operator, readonly Filter[]])[]> {
  const [first, ...rest] = placed;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const others of orders(rest)) for (const order of permutations(first[1])) yield [[first[0], order], ...others];
}

function* permutations(items: readonly Filter[]): Generator<readonly Filter[]> {
  if (items.length < 2) {
    yield items;
    return;
  }
  for (const item of items) {
    for (const rest of permutations(items.filter((other) => other !== item))) yield [item, ...rest];
  }
}

/** Prices finished plans. What does not depend on the plan is computed once. */
class Pricer {
  private readonly prompted = new Map<Operator, Map<SemanticCall, { count: number; spared: number }>>();
  private readonly shrunk = new Map<Operator, number>();
  private readonly relations: readonly ReadonlySet<string>[];
  private readonly passes: readonly number[];
  private readonly calls: readonly (readonly SemanticCall[])[];
  private readonly filters: readonly Filter[];
  private readonly constants: CostConstants;

  constructor(filters: readonly Filter[], constants: CostConstants) {
    this.filters = filters;
    this.constants = constants;
    const leaves = filters.map(({ condition }) => leavesOf(condition));
    this.relations = leaves.map(
      ({ reads }, at) => new Set(reads.flatMap((read) => [...trace(filters[at]!.places[0]!, read).relations])),
    );
    this.calls = leaves.map(({ calls }) => calls);
    this.passes = filters.map(({ condition }) => probability(condition, constants));
  }

  price(top: Operator, plan: ReadonlyMap<Operator, readonly Filter[]>): number {
    return this.walk(top, plan).cost;
  }

  /** The cost of a subtree, the filters applied in it and the filters whose lowest place is in it (as bits). */
  private walk(
    at: Operator,
    plan: ReadonlyMap<Operator, readonly Filter[]>,
  ): { cost: number; done: number; born: number } {
    let cost = 0;
    let done = 0;
    let born = 0;
    for (const input of at.inputs) {
      const below = this.walk(input, plan);
      cost += below.cost;
      done |= below.done;
      born |= below.born;
    }
    this.filters.forEach((filter, bit) => {
      if (filter.places[0] === at) born |= 1 << bit;
    });
    cost += this.own(at, done, born);
    for (const filter of plan.get(at) ?? []) {
      const bit = this.filters.indexOf(filter);
      for (const call of this.calls[bit]!) cost += this.prompts(at, filter.places[0]!, call, done);
      done |= 1 << bit;
    }
    return { cost, done, born };
  }

  private own(at: Operator, done: number, born: number): number {
    const { node } = at;
    if (node.kind === 'relation') return 0;
    if (node.kind === 'semantic-projection') return this.prompts(at.inputs[0]!, at.inputs[0]!, node.call, done);
    let shrunk = this.shrunk.get(at);
    if (shrunk === undefined) this.shrunk.set(at, (shrunk = this.touching(tables(at))));
    const left = this.share(done & shrunk);
    let cost = this.constants.alpha * (('cost' in node ? node.cost : undefined) ?? rows(node)) * left;
    if (node.kind === 'join' || node.kind === 'semantic-join') {
      const waiting = this.filters.filter((_, bit) => ((born & ~done) >> bit) & 1).length;
      cost += this.constants.alpha * node.rows * left * waiting;
    }
    if (node.kind === 'semantic-join') {
      for (const call of leavesOf(node.condition).calls) cost += this.prompts(at, at, call, done);
    }
    return cost;
  }

  private touching(relations: ReadonlySet<string>): number {
    return this.relations.reduce(
      (bits, own, bit) => ([...own].some((relation) => relations.has(relation)) ? bits | (1 << bit) : bits),
      0,
    );
  }

  private share(filters: number): number {
    return this.passes.reduce((product, pass, bit) => ((filters >> bit) & 1 ? product * pass : product), 1);
  }

  private prompts(at: Operator, origin: Operator, call: SemanticCall, done: number): number {
    let calls = this.prompted.get(at);
    if (calls === undefined)
      this.prompted.set(at, (calls = new Map<SemanticCall, { count: number; spared: number }>()));
    let known = calls.get(call);
    if (known === undefined) {
      const traced = call.reads.map((read) => trace(origin, read));
      known = {
        count: distinct(at, new Set(traced.flatMap(({ counters }) => [...counters])), this.constants),
        spared: this.touching(new Set(traced.flatMap(({ relations }) => [...relations]))),
      };
      calls.set(call, known);
    }
    return known.count * this.share(done & known.spared);
  }
}

function rows(node: PlanNode): number {
  return 'rows' in node ? node.rows : 0;
}
