/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { FermataError } from '../../protocol/errors.js';
import { deriveSeed, mulberry32 } from '../../tuning/numeric/random.js';
import { strataOf, stratumAt } from './strata.js';
import type { Stratum } from './strata.js';
import { checkScores } from './targets.js';

/**
 * `uniform`: every tuple as likely as any other; the right choice unless positives are rare. `importance`: half evenly,
 * half in proportion to the square root of the score; finds more positives when they are rare and the proxy is good.
 */
export type SampleScheme = 'uniform' | 'importance';

export interface SampleRequest {
  /** Proxy scores in [0, 1]. */
  readonly scores: ArrayLike<number>;
  /** Tuples to ask the oracle about. */
  readonly budget: number;
  readonly seed: number;
  readonly scheme: SampleScheme;
}

/** Small and serialisable: `indices` has `budget` entries, `strata` at most 24. */
export interface SamplePlan {
  readonly scheme: SampleScheme;
  /** Which tuples to ask the oracle about; distinct, ascending. */
  readonly indices: readonly number[];
  /** Tuples of the population that each sampled one stands for: 1 / its sampling rate. */
  readonly weights: readonly number[];
  readonly strata: readonly Stratum[];
}

/**
 * Draws the tuples whose labels the thresholds are learned from: without replacement, of fixed size in each stratum. The
 * same request gives the same plan. Throws `BadArgument` for a score outside [0, 1] or a budget that is no whole number.
 *
 * @example planSample({ scores, budget: 300, seed: 1, scheme: 'uniform' }).indices
 */
export function planSample({ scores, budget, seed, scheme }: SampleRequest): SamplePlan {
  checkScores(scores);
  if (!Number.isInteger(budget) || budget < 0)
    throw new FermataError('BadArgument', `the sample budget is ${budget}`, { hint: 'give a whole number of tuples' });
  const strata = scores.length === 0 ? [] : layers[scheme](scores, budget);
  // A stream of its own: the caller's seed may also have made the data.
  const random = mulberry32(deriveSeed(seed, scores.length));
  const left = strata.map(({ size }) => size);
  const needed = strata.map(({ taken }) => taken);
  const indices: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i < scores.length; i++) {
    const h = stratumAt(strata, scores[i]!);
    // Selection sampling (Knuth, TAOCP 3.4.2, algorithm S) in each stratum at once: one pass, no list of candidates.
    if (random.uniform() * left[h]!-- >= needed[h]!) continue;
    needed[h]!--;
    indices.push(i);
    weights.push(strata[h]!.size / strata[h]!.taken);
  }
  return { scheme, indices, weights, strata };
}

const layers: Readonly<Record<SampleScheme, (scores: ArrayLike<number>, budget: number) => Stratum[]>> = {
  uniform: ({ length: size }, budget) => [{ from: 0, size, taken: Math.min(budget, size) }],
  importance: strataOf,
};
