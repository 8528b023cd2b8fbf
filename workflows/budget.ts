import type { RunBudget } from '../plans/protocol/run.js';

const kinds = ['usd', 'calls', 'tokens', 'seconds'] as const satisfies readonly (keyof RunBudget)[];

/** What is wrong with a budget, or undefined. */
export function budgetProblem(budget: RunBudget): string | undefined {
  const given = kinds.filter((kind) => budget[kind] !== undefined);
  if (given.length === 0) return 'a budget names at least one of usd, calls, tokens, seconds';
  const bad = given.find((kind) => !Number.isFinite(budget[kind]) || (budget[kind] ?? 0) < 0);
  return bad === undefined ? undefined : `budget ${bad} must be a number of 0 or more`;
}

/** The given limits replace the old ones; the others stay. */
export function mergeBudget(old: RunBudget, given: RunBudget): RunBudget {
  return { ...old, ...given };
}
