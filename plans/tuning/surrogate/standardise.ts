/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

/** Standard units of a column of observations. `value(standard)` and `standard(value)` are inverse and increasing. */
export interface Standard {
  readonly values: Float64Array;
  readonly shift: number;
  readonly scale: number;
}

/** Beyond this many robust deviations, distance counts only by its logarithm. */
const tail = 4;

/**
 * Mean 0 and variance 1. Outliers first: what is more than 4 robust deviations (1.48 × the median distance from the median)
 * away is drawn in logarithmically, so that one wild value cannot flatten all others. Identical observations keep scale 1.
 */
export function standardise(column: Float64Array): Standard {
  const centre = median(column);
  const robust = 1.4826 * median(column.map((value) => Math.abs(value - centre)));
  const tamed = robust > 0 ? column.map((value) => centre + robust * tame((value - centre) / robust)) : column;
  let mean = 0;
  for (const value of tamed) mean += value / tamed.length;
  let variance = 0;
  for (const value of tamed) variance += (value - mean) ** 2 / Math.max(1, tamed.length - 1);
  const spread = Math.sqrt(variance);
  const scale = spread > 1e-12 * Math.max(1e-300, Math.abs(mean)) && Number.isFinite(spread) ? spread : 1;
  return { values: tamed.map((value) => (value - mean) / scale), shift: mean, scale };
}

function tame(deviations: number): number {
  const size = Math.abs(deviations);
  return size <= tail ? deviations : Math.sign(deviations) * (tail + Math.log1p(size - tail));
}

/** Median; 0 of nothing. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
