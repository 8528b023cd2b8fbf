/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

/** Range of the paper's logits: coordinate 0 … 1 ↔ logit −3 … 3. */
const logitRange = 6;

/** Masses from logits in [−3, 3] coded as coordinates in [0, 1]: π = softmax(α) (CADENZA §5.1). */
export function softmaxMasses(coordinates: ArrayLike<number>): number[] {
  const logits = Array.from(coordinates, (coordinate) => logitRange * (coordinate - 0.5));
  const top = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp(logit - top));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Coordinates whose softmax is nearest to the masses: centred logs, cut to the range. */
export function softmaxCoordinates(masses: readonly number[]): number[] {
  const logs = masses.map((mass) => Math.log(Math.max(mass, 1e-9)));
  const middle = (Math.max(...logs) + Math.max(Math.min(...logs), Math.max(...logs) - logitRange)) / 2;
  return logs.map((log) => Math.min(1, Math.max(0, 0.5 + (log - middle) / logitRange)));
}

/** Masses from N − 1 breaks: each takes its share of what the earlier ones left; the last bucket has the rest. */
export function stickMasses(breaks: ArrayLike<number>): number[] {
  let rest = 1;
  const masses = Array.from(breaks, (share) => {
    const mass = rest * share;
    rest -= mass;
    return mass;
  });
  return [...masses, rest];
}

/** Breaks that give the masses; where nothing is left the break is ½, as every one would do. */
export function stickBreaks(masses: readonly number[]): number[] {
  let rest = 1;
  return masses.slice(0, -1).map((mass) => {
    const share = rest > 1e-12 ? Math.min(1, Math.max(0, mass / rest)) : 0.5;
    rest -= mass;
    return share;
  });
}

/** Break k of N buckets at quantile p, such that uniform p's make the masses uniform on the simplex: Beta(1, N − k). */
export function breakQuantile(p: number, left: number): number {
  return 1 - (1 - p) ** (1 / left);
}

/** Cutpoints τ_k = Σ_{i≤k} π_i of breaks, the N − 1 percentiles at which a router changes bucket. */
export function cutpointsOfBreaks(breaks: Float64Array, out: Float64Array): void {
  let rest = 1;
  for (let k = 0; k < breaks.length; k++) {
    rest *= 1 - breaks[k]!;
    out[k] = 1 - rest;
  }
}

/** Adds Σ_k slopes_k · ∂τ_k/∂break_i to `out`. */
export function addBreakSlopes(breaks: Float64Array, slopes: Float64Array, out: Float64Array): void {
  for (let i = 0; i < breaks.length; i++) {
    let others = 1;
    for (let k = 0; k < i; k++) others *= 1 - breaks[k]!;
    for (let k = i; k < breaks.length; k++) {
      if (k > i) others *= 1 - breaks[k]!;
      out[i]! += slopes[k]! * others;
    }
  }
}
