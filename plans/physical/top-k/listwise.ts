import type { Failed, Question, Selection, SelectionState } from './selection.js';

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
}

/**
 * Passes over the candidates without a place: lists of up to `window` are ordered, each sends its best half (or k, if that is
 * less) on, until one list is left, whose best take the next places. A pass makes about n / (window − sent) questions in
 * log(n) / log(window / sent) rounds and fills `sent` places; with k ≤ window / 2, one pass does.
 */
export const listwise: Selection<Listwise> = {
  start({ candidates, k, seed, window }) {
    const pool = Array.from({ length: candidates }, (_, at) => at);
    return pass({ seed, round: 0, k, failed: [], window: Math.max(2, window), ranked: [], pool, alive: [], sent: 0 });
  },
  ask: lists,
  tell(state, orders) {
    const questions = lists(state);
    const failed: Failed[] = [];
    const narrow = questions.some((_, at) => orders[at] === undefined);
    const alive = questions.flatMap((question, at) => {
      const order = orders[at];
      if (order !== undefined) return order.slice(0, state.sent);
      if (question.length > 2) return question;
      // one of two: the later one is taken to be what fails
      failed.push({ candidate: question[1] ?? 0, question: at, round: state.round });
      return question.slice(0, 1);
    });
    const gone = new Set(failed.map(({ candidate }) => candidate));
    const window = narrow ? Math.max(2, state.window >> 1) : state.window;
    const next = {
      ...state,
      ...{ round: state.round + 1, failed: [...state.failed, ...failed], window },
      pool: state.pool.filter((candidate) => !gone.has(candidate)),
    };
    const done = questions.length === 1 && orders[0] !== undefined;
    if (done || alive.length === 1) return pass(placed(next, alive));
    return { ...next, alive, sent: Math.min(state.sent, half(window)) };
  },
  ranking: ({ ranked }) => ranked,
};

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
  const left = state.k - state.ranked.length;
  if (left <= 0 || state.pool.length === 0) return { ...state, ranked: state.ranked.slice(0, state.k), alive: [] };
  if (state.pool.length === 1) return { ...placed(state, state.pool), alive: [] };
  const whole = state.pool.length <= state.window;
  return { ...state, alive: state.pool, sent: whole ? state.pool.length : Math.min(left, half(state.window)) };
}

/** Questions that `listwise` asks, when none fails. */
export function listwiseQuestions(n: number, k: number, window: number): number {
  let questions = 0;
  let left = Math.min(k, n);
  for (let pool = n; left > 0 && pool > 1; ) {
    const sent = pool <= window ? pool : Math.min(left, half(window));
    for (let alive = pool; ; alive = Math.ceil(alive / window) * sent) {
      questions += Math.ceil(alive / window);
      if (alive <= window) break;
    }
    pool -= sent;
    left -= sent;
  }
  return questions;
}
