/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { binomialCdf } from './bounds/beta.js';
import { clopperPearson, largestMisses } from './bounds/clopper-pearson.js';
import { precisionFrom } from './cuts.js';
import type { Cut, Cuts, Labelled } from './cuts.js';
import { keptShareOf } from './targets.js';
import type { Tests } from './targets.js';

/**
 * Thresholds from a uniform sample by exact tests. Given the number of sampled positives, those below a threshold are
 * hypergeometric with the missed share as rate; given the number of sampled tuples that are positive or falsely accepted,
 * so are the false ones. Both counts grow along the candidates, so that the last candidate that passes is the first failure
 * of a fixed sequence: no correction for choosing it.
 */
export function uniformCuts(scores: ArrayLike<number>, sample: Labelled, tests: Tests): Cuts {
  const positives = sample.scores.filter((_, i) => sample.positive[i]!).sort();
  const negatives = sample.scores.filter((_, i) => !sample.positive[i]!).sort();
  const reject = rejectCut(positives, tests);
  const accept = acceptCut(scores, negatives, positives.length, tests);
  return { ...(reject ? { reject } : {}), ...(accept ? { accept } : {}) };
}

function rejectCut(positives: Float64Array, tests: Tests): Cut | undefined {
  const count = positives.length;
  const misses = allowedMisses(count, tests);
  if (!tests.recall || misses < 0) return undefined;
  return { threshold: positives[misses]!, bound: 1 - clopperPearson(misses, count, tests.recall.alpha).upper };
}

function acceptCut(
  scores: ArrayLike<number>,
  negatives: Float64Array,
  positives: number,
  tests: Tests,
): Cut | undefined {
  const allowed = allowedFalse(positives, tests);
  if (!tests.precision || allowed < 0) return undefined;
  const seen = Math.min(allowed, negatives.length);
  const share = clopperPearson(seen, positives + seen, tests.precision.alpha).upper;
  const bound = precisionFrom(share / (1 - share), keptShareOf(tests));
  if (allowed >= negatives.length) return { threshold: 0, bound };
  const threshold = nextAbove(scores, negatives[negatives.length - 1 - allowed]!);
  return threshold === undefined ? undefined : { threshold, bound };
}

/** Sampled positives that may lie below the rejection threshold; −1 when no threshold can be shown. */
export function allowedMisses(positives: number, { recall, kept }: Tests): number {
  if (!recall) return -1;
  const misses = largestMisses(positives, recall.missed, recall.alpha);
  return kept ? Math.min(misses, largestMisses(positives, kept.missed, kept.alpha)) : misses;
}

/** Sampled negatives that may lie above the acceptance threshold; −1 when no threshold can be shown. */
export function allowedFalse(positives: number, { precision }: Tests): number {
  if (!precision) return -1;
  const rate = precision.ratio / (1 + precision.ratio);
  let allowed = -1;
  while (binomialCdf(allowed + 1, positives + allowed + 1, rate) <= precision.alpha) allowed++;
  return allowed;
}

/** The lowest score above a value, by one pass. */
export function nextAbove(scores: ArrayLike<number>, value: number): number | undefined {
  let best = Infinity;
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i]!;
    if (score > value && score < best) best = score;
  }
  return best === Infinity ? undefined : best;
}
