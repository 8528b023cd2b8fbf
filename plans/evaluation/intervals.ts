/** How sure a measured quality is. */
import { clopperPearson, type Interval } from '../physical/cascade/bounds/clopper-pearson.js';
import { mulberry32 } from '../tuning/numeric/random.js';

/** Exact interval of a share of right rows, at a two-sided confidence of 0.95 by default. */
export function shareInterval(right: number, rows: number, confidence = 0.95): Interval {
  return rows === 0 ? { lower: 0, upper: 1 } : clopperPearson(right, rows, (1 - confidence) / 2);
}

export interface BootstrapOptions {
  readonly seed: number;
  readonly confidence?: number;
  readonly draws?: number;
}

/**
 * Interval of any metric of rows by drawing rows with replacement (Efron's percentile bootstrap). Draws whose metric is no
 * number are left out; with fewer than two rows nothing is known, and the interval is that of all values seen.
 *
 * @example bootstrapInterval(pairs, (drawn) => macroF1(drawn.map((p) => p.named), drawn.map((p) => p.gold)), { seed: 1 })
 */
export function bootstrapInterval<T>(
  rows: readonly T[],
  metric: (rows: readonly T[]) => number,
  { seed, confidence = 0.95, draws = 1000 }: BootstrapOptions,
): Interval {
  const random = mulberry32(seed);
  const values: number[] = [];
  for (let draw = 0; draw < draws; draw++) {
    const value = metric(rows.map(() => rows[Math.floor(random.uniform() * rows.length)] as T));
    if (!Number.isNaN(value)) values.push(value);
  }
  values.sort((a, b) => a - b);
  const at = (share: number): number =>
    values[Math.min(values.length - 1, Math.floor(share * values.length))] ?? Number.NaN;
  return { lower: at((1 - confidence) / 2), upper: at((1 + confidence) / 2) };
}
