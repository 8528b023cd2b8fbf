/* eslint-disable @typescript-eslint/no-non-null-assertion -- a fixed table, read in full */

// Lanczos coefficients for g = 7, n = 9 (Godfrey, "A note on the computation of the convergent Lanczos complex gamma").
const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];
const halfLog2Pi = 0.5 * Math.log(2 * Math.PI);

/** ln Γ(x) for x ≥ 0.5; relative error about 1e-15. */
export function logGamma(x: number): number {
  const z = x - 1;
  let sum = lanczos[0]!;
  for (let i = 1; i < lanczos.length; i++) sum += lanczos[i]! / (z + i);
  const t = z + 7.5;
  return halfLog2Pi + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}

/**
 * The regularised incomplete beta function I_x(a, b), for a, b ≥ 0.5 and x in [0, 1]: continued fraction of DLMF 8.17.22,
 * evaluated by Lentz's method on the side of the mean where it converges fast.
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b) - Math.log(a);
  return Math.min(1, Math.exp(front) / continuedFraction(x, a, b));
}

/** Sums of at most this many terms are needed for a, b up to about 1e7. */
const maxTerms = 10_000;

function continuedFraction(x: number, a: number, b: number): number {
  const away = (value: number): number => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let fraction = 1;
  let c = 1;
  let d = 0;
  for (let term = 1; term <= maxTerms; term++) {
    const m = Math.floor(term / 2);
    const top = term % 2 === 0 ? m * (b - m) : -(a + m) * (a + b + m);
    const coefficient = (top * x) / ((a + term - 1) * (a + term));
    d = 1 / away(1 + coefficient * d);
    c = away(1 + coefficient / c);
    fraction *= c * d;
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return fraction;
}

/** P(X ≤ count) for X ~ Binomial(trials, p). */
export function binomialCdf(count: number, trials: number, p: number): number {
  if (count < 0) return 0;
  if (count >= trials) return 1;
  return incompleteBeta(1 - p, trials - count, count + 1);
}
