/** From difficulty scores to percentiles u in (0, 1]: CADENZA §5.1. */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

/**
 * Rank of each score over the whole input, divided by the number of rows. Equal scores rank in the order of the rows, so that
 * the masses of buckets hold for constant scores, too.
 */
export function percentileRanks(scores: ArrayLike<number>): Float64Array {
  const order = Uint32Array.from({ length: scores.length }, (_, row) => row);
  order.sort((a, b) => scores[a]! - scores[b]! || a - b);
  const percentiles = new Float64Array(scores.length);
  for (let rank = 1; rank <= order.length; rank++) percentiles[order[rank - 1]!] = rank / order.length;
  return percentiles;
}

/** Scores of a profile at evenly spaced percentiles, ascending: what a streaming input is ranked by. Plain data. */
export type QuantileSketch = readonly number[];

/** Points kept by default: percentiles are right within 1/256 of the profile's. */
const points = 257;

/** @throws RangeError without scores */
export function sketchScores(scores: ArrayLike<number>, size = points): QuantileSketch {
  const sorted = Float64Array.from(scores).sort();
  if (sorted.length === 0) throw new RangeError('a sketch of no scores');
  const kept = Math.max(2, Math.min(size, sorted.length));
  return Array.from({ length: kept }, (_, at) => sorted[Math.round((at * (sorted.length - 1)) / (kept - 1))]!);
}

/**
 * Percentile in (0, 1] of one score of a stream. Where the profile has a score many times, `spread` in (0, 1], e.g. from the row's
 * hash, says where among them it stands: constant scores fill the buckets by their masses.
 */
export function percentileOf(score: number, sketch: QuantileSketch, spread: number): number {
  const last = sketch.length - 1;
  const below = countWhere(sketch, (point) => point < score);
  const upTo = countWhere(sketch, (point) => point <= score);
  const at = upTo > below ? below + spread * (upTo - 1 - below) : between(score, sketch, below);
  // A score that stands once counts as the end of its step; below all is the first of the profile's rows.
  return Math.min(1, Math.max(1 / (sketch.length * 2), at / last));
}

/** Place of a score that is none of the points, among those before and after it. */
function between(score: number, sketch: QuantileSketch, below: number): number {
  if (below === 0) return 0;
  if (below === sketch.length) return sketch.length - 1;
  const [low, high] = [sketch[below - 1]!, sketch[below]!];
  return below - 1 + (score - low) / (high - low);
}

/** How many points at the beginning pass a test that no point after them passes. */
function countWhere(sketch: QuantileSketch, test: (point: number) => boolean): number {
  let low = 0;
  let high = sketch.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(sketch[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
