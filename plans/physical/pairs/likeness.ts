/** How alike the two values of each pair are, compared with how alike they are to all others that they are paired with. */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

/** Pairs as numbers of their values, and what is known of each. */
export interface ValuePairs {
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** From -1 to 1; NaN: not known. */
  readonly cosine: Float32Array;
}

/**
 * Scores in [0, 1], higher for more alike; NaN where the cosine is. A value that is near everything (short texts, common words)
 * says little by being near: the means of both values are taken off and that of all pairs is put on.
 */
export function likenessOf({ left, right, cosine }: ValuePairs): Float64Array {
  const known = (at: number): boolean => !Number.isNaN(cosine[at]);
  const ofLeft = meansBy(left, cosine, known);
  const ofRight = meansBy(right, cosine, known);
  const of = meansBy(new Int32Array(cosine.length), cosine, known)[0] ?? 0;
  // each of the four terms is within -1 and 1
  return Float64Array.from(cosine, (value, at) =>
    known(at) ? (value - ofLeft[left[at]!]! - ofRight[right[at]!]! + of + 4) / 8 : Number.NaN,
  );
}

function meansBy(groups: Int32Array, values: Float32Array, known: (at: number) => boolean): Float64Array {
  const size = groups.reduce((most, group) => Math.max(most, group + 1), 0);
  const sums = new Float64Array(size);
  const counts = new Float64Array(size);
  for (let at = 0; at < groups.length; at += 1) {
    if (!known(at)) continue;
    sums[groups[at]!]! += values[at]!;
    counts[groups[at]!]! += 1;
  }
  return sums.map((sum, group) => sum / Math.max(1, counts[group]!));
}

/** Cosine of two vectors of one length; NaN where either is missing or nought. */
export function cosineOf(a: ArrayLike<number> | undefined, b: ArrayLike<number> | undefined): number {
  if (a === undefined || b === undefined) return Number.NaN;
  let [dot, one, other] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    dot += a[at]! * (b[at] ?? 0);
    one += a[at]! ** 2;
    other += (b[at] ?? 0) ** 2;
  }
  return dot / Math.sqrt(one * other);
}
