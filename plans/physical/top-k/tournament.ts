import type { Failed, Order, Question, Selection, SelectionState } from './selection.js';

interface Tournament extends SelectionState {
  /**
   * A heap in an array: the root at 1, the children of i at 2i and 2i + 1, candidates in the second half. `none` where no
   * candidate is left, `open` where the better child is not known.
   */
  readonly tree: readonly number[];
  readonly ranked: readonly number[];
}

const none = -1;
const open = -2;

/**
 * A knock-out tournament, then one replay of the winner's path for each further place: n − 1 comparisons in ⌈log₂ n⌉ rounds,
 * then at most ⌈log₂ n⌉ comparisons, one after the other, for each of the other k − 1 places.
 */
export const tournament: Selection<Tournament> = {
  start({ candidates, k, seed }) {
    let size = 1;
    while (size < candidates) size *= 2;
    const leaves = Array.from({ length: size }, (_, at) => (at < candidates ? at : none));
    const tree = [...Array.from({ length: size }, () => open), ...leaves];
    return settle({ seed, round: 0, k, failed: [], ranked: [] }, tree);
  },
  ask: ({ tree }) => pending(tree).map((node) => pair(tree, node)),
  tell(state, orders) {
    const tree = [...state.tree];
    const failed: Failed[] = [];
    pending(state.tree).forEach((node, question) => {
      const order: Order = orders[question];
      const [, second = none] = pair(state.tree, node);
      if (order !== undefined) tree[node] = order[0] ?? none;
      else {
        failed.push({ candidate: second, question, round: state.round });
        remove(tree, second);
      }
    });
    return settle({ ...state, round: state.round + 1, failed: [...state.failed, ...failed] }, tree);
  },
  ranking: ({ ranked }) => ranked,
};

/** Nodes whose children are both known and both candidates. */
function pending(tree: readonly number[]): readonly number[] {
  const nodes: number[] = [];
  for (let node = 1; node < tree.length / 2; node += 1) {
    const [left = none, right = none] = pair(tree, node);
    if (tree[node] === open && left >= 0 && right >= 0) nodes.push(node);
  }
  return nodes;
}

function pair(tree: readonly number[], node: number): Question {
  return [tree[2 * node] ?? none, tree[2 * node + 1] ?? none];
}

/** Takes a candidate out; its path is to be played again. */
function remove(tree: number[], candidate: number): void {
  let node = tree.length / 2 + candidate;
  tree[node] = none;
  for (node >>= 1; node >= 1; node >>= 1) tree[node] = open;
}

/** Walks over, and ranks the winner, as long as nothing is to be asked for it. */
function settle(state: Omit<Tournament, 'tree'>, tree: number[]): Tournament {
  const ranked = [...state.ranked];
  for (;;) {
    for (let node = tree.length / 2 - 1; node >= 1; node -= 1) {
      const [left = none, right = none] = pair(tree, node);
      if (tree[node] !== open || left === open || right === open) continue;
      if (left === none || right === none) tree[node] = Math.max(left, right);
    }
    const winner = tree[1] ?? none;
    if (ranked.length >= state.k) return { ...state, ranked, tree: [] };
    if (winner < 0) return { ...state, ranked, tree };
    ranked.push(winner);
    remove(tree, winner);
  }
}

/** Comparisons that `tournament` makes at most, when none fails. */
export function tournamentComparisons(n: number, k: number): number {
  const m = Math.min(n, k);
  return m < 1 ? 0 : n - 1 + (m - 1) * Math.ceil(Math.log2(Math.max(1, n)));
}
