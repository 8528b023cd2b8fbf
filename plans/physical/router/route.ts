import { bucketsOf, massesOfLogits, withoutMissing } from './buckets.js';
import type { FeatureTable } from './features.js';
import { percentileOf, percentileRanks, type QuantileSketch } from './percentiles.js';
import { type Scorer, scoreRows } from './scorer.js';

/** A router of one task operator over N implementations, cheapest first. Plain data. */
export interface Router {
  readonly scorer: Scorer;
  /** α of CADENZA §5.1, one for each implementation. */
  readonly logits: readonly number[];
}

/**
 * Bucket of each row of a whole input.
 *
 * @param available which implementations are there; all when left out
 * @throws RangeError when none is
 */
export function routeAll(router: Router, table: FeatureTable, available?: readonly boolean[]): Uint8Array {
  return routeScores(router, scoreRows(router.scorer, table), available);
}

/** The same from scores that were made part by part. */
export function routeScores(
  { logits }: Router,
  scores: ArrayLike<number>,
  available: readonly boolean[] = logits.map(() => true),
): Uint8Array {
  return bucketsOf(percentileRanks(scores), withoutMissing(massesOfLogits(logits), available));
}

/**
 * Bucket of each row of a part of a stream, by the profile's scores. A row's bucket does not hang on the rows beside it.
 *
 * @param spread in (0, 1] for each row, e.g. of its hash: places rows of equal scores
 */
export function routeStream(
  { scorer, logits }: Router,
  table: FeatureTable,
  sketch: QuantileSketch,
  spread: ArrayLike<number>,
): Uint8Array {
  const percentiles = scoreRows(scorer, table).map((score, row) => percentileOf(score, sketch, spread[row] ?? 1));
  return bucketsOf(percentiles, massesOfLogits(logits));
}
