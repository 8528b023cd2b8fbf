/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { mulberry32 } from '../numeric/random.js';
import type { Random } from '../numeric/random.js';
import { conditionOn, negativeLogDensity, thetaBounds, thetaOf, unpack } from './fit.js';
import type { Fit } from './fit.js';

export interface EnsembleOptions {
  /** Fits wanted, the given one among them. */
  readonly size: number;
  /** Sweeps over all hyper-parameters between two kept samples. */
  readonly sweeps: number;
  readonly seed: number;
  readonly deterministic: boolean;
}

const width = 1.5;

/**
 * The fit and samples of its hyper-parameters' posterior around it, by slice sampling one coordinate at a time (Neal 2003).
 * With few trials many length scales explain the data; one most probable set is too sure of what it does not know.
 */
export function sampleHyperparameters(fit: Fit, options: EnsembleOptions): Fit[] {
  const { observations, kernel } = fit;
  const random = mulberry32(options.seed);
  const { lower, upper } = thetaBounds(observations.dimensions, options.deterministic);
  const fits = [fit];
  let theta = thetaOf(fit.hyper, options.deterministic).map((value, j) => Math.min(upper[j]!, Math.max(lower[j]!, value)));
  let value = negativeLogDensity(observations, kernel, theta);
  while (fits.length < options.size) {
    for (let sweep = 0; sweep < options.sweeps; sweep++)
      for (let j = 0; j < theta.length; j++)
        ({ theta, value } = slice({
          theta,
          value,
          j,
          low: lower[j]!,
          high: upper[j]!,
          random,
          density: (at) => negativeLogDensity(observations, kernel, at),
        }));
    const next = conditionOn(observations, kernel, unpack(theta, observations.dimensions));
    fits.push(next ?? fit);
  }
  return fits;
}

interface Slice {
  readonly theta: Float64Array<ArrayBuffer>;
  /** −ln density at theta. */
  readonly value: number;
  readonly j: number;
  readonly low: number;
  readonly high: number;
  readonly random: Random;
  readonly density: (theta: Float64Array) => number;
}

/** One step along coordinate j: a window at random around the point, drawn in towards it until inside the slice. */
function slice({ theta, value, j, low, high, random, density }: Slice): { theta: Float64Array<ArrayBuffer>; value: number } {
  const level = value - Math.log(1 - random.uniform());
  let left = Math.max(low, theta[j]! - width * random.uniform());
  let right = Math.min(high, left + width);
  for (let attempt = 0; attempt < 12; attempt++) {
    const at = left + (right - left) * random.uniform();
    const next = theta.with(j, at);
    const there = density(next);
    if (there <= level) return { theta: next, value: there };
    if (at < theta[j]!) left = at;
    else right = at;
  }
  return { theta, value };
}
