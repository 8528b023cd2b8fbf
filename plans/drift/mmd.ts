/** Whether two sets of vectors come from one distribution. */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { mulberry32 } from '../tuning/numeric/random.js';
import type { Tested } from './two-sample.js';

export type Vectors = readonly (readonly number[])[];

/** p is at least 1 / (shuffles + 1). */
const shuffles = 999;

/**
 * Maximum mean discrepancy (Gretton et al. 2012): the squared distance of the means of both sets under a Gaussian kernel as wide
 * as the median distance of two vectors. Its level is that of the same statistic with the vectors shuffled among the sets, which
 * holds at any number of them. The same seed gives the same p.
 *
 * @throws RangeError for sets of fewer than two vectors
 */
export function meanDiscrepancy(a: Vectors, b: Vectors, seed: number): Tested {
  if (a.length < 2 || b.length < 2) throw new RangeError('a set of fewer than two vectors');
  const all = [...a, ...b];
  const of = discrepancies(kernelOf(all), all.length);
  const order = Uint32Array.from(all.keys());
  const statistic = of(order.subarray(0, a.length));
  const random = mulberry32(seed);
  let asLarge = 0;
  for (let shuffle = 0; shuffle < shuffles; shuffle++) {
    for (let at = 0; at < a.length; at++) {
      const other = at + Math.floor(random.uniform() * (order.length - at));
      const kept = order[at]!;
      order[at] = order[other]!;
      order[other] = kept;
    }
    // Sums in another order differ in their last bits.
    if (of(order.subarray(0, a.length)) >= statistic - 1e-12) asLarge += 1;
  }
  return { statistic, p: (asLarge + 1) / (shuffles + 1) };
}

/** exp(−d² / median d²) of each pair, row by row. */
function kernelOf(vectors: Vectors): Float64Array {
  const size = vectors.length;
  const distances = new Float64Array(size * size);
  const pairs: number[] = [];
  for (let i = 0; i < size; i++) {
    for (let j = i + 1; j < size; j++) {
      let sum = 0;
      for (let at = 0; at < vectors[i]!.length; at++) sum += (vectors[i]![at]! - (vectors[j]![at] ?? 0)) ** 2;
      distances[i * size + j] = sum;
      distances[j * size + i] = sum;
      pairs.push(sum);
    }
  }
  const middle = pairs.sort((x, y) => x - y)[pairs.length >> 1]!;
  // Where most vectors are the same, any that is not counts as far.
  const width = middle > 0 ? middle : 1e-12;
  return distances.map((distance) => Math.exp(-distance / width));
}

/** The biased estimate, of means over all pairs (never below 0), by which vectors are the first set. */
function discrepancies(kernel: Float64Array, size: number): (first: Uint32Array) => number {
  const rows = Float64Array.from({ length: size }, (_, row) => {
    let sum = 0;
    for (let at = row * size; at < (row + 1) * size; at++) sum += kernel[at]!;
    return sum;
  });
  const total = rows.reduce((sum, row) => sum + row, 0);
  return (first) => {
    let [within, touched] = [0, 0];
    for (let i = 0; i < first.length; i++) {
      const row = first[i]! * size;
      touched += rows[first[i]!]!;
      within += kernel[row + first[i]!]!;
      for (let j = i + 1; j < first.length; j++) within += 2 * kernel[row + first[j]!]!;
    }
    // Pairs of one of each set are counted once; what touches neither is within the second.
    const across = touched - within;
    const other = total - within - 2 * across;
    const [n, m] = [first.length, size - first.length];
    return within / n ** 2 + other / m ** 2 - (2 * across) / (n * m);
  };
}
