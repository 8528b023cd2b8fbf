import { binomialCdf } from './beta.js';

export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/**
 * Clopper and Pearson's exact bounds of a proportion; each side alone holds with probability ≥ 1 − `alpha`, both together
 * with ≥ 1 − 2·`alpha`. Valid for draws with and without replacement.
 *
 * @example clopperPearson(0, 29, 0.05).upper // 0.098…: no miss in 29
 */
export function clopperPearson(successes: number, trials: number, alpha: number): Interval {
  return { lower: 1 - upperOf(trials - successes, trials, alpha), upper: upperOf(successes, trials, alpha) };
}

/** The p with P(Binomial(trials, p) ≤ successes) = alpha. */
function upperOf(successes: number, trials: number, alpha: number): number {
  if (successes >= trials) return 1;
  let low = successes / trials;
  let high = 1;
  for (let step = 0; step < 60 && high - low > 1e-14; step++) {
    const middle = 0.5 * (low + high);
    if (binomialCdf(successes, trials, middle) > alpha) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * The largest number of misses among `trials` that still shows, at level `alpha`, a miss rate of at most `rate`; −1 when
 * even none does not.
 */
export function largestMisses(trials: number, rate: number, alpha: number): number {
  let low = -1;
  let high = Math.floor(trials * rate) + 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (binomialCdf(middle, trials, rate) <= alpha) low = middle;
    else high = middle;
  }
  return low;
}

/** How many trials without a miss it takes to show, at level `alpha`, a miss rate of at most `rate`. */
export function fewestTrials(rate: number, alpha: number): number {
  return Math.ceil(Math.log(alpha) / Math.log1p(-rate) - 1e-12);
}
