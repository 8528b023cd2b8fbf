import type { Failed, Question, Selection, SelectionState } from './selection.js';

interface Tournament extends SelectionState {
  /**
   * A heap in an array: the root at 1, the children of i at 2i and 2i + 1, candidates in the second half. `none` where no
   * candidate is left, `open` where the better child is not known.
   */
  readonly tree: readonly number[];
  readonly ranked: readonly number[];
  /** Candidates of a pair that got no answer: out of the tree until a question with the winner tells which of them it is. */
  readonly suspects: readonly number[];
  /** Candidates that were suspects before: the next time, they are what fails. */
  readonly struck: readonly number[];
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
    return settle({ seed, round: 0, k, failed: [], ranked: [], suspects: [], struck: [] }, tree);
  },
  ask: questionsOf,
  tell(state, orders) {
    const tree = [...state.tree];
    const suspects: number[] = [];
    const failed: Failed[] = [];
    const fail = (candidate: number, question: number): void => {
      failed.push({ candidate, question, round: state.round });
    };
    const nodes = pending(state.tree);
    questionsOf(state).forEach((pairing, question) => {
      const order = orders[question];
      const node = nodes[question];
      if (node === undefined) {
        const [suspect = none] = pairing;
        if (order === undefined) fail(suspect, question);
        else restore(tree, suspect);
      } else if (order !== undefined) tree[node] = order[0] ?? none;
      else {
        const known = pairing.filter((candidate) => state.struck.includes(candidate));
        const out = known.length === 0 ? pairing : known.slice(-1);
        for (const candidate of out) remove(tree, candidate);
        if (known.length === 0) suspects.push(...pairing);
        else for (const candidate of out) fail(candidate, question);
      }
    });
    const probed = state.suspects.length > 0 && nodes.length === 0;
    return settle(
      {
        ...state,
        ...{ round: state.round + 1, failed: [...state.failed, ...failed] },
        suspects: [...(probed ? [] : state.suspects), ...suspects],
        struck: [...state.struck, ...suspects],
      },
      tree,
    );
  },
  ranking: ({ ranked }) => ranked,
};

/** The open pairs that can be played; once there is a winner, the suspects against it. */
function questionsOf({ tree, suspects }: Tournament): readonly Question[] {
  const nodes = pending(tree);
  const winner = tree[1] ?? none;
  if (nodes.length > 0) return nodes.map((node) => pair(tree, node));
  return winner < 0 ? [] : suspects.map((suspect) => [suspect, winner]);
}

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
  tree[tree.length / 2 + candidate] = none;
  reopen(tree, candidate);
}

function restore(tree: number[], candidate: number): void {
  tree[tree.length / 2 + candidate] = candidate;
  reopen(tree, candidate);
}

function reopen(tree: number[], candidate: number): void {
  for (let node = (tree.length / 2 + candidate) >> 1; node >= 1; node >>= 1) tree[node] = open;
}

/** Walks over, and ranks the winner, as long as nothing is to be asked for it. */
function settle(state: Omit<Tournament, 'tree'>, tree: number[]): Tournament {
  const ranked = [...state.ranked];
  let { suspects } = state;
  for (;;) {
    walkOver(tree);
    const winner = tree[1] ?? none;
    if (ranked.length >= state.k) return { ...state, ranked, suspects: [], tree: [] };
    const [first] = suspects;
    if (winner === none && first !== undefined) {
      // nobody is left to tell them apart
      restore(tree, first);
      suspects = suspects.slice(1);
    } else if (winner < 0 || suspects.length > 0) return { ...state, ranked, suspects, tree };
    else {
      ranked.push(winner);
      remove(tree, winner);
    }
  }
}

/** A candidate without an opponent goes on. */
function walkOver(tree: number[]): void {
  for (let node = tree.length / 2 - 1; node >= 1; node -= 1) {
    const [left = none, right = none] = pair(tree, node);
    if (tree[node] !== open || left === open || right === open) continue;
    if (left === none || right === none) tree[node] = Math.max(left, right);
  }
}

/** Comparisons that `tournament` makes at most, when none fails. */
export function tournamentComparisons(n: number, k: number): number {
  const m = Math.min(n, k);
  return m < 1 ? 0 : n - 1 + (m - 1) * Math.ceil(Math.log2(Math.max(1, n)));
}
