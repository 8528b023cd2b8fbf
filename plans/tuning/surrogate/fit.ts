/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { factorWithJitter, invert, logDeterminant, solve } from '../numeric/cholesky.js';
import type { Cholesky } from '../numeric/cholesky.js';
import { minimize } from '../numeric/minimize.js';
import { mulberry32 } from '../numeric/random.js';
import { addWeightedSquares, distances, kernels } from './kernel.js';
import type { Inputs, KernelName } from './kernel.js';

/** Observations of one quantity, standardised to about mean 0 and variance 1. */
export interface Observations extends Inputs {
  readonly y: Float64Array;
  /** Noise variance of an observation relative to that of a full single trial: 1/r for a mean of r repeats. */
  readonly noiseScale: Float64Array;
}

/** Hyper-parameters; the signal variance is relative to that of y. */
export interface Hyperparameters {
  readonly logLengths: Float64Array;
  readonly logNoise: number;
  readonly logSignal: number;
}

export interface FitOptions {
  readonly kernel: KernelName;
  readonly lengthPrior: LengthPrior;
  /** Starts of the optimiser: the prior's middle, short scales, then random ones. */
  readonly starts: number;
  readonly seed: number;
  /** True when repeats give the same value: the noise stays at its floor. */
  readonly deterministic: boolean;
  readonly maxIterations?: number;
}

/** A fitted Gaussian process: prior mean, kernel and the factor of K + noise. */
export interface Fit {
  readonly observations: Observations;
  readonly kernel: KernelName;
  readonly hyper: Hyperparameters;
  /** 1/ℓ², one a coordinate. */
  readonly inverse2: Float64Array;
  readonly signal: number;
  readonly mean: number;
  readonly cholesky: Cholesky;
  /** (K + noise)⁻¹ (y − mean). */
  readonly alpha: Float64Array;
}

/** Variance floor of the noise, relative to that of the observations, when it is inferred. */
export const noiseFloor = 1e-4;
const deterministicNoise = 1e-7;

/**
 * Priors of ln ℓ, normal: `wide` after Hvarfner et al. 2024, N(√2 + ½ ln d, 3), at ease with functions that are nearly
 * linear; `short`, N(ln ½ + ½ ln d, ½), for goals with an optimum inside, where the wide one calls most parameters irrelevant
 * after a few trials (measured: infra/decisions/0004-tuner-numerics.md).
 */
const lengthPriors = {
  wide: { mean: Math.SQRT2, variance: 3 },
  short: { mean: Math.log(0.5), variance: 0.5 },
} as const;

export type LengthPrior = keyof typeof lengthPriors;

/** The others, on logarithms too: noise LogNormal(−4, 1), signal about that of the observations. */
const priors = {
  length(dimensions: number, name: LengthPrior) {
    const { mean, variance } = lengthPriors[name];
    return { mean: mean + 0.5 * Math.log(Math.max(1, dimensions)), variance };
  },
  noise: { mean: -4, variance: 1 },
  signal: { mean: 0, variance: 0.25 },
};

const bounds = {
  length: [Math.log(0.02), Math.log(400)],
  noise: [Math.log(noiseFloor), Math.log(2)],
  signal: [-2.5, 2.5],
} as const;

/**
 * Maximum a posteriori fit by L-BFGS from several starts with analytic gradients. Undefined only when no start gives a
 * positive definite matrix, which needs NaN in the data.
 */
export function fitGaussianProcess(observations: Observations, options: FitOptions): Fit | undefined {
  const { dimensions } = observations;
  const { lower, upper } = thetaBounds(dimensions, options.deterministic);
  const free = lower.length;
  let best: { x: Float64Array; value: number } | undefined;
  for (const start of starts(dimensions, free, options)) {
    const found = minimize((theta, gradient) => negativeLogPosterior(observations, options, theta, gradient), start, {
      lower,
      upper,
      maxIterations: options.maxIterations ?? 60,
      gradientTolerance: 1e-3,
      valueTolerance: 1e-7,
    });
    if (Number.isFinite(found.value) && (!best || found.value < best.value)) best = found;
  }
  return best && conditionOn(observations, options.kernel, unpack(best.x, dimensions));
}

/** Hyper-parameters as the optimiser sees them. */
function thetaOf({ logLengths, logSignal, logNoise }: Hyperparameters, deterministic: boolean): Float64Array {
  return Float64Array.from([...logLengths, logSignal, ...(deterministic ? [] : [logNoise])]);
}

/** The process with given hyper-parameters. */
export function conditionOn(observations: Observations, kernel: KernelName, hyper: Hyperparameters): Fit | undefined {
  const inverse2 = hyper.logLengths.map((value) => Math.exp(-2 * value));
  const state = assemble(observations, kernel, hyper, inverse2);
  if (!state) return undefined;
  const { cholesky, alpha, mean } = state;
  return { observations, kernel, hyper, inverse2, signal: Math.exp(hyper.logSignal), mean, cholesky, alpha };
}

/** The box that hyper-parameters stay in. */
function thetaBounds(dimensions: number, deterministic: boolean): { lower: Float64Array; upper: Float64Array } {
  const side = (end: 0 | 1) =>
    thetaOf(
      {
        logLengths: new Float64Array(dimensions).fill(bounds.length[end]),
        logSignal: bounds.signal[end],
        logNoise: bounds.noise[end],
      },
      deterministic,
    );
  return { lower: side(0), upper: side(1) };
}

function* starts(dimensions: number, free: number, options: FitOptions): Generator<Float64Array> {
  const random = mulberry32(options.seed);
  const { mean, variance } = priors.length(dimensions, options.lengthPrior);
  const deviation = Math.sqrt(variance);
  for (let k = 0; k < options.starts; k++) {
    const start = new Float64Array(free);
    // Half a deviation below the prior's mean, then short (a third of √d), then anything between.
    const middle = [mean - 0.5 * deviation, Math.log(0.33 * Math.sqrt(dimensions))][k];
    for (let j = 0; j < dimensions; j++) start[j] = middle ?? mean - deviation * (0.9 - 0.7 * random.normal());
    if (!options.deterministic) start[dimensions + 1] = [-4, -2.5][k] ?? -3 + random.normal();
    yield start;
  }
}

/** The inverse of `thetaOf`. */
function unpack(theta: Float64Array, dimensions: number): Hyperparameters {
  return {
    logLengths: theta.slice(0, dimensions),
    logSignal: theta[dimensions]!,
    logNoise: theta[dimensions + 1] ?? Math.log(deterministicNoise),
  };
}

function priorTerms(hyper: Hyperparameters, dimensions: number, lengthPrior: LengthPrior): number {
  const length = priors.length(dimensions, lengthPrior);
  let sum = (hyper.logNoise - priors.noise.mean) ** 2 / (2 * priors.noise.variance);
  sum += (hyper.logSignal - priors.signal.mean) ** 2 / (2 * priors.signal.variance);
  for (const value of hyper.logLengths) sum += (value - length.mean) ** 2 / (2 * length.variance);
  return sum;
}

interface Assembled {
  readonly cholesky: Cholesky;
  readonly alpha: Float64Array;
  readonly mean: number;
  /** Negative log marginal likelihood with the mean at its generalised least squares value. */
  readonly value: number;
  readonly r2: Float64Array;
}

function assemble(
  { count, y, noiseScale, ...inputs }: Observations,
  kernel: KernelName,
  hyper: Hyperparameters,
  inverse2: Float64Array,
): Assembled | undefined {
  const { value: correlation } = kernels[kernel];
  const signal = Math.exp(hyper.logSignal);
  const noise = Math.exp(hyper.logNoise);
  const r2 = distances({ count, ...inputs }, inverse2);
  const matrix = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < i; k++) {
      const value = signal * correlation(r2[i * count + k]!);
      matrix[i * count + k] = value;
      matrix[k * count + i] = value;
    }
    matrix[i * count + i] = signal + noise * noiseScale[i]!;
  }
  const cholesky = factorWithJitter(matrix, count);
  if (!cholesky) return undefined;
  const ones = solve(cholesky, new Float64Array(count).fill(1));
  const raw = solve(cholesky, y);
  let total = 0;
  let weighted = 0;
  for (let i = 0; i < count; i++) {
    total += ones[i]!;
    weighted += raw[i]!;
  }
  const mean = weighted / total;
  const alpha = raw.map((value, i) => value - mean * ones[i]!);
  let fitTerm = 0;
  for (let i = 0; i < count; i++) fitTerm += (y[i]! - mean) * alpha[i]!;
  const value = 0.5 * (fitTerm + logDeterminant(cholesky) + count * Math.log(2 * Math.PI));
  return Number.isFinite(value) ? { cholesky, alpha, mean, value, r2 } : undefined;
}

/**
 * −ln p(θ | y) and its gradient for θ = (ln ℓ_1 … ln ℓ_d, ln signal[, ln noise]):
 * ∂/∂θ = −½ tr((ααᵀ − K⁻¹)·∂K/∂θ) + prior. The mean is profiled out, so it adds no term. Infinity where K fails.
 */
export function negativeLogPosterior(
  observations: Observations,
  options: Pick<FitOptions, 'kernel' | 'deterministic' | 'lengthPrior'>,
  theta: Float64Array,
  gradient: Float64Array,
): number {
  const { count, dimensions, noiseScale } = observations;
  const hyper = unpack(theta, dimensions);
  const inverse2 = hyper.logLengths.map((value) => Math.exp(-2 * value));
  const state = assemble(observations, options.kernel, hyper, inverse2);
  if (!state) return Infinity;
  const { alpha, r2 } = state;
  const { value: correlation, slope } = kernels[options.kernel];
  const inverse = invert(state.cholesky);
  const signal = Math.exp(hyper.logSignal);
  const noise = Math.exp(hyper.logNoise);
  // inverse becomes the weights W·dk/dr² of each pair, as the squares of all coordinates share them.
  let signalSlope = 0;
  let noiseSlope = 0;
  for (let i = 0; i < count; i++) {
    const w = alpha[i]! ** 2 - inverse[i * count + i]!;
    signalSlope -= 0.5 * w * signal;
    noiseSlope -= 0.5 * w * noise * noiseScale[i]!;
    for (let k = 0; k < i; k++) {
      const at = i * count + k;
      const pair = alpha[i]! * alpha[k]! - inverse[at]!;
      signalSlope -= pair * signal * correlation(r2[at]!);
      inverse[at] = pair * signal * slope(r2[at]!);
    }
  }
  const squares = new Float64Array(dimensions);
  addWeightedSquares(observations, inverse, squares);
  const length = priors.length(dimensions, options.lengthPrior);
  for (let j = 0; j < dimensions; j++)
    gradient[j] = 2 * squares[j]! * inverse2[j]! + (hyper.logLengths[j]! - length.mean) / length.variance;
  gradient[dimensions] = signalSlope + (hyper.logSignal - priors.signal.mean) / priors.signal.variance;
  if (!options.deterministic)
    gradient[dimensions + 1] = noiseSlope + (hyper.logNoise - priors.noise.mean) / priors.noise.variance;
  return state.value + priorTerms(hyper, dimensions, options.lengthPrior);
}
