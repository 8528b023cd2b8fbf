/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

/** Features that are not nought, by number; of unit length for the solver's step to be right. */
export interface Features {
  readonly at: ArrayLike<number>;
  readonly value: ArrayLike<number>;
}

/** A score for any tuple: the logistic function of a weighted sum. */
export interface Head {
  readonly weights: Float64Array;
  readonly bias: number;
}

/** Inverse of the ridge penalty on the sum of losses; rows are of unit length, so that 1 would flatten every score. */
const strength = 20;
const iterations = 300;

/**
 * Logistic regression with a ridge penalty by accelerated gradient steps (Nesterov 1983) of fixed number and size: convex,
 * so that it finds the one best head from any data, without randomness. `dimensions` bounds the numbers of features.
 */
export function fitLogistic(rows: readonly Features[], labels: readonly boolean[], dimensions: number): Head {
  const penalty = 1 / (strength * rows.length);
  // The loss of a row of unit length and a bias curves by (1 + 1) / 4 at most.
  const step = 1 / (0.5 + penalty);
  let weights = new Float64Array(dimensions + 1);
  let ahead = new Float64Array(weights);
  for (let round = 1; round <= iterations; round++) {
    const next = ahead.map((weight, at) => (at < dimensions ? (1 - step * penalty) * weight : weight));
    rows.forEach((row, at) => {
      const error = (sigmoid(sumOf(row, ahead) + ahead[dimensions]!) - (labels[at] ? 1 : 0)) / rows.length;
      for (let i = 0; i < row.at.length; i++) next[row.at[i]!]! -= step * error * row.value[i]!;
      next[dimensions]! -= step * error;
    });
    const momentum = (round - 1) / (round + 2);
    ahead = next.map((weight, at) => weight + momentum * (weight - weights[at]!));
    weights = next;
  }
  return { weights: weights.subarray(0, dimensions), bias: weights[dimensions]! };
}

/** The score of a tuple, in (0, 1). */
export function scoreWith({ weights, bias }: Head, features: Features): number {
  return sigmoid(sumOf(features, weights) + bias);
}

function sumOf({ at, value }: Features, weights: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < at.length; i++) sum += weights[at[i]!]! * value[i]!;
  return sum;
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** Features scaled to unit length; those of length nought stay. */
export function unit({ at, value }: Features): Features {
  let sum = 0;
  for (let i = 0; i < value.length; i++) sum += value[i]! ** 2;
  return sum === 0 ? { at, value } : { at, value: Float64Array.from(value, (x) => x / Math.sqrt(sum)) };
}
