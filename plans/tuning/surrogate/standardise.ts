/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

/** Standard units of a column of observations. `value(standard)` and `standard(value)` are inverse and increasing. */
export interface Standard {
  readonly values: Float64Array;
  readonly shift: number;
  readonly scale: number;
}

/**
 * Mean 0 and variance 1. Identical observations keep scale 1. With `tame`, outliers first: what is further from the median
 * than the others are wide is drawn in to at most 1.25 times that, so that one wild value cannot flatten all others. That keeps the
 * order, not the distances: not for a column that known terms are added to.
 */
export function standardise(column: Float64Array, options: { readonly tame: boolean }): Standard {
  const tamed = options.tame ? withoutOutliers(column) : column;
  let mean = 0;
  for (const value of tamed) mean += value / tamed.length;
  let variance = 0;
  for (const value of tamed) variance += (value - mean) ** 2 / Math.max(1, tamed.length - 1);
  const spread = Math.sqrt(variance);
  const scale = spread > 1e-12 * Math.max(1e-300, Math.abs(mean)) && Number.isFinite(spread) ? spread : 1;
  return { values: tamed.map((value) => (value - mean) / scale), shift: mean, scale };
}

/** The width leaves out one value at either end, so that a single outlier cannot hide itself. */
function withoutOutliers(column: Float64Array): Float64Array {
  const sorted = column.slice().sort();
  if (sorted.length < 4) return column;
  const centre = median(sorted);
  const width = sorted[sorted.length - 2]! - sorted[1]!;
  return width > 1e-290 ? column.map((value) => centre + width * tame((value - centre) / width)) : column;
}

function tame(widths: number): number {
  const size = Math.abs(widths);
  return size <= 1 ? widths : Math.sign(widths) * (1.25 - 0.25 / size);
}

/** Median; 0 of nothing. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
