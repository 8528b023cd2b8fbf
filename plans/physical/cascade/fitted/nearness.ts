/** A proxy of vectors: which directions go with a true answer, by the oracle's answers to a few tuples. */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { type Features, fitLogistic, scoreWith, unit } from './logistic.js';

/** A direction from the mean of a collection's vectors, as plain data. */
export interface Direction {
  readonly mean: readonly number[];
  readonly weights: readonly number[];
  readonly bias: number;
}

/**
 * Learns a logistic head over embeddings whose answers are known, and scores any embedding of the same model by it, in
 * (0, 1). Vectors are taken from their mean, since those of one collection point much the same way.
 */
export function fitNearness(
  vectors: readonly ArrayLike<number>[],
  labels: readonly boolean[],
): (vector: ArrayLike<number>) => number {
  return nearnessScorer(learnDirection(vectors, labels));
}

/** The direction in which true answers lie. */
export function learnDirection(vectors: readonly ArrayLike<number>[], labels: readonly boolean[]): Direction {
  const dimensions = vectors[0]?.length ?? 0;
  const mean = new Float64Array(dimensions);
  for (const vector of vectors) for (let at = 0; at < dimensions; at++) mean[at]! += (vector[at] ?? 0) / vectors.length;
  const head = fitLogistic(vectors.map(features(mean)), labels, dimensions);
  return { mean: Array.from(mean), weights: Array.from(head.weights), bias: head.bias };
}

/** Scores any embedding of the same model by a direction, in (0, 1). */
export function nearnessScorer({ mean, weights, bias }: Direction): (vector: ArrayLike<number>) => number {
  const head = { weights: Float64Array.from(weights), bias };
  const featuresOf = features(Float64Array.from(mean));
  return (vector) => scoreWith(head, featuresOf(vector));
}

function features(mean: Float64Array): (vector: ArrayLike<number>) => Features {
  const all = Array.from(mean.keys());
  return (vector) => unit({ at: all, value: Float64Array.from(mean, (middle, at) => (vector[at] ?? 0) - middle) });
}
