/**
 * Algorithm 2 of PLOP: the cheapest place of every semantic filter. dp[u][S] is the least cost of the subtree of u with the
 * filters S applied at or below u. Each filter starts in one input of a node only, so step 1 splits S in just one way and
 * the 3^n of the paper does not arise: O(|V| · n · 2^n) in all.
 */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import type { Instance, InstanceCall, InstanceNode } from './instance.js';
import type { Placement } from './skeleton.js';

interface Table {
  /** Filters that start at or below the node; bit k of a state stands for the k-th. */
  readonly members: readonly number[];
  readonly best: Float64Array;
  /** Bit applied last at this node, or -1: the inputs have applied them all. */
  readonly last: Int8Array;
}

/** Steps of the DP on this instance: the sum of 2^m · (m + 1) over its nodes, m being the filters that start below. */
export function dpSteps({ nodes }: Instance): number {
  const members: number[] = [];
  return nodes.reduce((steps, node, at) => {
    const m = node.inputs.reduce((sum, input) => sum + members[input]!, node.starts.length);
    members[at] = m;
    return steps + 2 ** m * (m + 1);
  }, 0);
}

/** The cheapest placement of all filters, and its cost. */
export function cheapest(instance: Instance): { readonly placement: Placement; readonly cost: number } {
  const tables: Table[] = [];
  instance.nodes.forEach((node, at) => tables.push(tabulate(instance, node, at, tables)));
  const root = tables.length - 1;
  const all = tables[root]!.best.length - 1;
  const placement = new Map<string, readonly number[]>();
  traceBack(instance, tables, root, all, placement);
  return { placement, cost: tables[root]!.best[all]! };
}

function tabulate(instance: Instance, node: InstanceNode, at: number, tables: readonly Table[]): Table {
  const inputs = node.inputs.map((input) => tables[input]!);
  const members = [...inputs.flatMap((input) => input.members), ...node.starts];
  const states = 2 ** members.length;
  const best = new Float64Array(states).fill(Infinity);
  const last = new Int8Array(states).fill(-1);
  const shares = sharesOf(members.map((filter) => instance.filters[filter]!.share));
  distribute(instance, at, inputs, best);
  addOwnCost(instance, node, members, shares, best);
  applyHere(instance, at, members, shares, best, last);
  return { members, best, last };
}

/** State → product of the shares of its filters. */
function sharesOf(shares: readonly number[]): Float64Array {
  const products = new Float64Array(2 ** shares.length).fill(1);
  for (let state = 1; state < products.length; state++) {
    const lowest = 31 - Math.clz32(state & -state);
    products[state] = products[state & (state - 1)]! * shares[lowest]!;
  }
  return products;
}

/** Step 1: the costs of the inputs. A filter that may not stand at this node or above must have been applied below. */
function distribute({ filters }: Instance, at: number, inputs: readonly Table[], best: Float64Array): void {
  const parts = inputs.map(({ members, best: below }) => {
    const stuck = maskOf(members, (filter) => !filters[filter]!.places.some(({ node }) => node === at));
    return { bits: members.length, below, stuck };
  });
  const states = 2 ** parts.reduce((sum, { bits }) => sum + bits, 0);
  for (let state = 0; state < states; state++) {
    let cost = 0;
    let rest = state;
    for (const { bits, below, stuck } of parts) {
      const part = rest & (2 ** bits - 1);
      cost += (part & stuck) === stuck ? below[part]! : Infinity;
      rest >>>= bits;
    }
    best[state] = cost;
  }
}

/** Step 2: α · c(u) · sel(tab(u), S), the look-ups of the filters not in S, and the calls of an operator that stays here. */
function addOwnCost(
  { alpha }: Instance,
  node: InstanceNode,
  members: readonly number[],
  shares: Float64Array,
  best: Float64Array,
): void {
  const shrinking = maskOf(members, (filter) => node.shrunkBy[filter]!);
  const asks = node.asks.map((call) => promptsOf(call, members));
  for (let state = 0; state < best.length; state++) {
    if (best[state] === Infinity) continue;
    const rows = node.work + node.probed * (members.length - bitsIn(state));
    let cost = alpha * rows * shares[state & shrinking]!;
    for (const { distinct, spared } of asks) cost += distinct * shares[state & spared]!;
    best[state] = best[state]! + cost;
  }
}

/** Step 3: filters applied on the output of u; smaller states come first, so several may be. */
function applyHere(
  { filters }: Instance,
  at: number,
  members: readonly number[],
  shares: Float64Array,
  best: Float64Array,
  last: Int8Array,
): void {
  const here = members.flatMap((filter, bit) => {
    const place = filters[filter]!.places.find(({ node }) => node === at);
    return place === undefined ? [] : [{ bit, calls: place.calls.map((call) => promptsOf(call, members)) }];
  });
  for (let state = 1; state < best.length; state++) {
    for (const { bit, calls } of here) {
      const before = state & ~(1 << bit);
      if (before === state) continue;
      let cost = best[before]!;
      for (const { distinct, spared } of calls) cost += distinct * shares[before & spared]!;
      if (cost < best[state]!) {
        best[state] = cost;
        last[state] = bit;
      }
    }
  }
}

function traceBack(
  instance: Instance,
  tables: readonly Table[],
  at: number,
  all: number,
  placement: Map<string, readonly number[]>,
): void {
  const { members, last } = tables[at]!;
  const { id, inputs } = instance.nodes[at]!;
  const here: number[] = [];
  let state = all;
  for (let bit = last[state]!; bit >= 0; bit = last[state]!) {
    here.unshift(members[bit]!);
    state &= ~(1 << bit);
  }
  if (here.length > 0) placement.set(id, here);
  for (const input of inputs) {
    const bits = tables[input]!.members.length;
    traceBack(instance, tables, input, state & (2 ** bits - 1), placement);
    state >>>= bits;
  }
}

function promptsOf({ distinct, sparedBy }: InstanceCall, members: readonly number[]) {
  return { distinct, spared: maskOf(members, (filter) => sparedBy[filter]!) };
}

function maskOf(members: readonly number[], has: (filter: number) => boolean): number {
  return members.reduce((mask, filter, bit) => (has(filter) ? mask | (1 << bit) : mask), 0);
}

function bitsIn(state: number): number {
  let count = 0;
  for (let rest = state; rest !== 0; rest &= rest - 1) count++;
  return count;
}
