/** Whether two samples of numbers come from one distribution. Samples are ascending, each with at least one number. */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

/** A test of "nothing has changed": a small `p` speaks against it. */
export interface Tested {
  /** In [0, 1] for shares and distribution functions. */
  readonly statistic: number;
  readonly p: number;
}

/**
 * Kolmogorov–Smirnov of two samples: the greatest distance of their distribution functions. The level is Kolmogorov's series at
 * λ = (√m + 0.12 + 0.11/√m)·D with m = n₁n₂/(n₁ + n₂) (Stephens 1970). Ties make it reject less often, never more.
 */
export function kolmogorovSmirnov(a: ArrayLike<number>, b: ArrayLike<number>): Tested {
  let [i, j, statistic] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const at = Math.min(a[i]!, b[j]!);
    while (i < a.length && a[i]! <= at) i += 1;
    while (j < b.length && b[j]! <= at) j += 1;
    statistic = Math.max(statistic, Math.abs(i / a.length - j / b.length));
  }
  return { statistic, p: levelOf(statistic, a.length, b.length) };
}

/** How likely a distance of two distribution functions is at least this where both samples come from one distribution. */
export function levelOf(statistic: number, first: number, second: number): number {
  const root = Math.sqrt((first * second) / (first + second));
  return kolmogorov((root + 0.12 + 0.11 / root) * statistic);
}

/** 2·Σ (−1)^(k−1)·exp(−2k²λ²), in [0, 1]. */
function kolmogorov(lambda: number): number {
  // Below, the series converges slowly and is 1 within 1e-7.
  if (lambda < 0.3) return 1;
  let sum = 0;
  for (let k = 1; k <= 100; k++) sum += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * (k * lambda) ** 2);
  return Math.min(1, Math.max(0, sum));
}

const deciles = 10;

/**
 * Population stability index Σ (q − p)·ln(q/p) over the deciles of the first sample: below 0.1 little has changed, above 0.25
 * much has. Half a row is added to each bin, so that an empty one is no infinity. Values that many rows share are one bin.
 */
export function stabilityIndex(then: ArrayLike<number>, now: ArrayLike<number>): number {
  const cuts: number[] = [];
  for (let k = 1; k < deciles; k++) {
    const cut = then[Math.floor((k * then.length) / deciles)]!;
    if (cut !== cuts.at(-1)) cuts.push(cut);
  }
  const [old, fresh] = [histogram(then, cuts), histogram(now, cuts)];
  return old.reduce((sum, p, bin) => sum + (fresh[bin]! - p) * Math.log(fresh[bin]! / p), 0);
}

/** Shares of rows below the first cut, from each cut to the next, and from the last one on. */
function histogram(rows: ArrayLike<number>, cuts: readonly number[]): readonly number[] {
  const counts = new Array<number>(cuts.length + 1).fill(0.5);
  let bin = 0;
  for (let row = 0; row < rows.length; row++) {
    while (bin < cuts.length && rows[row]! >= cuts[bin]!) bin += 1;
    counts[bin]! += 1;
  }
  return counts.map((count) => count / (rows.length + counts.length / 2));
}
