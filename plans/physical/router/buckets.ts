/** Which implementation a percentile goes to: cutpoints from masses, masses from logits (CADENZA §5.1). */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

/** π = softmax(α); logits of any size. */
export function massesOfLogits(logits: readonly number[]): readonly number[] {
  const top = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp(logit - top));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** τ_k = Σ_{i≤k} π_i for k = 1 … N − 1. */
export function cutpointsOfMasses(masses: readonly number[]): readonly number[] {
  let sum = 0;
  return masses.slice(0, -1).map((mass) => (sum += mass));
}

/** Keeps sums that differ in their last bits from the same percentile. */
const tolerance = 1e-12;

/** k = digitize(u; τ): the first bucket, from 0, whose cutpoint is not below u. Without cutpoints there is one bucket. */
export function digitize(percentile: number, cutpoints: readonly number[]): number {
  let bucket = 0;
  while (bucket < cutpoints.length && cutpoints[bucket]! < percentile - tolerance) bucket += 1;
  return bucket;
}

/** Buckets of all rows. */
export function bucketsOf(percentiles: ArrayLike<number>, masses: readonly number[]): Uint8Array {
  const cutpoints = cutpointsOfMasses(masses);
  return Uint8Array.from(percentiles, (percentile) => digitize(percentile, cutpoints));
}

/**
 * Masses without the implementations that are gone: what they had goes to the next dearer one that is there, else to the next
 * cheaper one.
 *
 * @throws RangeError when none is there
 */
export function withoutMissing(masses: readonly number[], available: readonly boolean[]): readonly number[] {
  if (!masses.some((_, at) => available[at])) throw new RangeError('no implementation is there');
  const left = masses.map((mass, at) => (available[at] ? mass : 0));
  masses.forEach((mass, at) => {
    if (available[at]) return;
    const dearer = available.indexOf(true, at);
    left[dearer >= 0 ? dearer : available.lastIndexOf(true)]! += mass;
  });
  return left;
}

/** What puts implementations in the order of their buckets. */
export interface Priced {
  readonly name: string;
  readonly usd: number;
  readonly seconds: number;
}

/** Cheapest first; of equal price the quicker; of equal speed by name, so that the order is one. */
export function byCost<T extends Priced>(implementations: readonly T[]): readonly T[] {
  return [...implementations].sort((a, b) => a.usd - b.usd || a.seconds - b.seconds || (a.name < b.name ? -1 : 1));
}
