/** Which semantic predicate a tuple is asked next, so that its condition is decided at the least expected cost. */
import { type Condition, partsOf } from '../condition.js';
import { type Answers, decided, leafKey, type Purpose, type Truth } from './answers.js';
import { exactOrder } from './exact-order.js';
import { type LeafFacts, nextTest } from './ratio-rule.js';
import { testsFor } from './tests.js';

export type Choice =
  | { readonly kind: 'decided'; readonly value: Truth }
  /** Ask this call (or compute this plain condition). */
  | { readonly kind: 'ask'; readonly key: string; readonly expectedCost: number };

/** Up to so many leaves the choice is exact: 4^6 states, once for all tuples that share estimates. */
export const mostExactLeaves = 6;

/**
 * A chooser for one condition and one set of estimates; make another when the estimates have moved. A tuple's plain
 * conditions are leaves too, of cost 0. It asks nothing once the value follows from the answers, and for `filter` nothing
 * once TRUE is out of reach.
 *
 * @example
 * const choose = chooser(condition, (key) => ({ cost: usd[key], rates: ratesOf(tallies[key]) }), 'filter');
 * const choice = choose(answersOf(tuple)); // ask, or decided
 */
export function chooser(
  condition: Condition,
  facts: (key: string) => LeafFacts,
  purpose: Purpose,
): (answers: Answers) => Choice {
  const keys = [...new Set(keysOf(condition))];
  const exact = keys.length <= mostExactLeaves ? exactOrder(condition, keys, facts, purpose) : undefined;
  const isTrue = testsFor(condition, true);
  const isFalse = testsFor(condition, false);
  return (answers) => {
    const value = decided(condition, answers, purpose);
    if (value !== undefined) return { kind: 'decided', value };
    const choice = exact?.(answers);
    if (choice?.next !== undefined) return { kind: 'ask', key: choice.next, expectedCost: choice.cost };
    for (const tests of [isTrue, isFalse]) {
      const progress = nextTest(tests, answers, facts);
      if (progress.kind === 'open') return { kind: 'ask', key: progress.next, expectedCost: progress.cost };
    }
    return { kind: 'decided', value: null };
  };
}

function keysOf(condition: Condition): readonly string[] {
  if (condition.kind === 'call' || condition.kind === 'plain') return [leafKey(condition)];
  return partsOf(condition).flatMap(keysOf);
}
