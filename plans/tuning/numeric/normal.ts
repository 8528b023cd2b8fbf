/* eslint-disable @typescript-eslint/no-non-null-assertion -- fixed tables, read in full */

// Rational approximations of W. J. Cody, "Rational Chebyshev approximations for the error function" (1969).
const small = {
  p: [1.85777706184603153e-1, 3.1611237438705656, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3],
  q: [1, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3],
};
const middle = {
  p: [
    2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1, 2.98635138197400131e2,
    8.8195222124176909e2, 1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3,
  ],
  q: [
    1, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
    3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3,
  ],
};
const large = {
  p: [
    1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
    1.60837851487422766e-2, 6.58749161529837803e-4,
  ],
  q: [
    1, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1, 6.05183413124413191e-2, 2.33520497626869185e-3,
  ],
};

function ratio({ p, q }: { readonly p: readonly number[]; readonly q: readonly number[] }, x: number): number {
  let top = 0;
  let bottom = 0;
  for (let i = 0; i < p.length; i++) {
    top = top * x + p[i]!;
    bottom = bottom * x + q[i]!;
  }
  return top / bottom;
}

const inverseRootPi = 1 / Math.sqrt(Math.PI);
const halfLog2Pi = 0.5 * Math.log(2 * Math.PI);
const rootHalfPi = Math.sqrt(Math.PI / 2);

/** Scaled complementary error function e^{x²}·erfc(x), for x ≥ 0; relative error about 1e-15. */
export function erfcx(x: number): number {
  if (x <= 0.46875) return Math.exp(x * x) * (1 - x * ratio(small, x * x));
  if (x <= 4) return ratio(middle, x);
  const z = 1 / (x * x);
  return (inverseRootPi - z * ratio(large, z)) / x;
}

/** ln φ(u), the standard normal density. */
export function logDensity(u: number): number {
  return -0.5 * u * u - halfLog2Pi;
}

/** ln Φ(u), precise in both tails. */
export function logCdf(u: number): number {
  if (u < 0) return Math.log(0.5 * erfcx(-u / Math.SQRT2)) - 0.5 * u * u;
  return Math.log1p(-0.5 * erfcx(u / Math.SQRT2) * Math.exp(-0.5 * u * u));
}

/** φ(u)/Φ(u): the derivative of ln Φ. */
export function inverseMills(u: number): number {
  return Math.exp(logDensity(u) - logCdf(u));
}

/**
 * ln h(u) with h(u) = φ(u) + u·Φ(u), so that expected improvement is σ·h((μ − best)/σ). Stable down to u = −1e150
 * (Ament et al. 2023, "Unexpected improvements to expected improvement").
 */
export function logImprovement(u: number): number {
  if (u > -1) return Math.log(Math.exp(logDensity(u)) + u * Math.exp(logCdf(u)));
  if (u > -1e4) return logDensity(u) + Math.log1p(u * rootHalfPi * erfcx(-u / Math.SQRT2));
  return logDensity(u) - 2 * Math.log(-u);
}

/** d ln h / du = Φ(u)/h(u), given ln h(u). */
export function improvementSlope(u: number, logH: number): number {
  return u > -1e4 ? Math.exp(logCdf(u) - logH) : -u;
}

/** ln Σ exp(values), over the first `count` entries. */
export function logSumExp(values: Float64Array, count = values.length): number {
  let top = -Infinity;
  for (let i = 0; i < count; i++) top = Math.max(top, values[i]!);
  if (top === -Infinity) return -Infinity;
  let sum = 0;
  for (let i = 0; i < count; i++) sum += Math.exp(values[i]! - top);
  return top + Math.log(sum);
}
