import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { selections, type SelectionKind } from '../../../../plans/physical/top-k/index.js';
import { listwiseQuestions } from '../../../../plans/physical/top-k/listwise.js';
import { quickselectComparisons } from '../../../../plans/physical/top-k/quickselect.js';
import type { Order, Question, SelectionState } from '../../../../plans/physical/top-k/selection.js';
import { tournamentComparisons } from '../../../../plans/physical/top-k/tournament.js';
import { deriveSeed, mulberry32 } from '../../../../plans/tuning/numeric/random.js';

const kinds = Object.keys(selections) as SelectionKind[];

interface Played {
  readonly state: SelectionState;
  readonly ranking: readonly number[];
  readonly questions: number;
  readonly rounds: number;
}

/** Plays a selection to its end; the state goes through JSON between rounds, as it does in the store. */
function play(
  kind: SelectionKind,
  worth: readonly number[],
  k: number,
  { seed = 1, window = 20, fails = (_: Question): boolean => false } = {},
): Played {
  const selection = selections[kind];
  let state = selection.start({ candidates: worth.length, k, seed, window });
  let questions = 0;
  for (let rounds = 0; ; rounds += 1) {
    if (rounds > 10_000) throw new Error('it does not end');
    const asked = selection.ask(state);
    if (asked.length === 0) return { state, ranking: selection.ranking(state), questions, rounds };
    questions += asked.length;
    expect(asked.every((question) => question.length > 1 && new Set(question).size === question.length)).toBe(true);
    const orders = asked.map(
      (question): Order => (fails(question) ? undefined : [...question].sort((a, b) => worth[b]! - worth[a]! || a - b)),
    );
    state = JSON.parse(JSON.stringify(selection.tell(state, orders))) as SelectionState;
  }
}

const best = (worth: readonly number[], k: number): number[] =>
  worth
    .map((_, at) => at)
    .sort((a, b) => worth[b]! - worth[a]! || a - b)
    .slice(0, k);
const shuffled = (n: number, seed: number): number[] => {
  const random = mulberry32(deriveSeed(99, seed));
  return Array.from({ length: n }, () => random.uniform());
};

const inputs = fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 70 });
const distinct = fc.uniqueArray(fc.integer(), { maxLength: 70 });

describe.each(kinds)('%s', (kind) => {
  test('finds the k best in order when answers are right', () => {
    fc.assert(
      fc.property(distinct, fc.nat(80), fc.integer(), fc.integer({ min: 2, max: 25 }), (worth, k, seed, window) => {
        expect(play(kind, worth, k, { seed, window }).ranking).toEqual(best(worth, k));
      }),
    );
  });

  test('finds k of the best when some are equal', () => {
    fc.assert(
      fc.property(inputs, fc.nat(80), fc.integer(), (worth, k, seed) => {
        const { ranking } = play(kind, worth, k, { seed });
        expect(ranking.map((at) => worth[at])).toEqual(best(worth, k).map((at) => worth[at]));
        expect(new Set(ranking).size).toBe(ranking.length);
      }),
    );
  });

  test('asks nothing for k = 0, for no candidate and for one', () => {
    expect(play(kind, shuffled(50, 1), 0)).toMatchObject({ questions: 0, ranking: [] });
    expect(play(kind, [], 3)).toMatchObject({ questions: 0, ranking: [] });
    expect(play(kind, [7], 3)).toMatchObject({ questions: 0, ranking: [0] });
  });

  test('is ordered whole for k = n and k > n', () => {
    const worth = shuffled(60, 2);
    for (const k of [60, 61, 600]) expect(play(kind, worth, k).ranking).toEqual(best(worth, 60));
  });

  test('leaves out a candidate that every question about fails on, and no other', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 60 }),
        fc.nat(70),
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 2, max: 9 }),
        (n, more, bad, seed, window) => {
          const k = more + 1;
          const worth = shuffled(n, seed);
          const broken = bad % n;
          const fails = (question: Question): boolean => question.includes(broken);
          const { ranking, state } = play(kind, worth, k, { seed, window, fails });
          expect(state.failed.map(({ candidate }) => candidate)).toEqual([broken]);
          expect(ranking).toEqual(
            best(worth, n)
              .filter((at) => at !== broken)
              .slice(0, k),
          );
        },
      ),
    );
  });

  test('a pair that fails costs one of the two at most', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), fc.nat(), fc.nat(), fc.nat(), (n, a, b, seed) => {
        const worth = shuffled(n, seed);
        const pair = [a % n, b % n];
        const fails = (question: Question): boolean => pair[0] !== pair[1] && pair.every((at) => question.includes(at));
        const { ranking, state } = play(kind, worth, n, { seed, window: 4, fails });
        const failed = state.failed.map(({ candidate }) => candidate);
        expect(failed.length).toBeLessThanOrEqual(1);
        expect(pair).toEqual(expect.arrayContaining(failed));
        expect(ranking).toEqual(best(worth, n).filter((at) => !failed.includes(at)));
      }),
    );
  });

  test('comes to an end when everything fails', () => {
    expect(play(kind, shuffled(40, 3), 5, { fails: () => true }).ranking.length).toBeLessThanOrEqual(1);
  });
});

describe('the number of questions', () => {
  test.each([
    [300, 1],
    [300, 10],
    [100, 100],
    [2, 1],
    [50, 25],
  ])('quickselect over %i for %i is the expectation of partial quicksort, within four standard errors', (n, k) => {
    const runs = n > 200 ? 60 : 300;
    const counts = Array.from(
      { length: runs },
      (_, seed) => play('pairwise', shuffled(n, seed), k, { seed }).questions,
    );
    const mean = counts.reduce((a, b) => a + b, 0) / runs;
    const deviation = Math.sqrt(counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / runs);
    const error = (4 * deviation) / Math.sqrt(runs) + 1e-6;
    expect(Math.abs(mean - quickselectComparisons(n, k))).toBeLessThan(error);
  });

  test('quickselect is linear in n for a fixed k, in a logarithm of rounds', () => {
    for (const n of [100, 1_000, 10_000, 100_000]) expect(quickselectComparisons(n, 10)).toBeLessThan(3 * n);
    expect(play('pairwise', shuffled(5000, 1), 10).rounds).toBeLessThan(60);
  });

  test('a tournament never needs more than it promises', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 220 }), fc.nat(), (n, k, seed) => {
        expect(play('heap', shuffled(n, seed), k).questions).toBeLessThanOrEqual(tournamentComparisons(n, k));
      }),
    );
    expect(play('heap', shuffled(1000, 1), 1).questions).toBe(999);
  });

  test('lists are as many as foreseen; few when k is at most half a list', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 2, max: 30 }),
        (n, k, window) => {
          expect(play('listwise', shuffled(n, n), k, { window }).questions).toBe(listwiseQuestions(n, k, window));
        },
      ),
    );
    expect(listwiseQuestions(1000, 10, 20)).toBeLessThan(120);
    expect(listwiseQuestions(1000, 5, 20)).toBeLessThan(80);
  });
});
