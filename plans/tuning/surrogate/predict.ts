/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { solveLower } from '../numeric/cholesky.js';
import { distance, kernels } from './kernel.js';
import type { Fit } from './fit.js';

/** Belief about the noise-free value at a point, in the units of the fitted y. */
export interface Prediction {
  readonly mean: number;
  readonly variance: number;
}

/** Covariances of `point` with every fitted row. */
export function crossCovariance(fit: Fit, point: Float64Array): Float64Array {
  const { value } = kernels[fit.kernel];
  const cross = new Float64Array(fit.observations.count);
  for (let i = 0; i < cross.length; i++)
    cross[i] = fit.signal * value(distance(fit.observations, i, point, fit.inverse2));
  return cross;
}

/** Posterior mean and variance at one point. */
export function predict(fit: Fit, point: Float64Array): Prediction {
  const cross = crossCovariance(fit, point);
  const half = solveLower(fit.cholesky, cross);
  let mean = fit.mean;
  let variance = fit.signal;
  for (let i = 0; i < cross.length; i++) {
    mean += cross[i]! * fit.alpha[i]!;
    variance -= half[i]! ** 2;
  }
  return { mean, variance: Math.max(variance, 1e-12 * fit.signal) };
}
