/** A proxy of vectors: which directions go with a true answer, by the oracle's answers to a few tuples. */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { type Features, fitLogistic, scoreWith, unit } from './logistic.js';

/**
 * Learns a logistic head over embeddings whose answers are known, and scores any embedding of the same model by it, in
 * (0, 1). Vectors are taken from their mean, since those of one collection point much the same way.
 */
export function fitNearness(
  vectors: readonly ArrayLike<number>[],
  labels: readonly boolean[],
): (vector: ArrayLike<number>) => number {
  const dimensions = vectors[0]?.length ?? 0;
  const mean = new Float64Array(dimensions);
  for (const vector of vectors) for (let at = 0; at < dimensions; at++) mean[at]! += (vector[at] ?? 0) / vectors.length;
  const all = Array.from({ length: dimensions }, (_, at) => at);
  const featuresOf = (vector: ArrayLike<number>): Features =>
    unit({ at: all, value: Float64Array.from(mean, (middle, at) => (vector[at] ?? 0) - middle) });
  const head = fitLogistic(vectors.map(featuresOf), labels, dimensions);
  return (vector) => scoreWith(head, featuresOf(vector));
}
