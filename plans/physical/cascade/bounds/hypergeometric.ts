import { logGamma } from './beta.js';

/**
 * P(X ≤ count) for the number X of marked tuples among `draws` that are drawn without replacement from `size` tuples of which
 * `marked` are marked.
 */
export function hypergeometricCdf(
  count: number,
  { size, marked, draws }: { readonly size: number; readonly marked: number; readonly draws: number },
): number {
  const most = Math.min(count, marked, draws);
  if (most === Math.min(marked, draws)) return 1;
  let sum = 0;
  for (let x = Math.max(0, marked + draws - size); x <= most; x += 1) {
    sum += Math.exp(logChoose(marked, x) + logChoose(size - marked, draws - x) - logChoose(size, draws));
  }
  return Math.min(1, sum);
}

/** ln of the number of ways to choose `k` of `n`. */
function logChoose(n: number, k: number): number {
  return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
}
