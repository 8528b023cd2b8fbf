/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import type { Metrics } from '../history.js';

/** One implementation's record on every validation row, rows in order of difficulty. */
export interface RowRecord {
  /** How right the answer was, in [0, 1]. */
  readonly quality: readonly number[];
  readonly seconds: readonly number[];
  readonly usd: readonly number[];
}

export interface CutpointPlan {
  /** Shares of rows of each bucket. */
  readonly masses: readonly number[];
  /** `quality` (mean), `latencySeconds` and `costUsd` (sums) over the rows. */
  readonly metrics: Metrics;
  readonly score: number;
}

/** Assignments looked at, at most. */
const maxAssignments = 500_000;

/**
 * The best cutpoints of one operator by trying all of them, which needs no call once each implementation has seen each row.
 * Exact while rows and buckets give at most 500 000 assignments (50 rows: up to 5 buckets); beyond, cutpoints are taken
 * from the finest even grid that stays below. Of equal scores the one with more rows in the early, cheaper buckets wins.
 *
 * @param score any function of the metrics; NaN and −∞ are never chosen.
 */
export function optimiseCutpoints(records: readonly RowRecord[], score: (metrics: Metrics) => number): CutpointPlan {
  const rows = records[0]?.quality.length ?? 0;
  const sums = records.map(({ quality, seconds, usd }) => [quality, seconds, usd].map(prefixSums));
  const cuts = cutGrid(rows, records.length);
  let best: CutpointPlan | undefined;
  const ends: number[] = [];
  const visit = (bucket: number, from: number, totals: readonly number[]) => {
    const begin = cuts[from]!;
    const added = (end: number) =>
      totals.map((total, k) => total + sums[bucket]![k]![end]! - sums[bucket]![k]![begin]!);
    if (bucket === records.length - 1) {
      const [quality, latencySeconds, costUsd] = added(rows) as [number, number, number];
      const metrics = { quality: quality / rows, latencySeconds, costUsd };
      const value = score(metrics);
      if (value > (best?.score ?? -Infinity)) best = { masses: massesOf(ends, rows), metrics, score: value };
      return;
    }
    for (let at = cuts.length - 1; at >= from; at--) {
      ends.push(cuts[at]!);
      visit(bucket + 1, at, added(cuts[at]!));
      ends.pop();
    }
  };
  if (rows > 0) visit(0, 0, [0, 0, 0]);
  if (!best) throw new RangeError('no rows, or no assignment has a score');
  return best;
}

/**
 * Quality of each row drawn towards its neighbours in difficulty (Gaussian weights) and towards the implementation's mean:
 * what a row of that difficulty can be expected to give, rather than what this one gave. Cutpoints that are optimal for this
 * are less fitted to the luck of the sample.
 *
 * @param bandwidth in shares of all rows.
 */
export function smoothed(quality: readonly number[], bandwidth: number): number[] {
  const rows = quality.length;
  const mean = quality.reduce((sum, value) => sum + value, 0) / Math.max(1, rows);
  return quality.map((_, row) => {
    let weightSum = 1;
    let sum = mean;
    quality.forEach((value, other) => {
      const weight = Math.exp(-0.5 * ((row - other) / (bandwidth * rows)) ** 2);
      weightSum += weight;
      sum += weight * value;
    });
    return sum / weightSum;
  });
}

function prefixSums(values: readonly number[]): number[] {
  const sums = [0];
  for (const value of values) sums.push(sums.at(-1)! + value);
  return sums;
}

function massesOf(ends: readonly number[], rows: number): number[] {
  return [...ends, rows].map((end, k) => (end - (ends[k - 1] ?? 0)) / rows);
}

/** Cut positions 0 … rows, thinned until C(positions + buckets − 2, buckets − 1) fits. */
function cutGrid(rows: number, buckets: number): number[] {
  let positions = rows + 1;
  while (positions > 2 && assignments(positions, buckets) > maxAssignments) positions--;
  const grid = Array.from({ length: positions }, (_, i) => Math.round((i * rows) / (positions - 1)));
  return [...new Set(rows === 0 ? [0] : grid)];
}

function assignments(positions: number, buckets: number): number {
  let count = 1;
  for (let k = 1; k < buckets; k++) count = (count * (positions + k - 1)) / k;
  return count;
}
