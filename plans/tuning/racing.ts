/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

export interface Race {
  /** Row scores in [0, 1] of the trial so far, on the first rows of the validation set in its fixed random order. */
  readonly candidate: readonly number[];
  /** The incumbent's on all rows, same order. */
  readonly incumbent: readonly number[];
  /** Mean row score by which the trial must beat the incumbent, to make up for latency and cost (may be negative). */
  readonly neededGain: number;
  /** Chance of abandoning a trial that would do in the long run; 0.05 by default. */
  readonly risk?: number;
}

export type Verdict = 'continue' | 'hopeless' | 'unlikely';

/**
 * Whether a trial is worth its remaining rows. `hopeless`: not even all rows right would do. `unlikely`: a sequential test
 * on the paired differences says so. Its bound holds however often it is looked at: the wealth of a bettor against "the
 * mean difference reaches the needed gain" is a supermartingale when that is true, and reaches 1/risk with at most that
 * chance (Ville's inequality; Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting").
 */
export function judgeRace({ candidate, incumbent, neededGain, risk = 0.05 }: Race): Verdict {
  const rows = incumbent.length;
  const seen = Math.min(candidate.length, rows);
  const difference = (row: number) => candidate[row]! - incumbent[row]!;
  let most = 0;
  for (let row = 0; row < rows; row++) most += row < seen ? difference(row) : 1 - incumbent[row]!;
  if (most < neededGain * rows - 1e-9) return 'hopeless';
  if (neededGain <= -1) return 'continue';
  // Bettors of different boldness share one unit of wealth; none may lose more than all on a difference of 1.
  const boldest = 1 / Math.max(1e-9, 1 - neededGain);
  const bets = [0.1, 0.2, 0.35, 0.5, 0.7, 0.9].map((share) => share * boldest);
  const wealth = bets.map(() => 1 / bets.length);
  for (let row = 0; row < seen; row++) {
    bets.forEach((bet, k) => (wealth[k] = wealth[k]! * (1 + bet * (neededGain - difference(row)))));
    if (wealth.reduce((sum, value) => sum + value, 0) >= 1 / risk) return 'unlikely';
  }
  return 'continue';
}
