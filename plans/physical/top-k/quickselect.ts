import { deriveSeed, mulberry32 } from '../../tuning/numeric/random.js';
import type { Failed, Order, Question, Selection, SelectionState } from './selection.js';

interface Quickselect extends SelectionState {
  /** Candidates from best to worst: all of a segment are better than all of the next; one of a single member is in place. */
  readonly segments: readonly (readonly number[])[];
}

/**
 * Partial quicksort: every segment that reaches into the first k places is parted by a pivot drawn at random, all segments of
 * a round at once. On average 2n + 2(n+1)·H(n) − 2(n+3−k)·H(n+1−k) − 6k + 6 comparisons (Martínez, «Partial quicksort»,
 * ANALCO 2004), linear in n for a fixed k, in about 2·ln n rounds.
 */
export const quickselect: Selection<Quickselect> = {
  start: ({ candidates, k, seed }) => ({
    ...{ seed, round: 0, k, failed: [] },
    segments: candidates === 0 || k === 0 ? [] : [Array.from({ length: candidates }, (_, at) => at)],
  }),
  ask: (state) => open(state).flatMap(({ members, pivot }) => comparisons(members, pivot)),
  tell(state, orders) {
    const failed: Failed[] = [];
    const parted = new Map<number, readonly (readonly number[])[]>();
    let at = 0;
    for (const { place, members, pivot } of open(state)) {
      const questions = comparisons(members, pivot);
      const answers = orders.slice(at, at + questions.length);
      parted.set(
        place,
        part(members, pivot, answers, (candidate, question) => {
          failed.push({ candidate, question: at + question, round: state.round });
        }),
      );
      at += questions.length;
    }
    const segments = state.segments.flatMap((members, place) => parted.get(place) ?? [members]);
    return {
      ...state,
      round: state.round + 1,
      segments: segments.filter(({ length }) => length > 0),
      failed: [...state.failed, ...failed],
    };
  },
  ranking: ({ segments, k }) => segments.flat().slice(0, k),
};

interface Open {
  readonly place: number;
  readonly members: readonly number[];
  readonly pivot: number;
}

/** Segments within the first k places that are yet to be parted, with their pivots. */
function open({ segments, k, seed, round }: Quickselect): readonly Open[] {
  let before = 0;
  return segments.flatMap((members, place) => {
    const reaches = before < k;
    before += members.length;
    if (!reaches || members.length < 2) return [];
    const drawn = Math.floor(mulberry32(deriveSeed(seed, round, place)).uniform() * members.length);
    return [{ place, members, pivot: members[drawn] ?? 0 }];
  });
}

function comparisons(members: readonly number[], pivot: number): readonly Question[] {
  return members.filter((member) => member !== pivot).map((member) => [member, pivot]);
}

/** Better ones, the pivot, worse ones. A pivot that most comparisons fail with is what fails: the others are asked again. */
function part(
  members: readonly number[],
  pivot: number,
  orders: readonly Order[],
  fail: (candidate: number, question: number) => void,
): readonly (readonly number[])[] {
  const others = members.filter((member) => member !== pivot);
  const lost = orders.filter((order) => order === undefined).length;
  if (lost > 1 && 2 * lost > orders.length) {
    fail(pivot, orders.indexOf(undefined));
    return [others];
  }
  const better: number[] = [];
  const worse: number[] = [];
  others.forEach((member, question) => {
    const order = orders[question];
    if (order === undefined) fail(member, question);
    else (order[0] === member ? better : worse).push(member);
  });
  return [better, [pivot], worse];
}

/** Comparisons that `quickselect` makes on average, when none fails. */
export function quickselectComparisons(n: number, k: number): number {
  const m = Math.min(n, k);
  if (m < 1 || n < 2) return 0;
  return 2 * n + 2 * (n + 1) * harmonic(n) - 2 * (n + 3 - m) * harmonic(n + 1 - m) - 6 * m + 6;
}

function harmonic(n: number): number {
  // the sum for small n, else its expansion: off by less than 1e-9
  if (n > 200) return Math.log(n) + 0.5772156649015329 + 1 / (2 * n) - 1 / (12 * n * n);
  let sum = 0;
  for (let i = 1; i <= n; i += 1) sum += 1 / i;
  return sum;
}
