/**
 * The next question of least expected cost, exactly: a DP over what is known of each leaf (open, TRUE, FALSE or NULL), 4^n
 * states at most. Also right where a call occurs twice in a condition, which the ratio rule takes for two calls.
 */
import type { Condition } from '../condition.js';
import { type Answers, decided, type Purpose, type Truth } from './answers.js';
import type { LeafFacts } from './ratio-rule.js';

export interface ExactChoice {
  /** The leaf to ask; undefined when the condition is decided. */
  readonly next: string | undefined;
  /** Expected cost until it is decided. */
  readonly cost: number;
}

/** A chooser that remembers the states that it has seen; for at most some six open leaves. */
export function exactOrder(
  condition: Condition,
  keys: readonly string[],
  facts: (key: string) => LeafFacts,
  purpose: Purpose,
): (answers: Answers) => ExactChoice {
  const seen = new Map<string, ExactChoice>();
  const choose = (answers: Answers): ExactChoice => {
    const state = keys.map((key) => String(answers.get(key))).join();
    let choice = seen.get(state);
    if (choice === undefined) seen.set(state, (choice = cheapest(answers)));
    return choice;
  };
  const cheapest = (answers: Answers): ExactChoice => {
    if (decided(condition, answers, purpose) !== undefined) return { next: undefined, cost: 0 };
    let best: ExactChoice = { next: undefined, cost: Infinity };
    for (const key of keys) {
      if (answers.has(key)) continue;
      const { cost: own, rates } = facts(key);
      const after = (answer: Truth): number => choose(new Map([...answers, [key, answer]])).cost;
      const cost = own + rates.true * after(true) + rates.false * after(false) + rates.null * after(null);
      if (cost < best.cost) best = { next: key, cost };
    }
    return best;
  };
  return choose;
}
