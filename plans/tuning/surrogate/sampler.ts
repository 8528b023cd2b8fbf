/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { appendRow, factorWithJitter, invert, solve, solveLower } from '../numeric/cholesky.js';
import type { Cholesky } from '../numeric/cholesky.js';
import { mulberry32 } from '../numeric/random.js';
import { addPointSlope, distance, kernels } from './kernel.js';
import type { Inputs } from './kernel.js';
import type { Fit } from './fit.js';
import { crossCovariance } from './predict.js';

/**
 * Joint draws of the noise-free function at the base points (all observed ones, then the pending ones), and for each draw
 * the process that interpolates it. All draws share one conditional variance, which makes acquisition functions
 * that average over draws cheap (Letham et al. 2019, "Constrained Bayesian optimization with noisy experiments").
 */
export interface Sampler {
  readonly draws: number;
  readonly baseCount: number;
  /** Value of draw s at base point i: `base[s × baseCount + i]`. */
  readonly base: Float64Array;
  moments(point: Float64Array): Moments;
}

/** Means of all draws at a point, and the variance that they share. */
export interface Moments {
  readonly means: Float64Array;
  readonly variance: number;
  /** Adds Σ_s meanWeights_s · ∂mean_s/∂point + varianceWeight · ∂variance/∂point to `out`. */
  addSlopes(meanWeights: Float64Array, varianceWeight: number, out: Float64Array): void;
}

/** Variance of the part of the function that no distance is short enough to share; keeps near copies apart. */
function nuggetOf(fit: Fit): number {
  return Math.min(1e-6, 0.01 * Math.exp(fit.hyper.logNoise));
}

/** Undefined when the posterior covariance cannot be factored. */
export function sampleFunctions(
  fit: Fit,
  pending: readonly Float64Array[],
  options: { readonly draws: number; readonly seed: number },
): Sampler | undefined {
  const points = basePoints(fit, pending);
  const nugget = nuggetOf(fit);
  const { count } = points;
  const prior = priorCovariance(fit, points);
  const posterior = posteriorAtBase(fit, points, prior);
  const spread = factorWithJitter(posterior.covariance, count);
  // The observed part is factored at once, each pending point is one rank-one update.
  const observed = fit.observations.count;
  let exact: Cholesky | undefined = factorWithJitter(leading(prior, count, observed), observed);
  for (let p = observed; exact && p < count; p++)
    exact = appendRow(exact, prior.slice(p * count, p * count + p), prior[p * count + p]!, nugget);
  if (!spread || !exact) return undefined;
  const { draws } = options;
  const base = drawNormals(posterior.mean, spread, options);
  const coefficients = new Float64Array(draws * count);
  for (let s = 0; s < draws; s++)
    coefficients.set(
      solve(
        exact,
        base.slice(s * count, (s + 1) * count).map((value) => value - fit.mean),
      ),
      s * count,
    );
  const inverse = invert(exact);
  return {
    draws,
    baseCount: count,
    base,
    moments: (point) => momentsAt({ fit, points, draws, coefficients, inverse }, point),
  };
}

function basePoints(fit: Fit, pending: readonly Float64Array[]): Inputs {
  const { count, dimensions, x, categorical } = fit.observations;
  const all = new Float64Array((count + pending.length) * dimensions);
  all.set(x);
  pending.forEach((point, i) => all.set(point, (count + i) * dimensions));
  return { count: count + pending.length, dimensions, x: all, categorical };
}

function priorCovariance(fit: Fit, points: Inputs): Float64Array {
  const { count, dimensions, x } = points;
  const { value } = kernels[fit.kernel];
  const nugget = nuggetOf(fit);
  const prior = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < i; k++) {
      const covariance = fit.signal * value(distance(points, i, x, fit.inverse2, k * dimensions));
      prior[i * count + k] = covariance;
      prior[k * count + i] = covariance;
    }
    prior[i * count + i] = fit.signal * (1 + nugget);
  }
  return prior;
}

function posteriorAtBase(
  fit: Fit,
  points: Inputs,
  prior: Float64Array,
): { mean: Float64Array; covariance: Float64Array } {
  const { count, dimensions, x } = points;
  const observed = fit.observations.count;
  const mean = new Float64Array(count);
  const halves: Float64Array[] = [];
  for (let i = 0; i < count; i++) {
    const cross = crossCovariance(fit, x.subarray(i * dimensions, (i + 1) * dimensions));
    mean[i] = fit.mean;
    for (let k = 0; k < observed; k++) mean[i]! += cross[k]! * fit.alpha[k]!;
    halves.push(solveLower(fit.cholesky, cross));
  }
  const covariance = new Float64Array(count * count);
  for (let i = 0; i < count; i++)
    for (let k = 0; k <= i; k++) {
      let value = prior[i * count + k]!;
      for (let j = 0; j < observed; j++) value -= halves[i]![j]! * halves[k]![j]!;
      covariance[i * count + k] = value;
      covariance[k * count + i] = value;
    }
  return { mean, covariance };
}

function leading(matrix: Float64Array, size: number, count: number): Float64Array {
  const block = new Float64Array(count * count);
  for (let i = 0; i < count; i++) block.set(matrix.subarray(i * size, i * size + count), i * count);
  return block;
}

/** Draws in antithetic pairs, so that their mean is the posterior mean. */
function drawNormals(
  mean: Float64Array,
  { lower, size }: Cholesky,
  { draws, seed }: { readonly draws: number; readonly seed: number },
): Float64Array {
  const random = mulberry32(seed);
  const out = new Float64Array(draws * size);
  for (let s = 0; s < draws; s += 2) {
    const z = Float64Array.from({ length: size }, () => random.normal());
    for (let i = 0; i < size; i++) {
      let deviation = 0;
      for (let k = 0; k <= i; k++) deviation += lower[i * size + k]! * z[k]!;
      out[s * size + i] = mean[i]! + (draws === 1 ? 0 : deviation);
      if (s + 1 < draws) out[(s + 1) * size + i] = mean[i]! - deviation;
    }
  }
  return out;
}

interface Conditional {
  readonly fit: Fit;
  readonly points: Inputs;
  readonly draws: number;
  readonly coefficients: Float64Array;
  readonly inverse: Float64Array;
}

function momentsAt({ fit, points, draws, coefficients, inverse }: Conditional, point: Float64Array): Moments {
  const { count } = points;
  const { value, slope } = kernels[fit.kernel];
  const nugget = nuggetOf(fit);
  const r2 = new Float64Array(count);
  const cross = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    r2[i] = distance(points, i, point, fit.inverse2);
    cross[i] = fit.signal * value(r2[i]!);
  }
  const means = new Float64Array(draws);
  for (let s = 0; s < draws; s++) {
    const row = s * count;
    let sum = fit.mean;
    for (let i = 0; i < count; i++) sum += coefficients[row + i]! * cross[i]!;
    means[s] = sum;
  }
  const solved = new Float64Array(count);
  let variance = fit.signal * (1 + nugget);
  for (let i = 0; i < count; i++) {
    const row = i * count;
    let sum = 0;
    for (let k = 0; k < count; k++) sum += inverse[row + k]! * cross[k]!;
    solved[i] = sum;
    variance -= sum * cross[i]!;
  }
  const floor = 0.1 * nugget * fit.signal;
  const cut = variance < floor;
  return {
    means,
    variance: cut ? floor : variance,
    addSlopes(meanWeights, varianceWeight, out) {
      const weights = solved.map((entry) => (cut ? 0 : -2 * varianceWeight * entry));
      for (let s = 0; s < draws; s++) {
        const weight = meanWeights[s]!;
        if (weight === 0) continue;
        const row = s * count;
        for (let i = 0; i < count; i++) weights[i]! += weight * coefficients[row + i]!;
      }
      for (let i = 0; i < count; i++)
        addPointSlope(points, i, point, {
          inverse2: fit.inverse2,
          weight: weights[i]! * fit.signal * slope(r2[i]!),
          out,
        });
    },
  };
}
