import type { Failed, Order, Question, Selection, SelectionState } from './selection.js';

interface Listwise extends SelectionState {
  /** Most members of a list. */
  readonly window: number;
  readonly ranked: readonly number[];
  /** Candidates without a place. */
  readonly pool: readonly number[];
  /** Candidates of the pool that are still in the pass. */
  readonly alive: readonly number[];
  /** Candidates that each list of the pass sends on; the whole pool when one list holds it. */
  readonly sent: number;
  /** Candidates of a pair that got no answer: the next time, they are what fails. */
  readonly struck: readonly number[];
  /** Candidates that there was an answer about in the pass: one that fails later may have beaten better ones. */
  readonly cleared: readonly number[];
}

/**
 * Passes over the candidates without a place: lists of up to `window` are ordered, each sends its best half (or k, if that is
 * less) on, until one list is left, whose best take the next places. A pass makes about n / (window − sent) questions in
 * log(n) / log(window / sent) rounds and fills `sent` places; with k ≤ window / 2, one pass does.
 */
export const listwise: Selection<Listwise> = {
  start({ candidates, k, seed, window }) {
    const pool = Array.from({ length: candidates }, (_, at) => at);
    return pass({
      seed,
      round: 0,
      k,
      failed: [],
      window: Math.max(2, window),
      ranked: [],
      pool,
      alive: [],
      sent: 0,
      struck: [],
      cleared: [],
    });
  },
  ask: (state) => lists(state).filter(({ length }) => length > 1),
  tell(state, orders) {
    const outcome = newOutcome(state);
    let question = 0;
    for (const list of lists(state)) {
      if (list.length === 1) outcome.alive.push(...list);
      else send(outcome, list, orders[question], question++);
    }
    const gone = new Set(outcome.failed.map(({ candidate }) => candidate));
    const pool = state.pool.filter((candidate) => !gone.has(candidate));
    const window = outcome.narrow ? Math.max(2, state.window >> 1) : state.window;
    const alive = apart({ ...state, window, pool, alive: outcome.alive }, outcome.pairs);
    const next = {
      ...state,
      ...{ round: state.round + 1, failed: [...state.failed, ...outcome.failed], window, pool },
      struck: [...state.struck.filter((candidate) => !outcome.cleared.has(candidate)), ...outcome.pairs.flat()],
      cleared: [...new Set([...state.cleared, ...outcome.cleared])],
    };
    if (outcome.failed.some(({ candidate }) => state.cleared.includes(candidate))) return pass(next);
    const done = question === 1 && orders[0] !== undefined && lists(state).length === 1;
    if (done || alive.length === 1) return pass(placed(next, alive));
    return { ...next, alive, sent: Math.min(state.sent, half(window)) };
  },
  ranking: ({ ranked }) => ranked,
};

/** What becomes of the lists of a round. */
interface Outcome {
  readonly state: Listwise;
  readonly alive: number[];
  /** Pairs that got no answer. */
  readonly pairs: Question[];
  readonly failed: Failed[];
  /** Candidates that there was an answer about. */
  readonly cleared: Set<number>;
  narrow: boolean;
}

function newOutcome(state: Listwise): Outcome {
  return { state, alive: [], pairs: [], failed: [], cleared: new Set(), narrow: false };
}

/** The best of a list go on. One without an answer is asked again in shorter ones; of a pair, one that failed before fails. */
function send(outcome: Outcome, list: Question, order: Order, question: number): void {
  const { state } = outcome;
  if (order !== undefined) {
    outcome.alive.push(...order.slice(0, state.sent));
    for (const candidate of list) outcome.cleared.add(candidate);
    return;
  }
  outcome.narrow = true;
  const [first = 0, second = 0] = list;
  const known = list.filter((candidate) => state.struck.includes(candidate));
  const alone = state.pool.length === 2;
  if (list.length > 2) outcome.alive.push(...list);
  else if (known.length > 0 || alone) {
    const candidate = known.at(-1) ?? second;
    outcome.failed.push({ candidate, question, round: state.round });
    outcome.alive.push(candidate === first ? second : first);
  } else {
    outcome.pairs.push(list);
    outcome.alive.push(...list);
  }
}

/** The candidates in such an order that those that failed together are not asked about together again. */
function apart(state: Listwise, pairs: readonly Question[]): readonly number[] {
  const { alive, pool } = state;
  if (pairs.length === 0) return alive;
  const [first = 0, second = 0] = alive;
  const third = pool.find((candidate) => candidate !== first && candidate !== second);
  if (alive.length === 2) return third === undefined ? alive : [first, third, second];
  const together = (order: readonly number[]): boolean =>
    lists({ ...state, alive: order }).some((list) => pairs.some((pair) => pair.every((at) => list.includes(at))));
  const turned = alive.map((_, by) => [...alive.slice(by), ...alive.slice(0, by)]);
  return turned.find((order) => !together(order)) ?? alive;
}

const half = (window: number): number => Math.max(1, window >> 1);

/** The lists of a round: as few as hold all, and of sizes that differ by one at most. */
function lists({ alive, window }: Listwise): readonly Question[] {
  if (alive.length < 2) return [];
  const count = Math.ceil(alive.length / window);
  const questions: number[][] = [];
  for (let at = 0; at < count; at += 1) {
    const from = Math.floor((at * alive.length) / count);
    questions.push(alive.slice(from, Math.floor(((at + 1) * alive.length) / count)));
  }
  return questions;
}

/** The next places go to the first of `best`. */
function placed(state: Listwise, best: readonly number[]): Listwise {
  const ranked = [...state.ranked, ...best];
  const taken = new Set(best);
  return { ...state, ranked, pool: state.pool.filter((candidate) => !taken.has(candidate)) };
}

/** Begins a pass over the pool, where places are left. */
function pass(state: Listwise): Listwise {
  const { k, pool, window } = state;
  const left = k - state.ranked.length;
  const fresh = { ...state, cleared: [], alive: [] };
  if (left <= 0 || pool.length === 0) return { ...fresh, ranked: state.ranked.slice(0, k) };
  if (pool.length === 1) return placed(fresh, pool);
  return { ...fresh, alive: pool, sent: pool.length <= window ? pool.length : Math.min(left, half(window)) };
}

/** Questions that `listwise` asks, when none fails. */
export function listwiseQuestions(n: number, k: number, window: number): number {
  let questions = 0;
  let left = Math.min(k, n);
  for (let pool = n; left > 0 && pool > 1; ) {
    const sent = pool <= window ? pool : Math.min(left, half(window));
    for (let alive = pool; ; alive = Math.ceil(alive / window) * sent) {
      // a list of one is not asked about, which only pairs leave over
      questions += window === 2 ? alive >> 1 : Math.ceil(alive / window);
      if (alive <= window) break;
    }
    pool -= sent;
    left -= sent;
  }
  return questions;
}
