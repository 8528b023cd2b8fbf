/* eslint-disable @typescript-eslint/no-non-null-assertion -- the two tables are fixed and of one length */

/** Sampled tuples of one stratum: how many are on either side of a ratio, and the share of the stratum that was sampled. */
export interface RatioCounts {
  readonly bad: number;
  readonly good: number;
  /** Sampling rate of the stratum, in (0, 1]. */
  readonly rate: number;
}

export interface RatioTest {
  readonly strata: readonly RatioCounts[];
  /** The hypothesis bet against: the population has more than `ratio` bad tuples for each good one. */
  readonly ratio: number;
  /** The smallest sampling rate of any stratum that may hold bad tuples. */
  readonly smallestRate: number;
  /** No stratum may hold both bad and good tuples; admits larger bets. */
  readonly separate: boolean;
}

/** Stakes as a share of the largest, and the capital on each. The largest stake alone equals Clopper–Pearson at no bad tuple. */
const stakes = [1, 0.6, 0.35, 0.2, 0.1];
const capital = [0.5, 0.2, 0.15, 0.1, 0.05];

/**
 * Capital of a bettor, started at 1, after betting that bad tuples are rare: an e-value, so P(capital ≥ 1/α) ≤ α when the
 * hypothesis is true (Markov). Hedged over fixed stakes as in Waudby-Smith and Ramdas, "Estimating means of bounded random
 * variables by betting" (2023), §4.4.
 *
 * With stake a, a sampled bad tuple of rate π multiplies the capital by 1 − a/π and a good one by 1 + h/π. Tuples are
 * drawn without replacement in each stratum, so that the expected product is at most (1 + mean)^n (Maclaurin) and over all
 * strata at most exp(h·G − a·B) ≤ 1 for h = ratio·a, B > ratio·G. Where bad and good never share a stratum, draws of each
 * are negatively associated, the expectation is at most (1 − a)^B (1 + h)^G, and h = (1 − a)^(−ratio) − 1 is admitted.
 *
 * @returns ln of the capital
 */
export function logEvidence({ strata, ratio, smallestRate, separate }: RatioTest): number {
  let total = 0;
  for (let bet = 0; bet < stakes.length; bet++) {
    const a = Math.min(stakes[bet]! * smallestRate, 1 - 1e-9);
    const h = Math.min(separate ? Math.expm1(-ratio * Math.log1p(-a)) : ratio * a, 1e300);
    let log = 0;
    for (const { bad, good, rate } of strata) {
      if (bad > 0) log += bad * Math.log1p(-Math.min(1, a / rate));
      if (good > 0) log += good * Math.log1p(h / rate);
    }
    total += capital[bet]! * Math.exp(Math.min(log, 600));
  }
  return Math.log(total);
}

const largestRatio = 10;

/** The smallest ratio of bad to good tuples that the evidence excludes at level `alpha`; Infinity when none up to 10. */
export function ratioUpper(test: Omit<RatioTest, 'ratio'>, alpha: number): number {
  const excluded = (ratio: number) => logEvidence({ ...test, ratio }) >= -Math.log(alpha);
  if (!excluded(largestRatio)) return Infinity;
  let low = 0;
  let high = largestRatio;
  for (let step = 0; step < 32; step++) {
    const middle = 0.5 * (low + high);
    if (excluded(middle)) high = middle;
    else low = middle;
  }
  return high;
}
