/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import type { Standing } from './best.js';
import { logImprovement } from './numeric/normal.js';
import type { Configuration } from './space.js';

export interface ReevaluationOptions {
  /** Finalists; 3 by default. */
  readonly top?: number;
  /** Repeats in all, at most. */
  readonly repeats: number;
  /** Standard deviation of one repeat on fresh rows; a standing's `noise` where nothing better is known. */
  readonly noise: number;
  /** Utility that a repeat must be expected to gain to be worth its price; 0 by default. */
  readonly priceInUtility?: number;
}

export interface Reevaluation {
  readonly trialId: string;
  readonly configuration: Configuration;
  readonly repeats: number;
}

/**
 * Which finalists to measure again, and how often, by the expected value of the information: what choosing after the
 * repeats is expected to gain over choosing now. Greedy, each time the block of repeats with the most gain a repeat, since
 * one alone may be unable to change the choice where two can (Frazier and Powell 2010, "Paradoxes in learning").
 *
 * @param standings feasible ones only, best first, as `rank` returns them.
 */
export function planReevaluation(standings: readonly Standing[], options: ReevaluationOptions): Reevaluation[] {
  const { top = 3, repeats, noise, priceInUtility = 0 } = options;
  const finalists = standings.slice(0, top);
  const given = finalists.map(() => 0);
  for (let left = repeats; left > 0; ) {
    let choice: { index: number; block: number; rate: number } | undefined;
    for (const index of finalists.keys())
      for (let block = 1; block <= left; block++) {
        const rate = gainOfRepeats(finalists, index, { noise, before: given[index]!, block }) / block;
        if (rate > (choice?.rate ?? Math.max(priceInUtility, 1e-12))) choice = { index, block, rate };
      }
    if (!choice) break;
    given[choice.index]! += choice.block;
    left -= choice.block;
  }
  return finalists.flatMap(({ trialIds, configuration }, i) =>
    given[i]! > 0 ? [{ trialId: trialIds[0]!, configuration, repeats: given[i]! }] : [],
  );
}

interface Repeats {
  readonly noise: number;
  readonly before: number;
  readonly block: number;
}

/** Knowledge gradient of independent normal beliefs: s · h(−|lead|/s), s the deviation that the mean can move by. */
function gainOfRepeats(finalists: readonly Standing[], index: number, { noise, before, block }: Repeats): number {
  const { mean, deviation } = finalists[index]!.goals[0]!;
  const others = finalists.filter((_, k) => k !== index).map(({ goals }) => goals[0]!.mean);
  if (others.length === 0 || !(deviation > 0)) return 0;
  const variance = (count: number) => 1 / (1 / deviation ** 2 + count / Math.max(noise, 1e-9) ** 2);
  const movement = Math.sqrt(Math.max(0, variance(before) - variance(before + block)));
  if (movement === 0) return 0;
  const lead = Math.abs(mean - Math.max(...others));
  return movement * Math.exp(logImprovement(-lead / movement));
}
