/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { checkScores, checkTargets, testsOf } from './targets.js';
import type { Targets, Tests } from './targets.js';
import { allowedFalse, allowedMisses } from './uniform-cuts.js';

export interface Recommendation {
  /** Tuples to sample uniformly; 0: ask about all at once. */
  readonly size: number;
  /** Expected calls of the whole operator with it. */
  readonly expectedOracleCalls: number;
}

const smallest = 30;
const growth = 1.2;

/**
 * The uniform sample size with the fewest expected calls in all, sample included, were the scores probabilities. That
 * assumption bears on cost only; guarantees hold whatever the scores are.
 */
export function recommendSample(scores: ArrayLike<number>, targets: Targets): Recommendation {
  checkScores(scores);
  checkTargets(targets);
  const tests = testsOf(targets);
  const sorted = Float64Array.from(scores).sort();
  let best: Recommendation = { size: 0, expectedOracleCalls: sorted.length };
  if (!tests.recall && !tests.precision) return best;
  const expected = expectations(sorted);
  for (let size = smallest; size < sorted.length; size = Math.ceil(size * growth)) {
    const calls = Math.round(size + (1 - size / sorted.length) * undecided(expected, size, tests));
    if (calls < best.expectedOracleCalls) best = { size, expectedOracleCalls: calls };
  }
  return best;
}

interface Expectations {
  readonly size: number;
  readonly positives: number;
  /** Expected positives among the i lowest scores. */
  readonly below: Float64Array;
  /** Expected negatives among the i highest scores. */
  readonly above: Float64Array;
}

function expectations(sorted: Float64Array): Expectations {
  const size = sorted.length;
  const below = new Float64Array(size + 1);
  const above = new Float64Array(size + 1);
  for (let i = 0; i < size; i++) {
    below[i + 1] = below[i]! + sorted[i]!;
    above[i + 1] = above[i]! + 1 - sorted[size - 1 - i]!;
  }
  return { size, positives: below[size]!, below, above };
}

function undecided({ size, positives, below, above }: Expectations, sample: number, tests: Tests): number {
  const sampled = Math.floor((sample * positives) / size);
  const rejected = decided(below, (allowedMisses(sampled, tests) + 0.7) * (size / sample));
  const accepted = decided(above, (allowedFalse(sampled, tests) + 0.7) * (size / sample));
  return Math.max(0, size - rejected - accepted);
}

/** Tuples decided when the sample allows `limit` expected errors in the population; the median of the next one is 0.7 off. */
function decided(cumulative: Float64Array, limit: number): number {
  if (limit < 0) return 0;
  let low = 0;
  let high = cumulative.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (cumulative[middle]! <= limit) low = middle;
    else high = middle;
  }
  return low;
}
