import type { TrialHistory } from './history.js';

/** Limits of the search itself; what is missing does not limit. */
export interface SearchBudget {
  readonly trials?: number;
  readonly usd?: number;
  readonly seconds?: number;
}

/** What one more trial promises and costs. */
export interface Outlook {
  /** Utility that the next trial is expected to add to the incumbent's: exp of a suggestion's `logImprovement`. */
  readonly expectedGain: number;
  /** Rows that the plan will be applied to. */
  readonly rowsAhead: number;
  /** USD that one unit of utility on one row is worth; the direct-LLM cost of a row is a sensible value. */
  readonly usdPerUtility: number;
  /** USD of the answers that the next trial lacks. */
  readonly priceUsd: number;
}

export type StopReason = 'trials' | 'usd' | 'seconds' | 'not-worth-it' | 'exhausted';

/** Trials before the surrogate's word on expected gain is taken. */
const minimumTrials = 10;

/** Trials that count: all but those that cost nothing because every answer was known. Running and failed ones count. */
export function countedTrials(history: TrialHistory): number {
  return history.trials.filter(({ priceUsd }) => priceUsd !== 0).length;
}

/**
 * Why the search should end now; undefined to go on. A free trial is never refused for the trial or USD budget.
 *
 * @param outlook undefined when there is nothing left to suggest.
 */
export function stopReason(
  history: TrialHistory,
  budget: SearchBudget,
  outlook: Outlook | undefined,
  elapsedSeconds = 0,
): StopReason | undefined {
  if (!outlook) return 'exhausted';
  if (budget.seconds !== undefined && elapsedSeconds >= budget.seconds) return 'seconds';
  const { expectedGain, rowsAhead, usdPerUtility, priceUsd } = outlook;
  if (priceUsd > 0) {
    if (budget.trials !== undefined && countedTrials(history) >= budget.trials) return 'trials';
    if (budget.usd !== undefined && spentUsd(history) + priceUsd > budget.usd) return 'usd';
  }
  const enough = history.trials.length >= minimumTrials;
  return enough && expectedGain * rowsAhead * usdPerUtility < priceUsd ? 'not-worth-it' : undefined;
}

function spentUsd(history: TrialHistory): number {
  return history.trials.reduce((sum, { priceUsd }) => sum + (priceUsd ?? 0), 0);
}
