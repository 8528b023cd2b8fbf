/**
 * Cascades over pairs, few of which are true, by a likeness that nobody fitted. A uniform sample would hold hardly a positive;
 * so the pairs that are most alike are asked about first, all of them, and the positives among them are a count, no estimate. A
 * target then allows a known number of positives to be missed among all others, and a uniform sample of those shows up to
 * which likeness there are no more.
 */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { hypergeometricCdf } from './bounds/hypergeometric.js';
import type { Draw } from './draw.js';
import { planSample } from './sample.js';
import type { Targets } from './targets.js';
import { type AskAll, type Cascade, refuse } from './thresholds.js';

/** Pairs that are asked about first, for each value of the side that has more. */
const perValue = 2;
/** At most this share of all pairs. */
const mostShare = 0.5;

/** How many of the most alike pairs are asked about before any is drawn. */
export function surestPairs(pairs: number, largerSide: number): number {
  return Math.min(perValue * largerSide, Math.floor(mostShare * pairs));
}

export interface RareRequest {
  /** Of the pairs that were not asked about first. */
  readonly scores: ArrayLike<number>;
  /** Positives among those that were. */
  readonly found: number;
  readonly targets: Targets;
}

/** Positives that may be missed: those found are then at least the target's share of all. */
function allowedMisses({ found, targets: { recall = 1 } }: Pick<RareRequest, 'found' | 'targets'>): number {
  return Math.floor((found * (1 - recall)) / recall + 1e-9);
}

/** A sample may hold one positive for so many allowed misses: a larger sample pays where a few pairs are true but not alike. */
const missesAPositive = 20;
/** So much larger than it must be, for its parts below an edge to be large enough too. */
const slack = 1.2;

/** Size of a sample that can show so few misses. */
function sampleFor(size: number, allowed: number, alpha: number): number {
  const positives = Math.floor(allowed / missesAPositive);
  let [low, high] = [0, size];
  while (high - low > 1) {
    const draws = (low + high) >> 1;
    if (hypergeometricCdf(positives, { size, marked: Math.min(size, allowed + 1), draws }) <= alpha) high = draws;
    else low = draws;
  }
  return Math.min(size, Math.ceil(slack * high));
}

/** The sample among all others, or why all are asked. The same arguments give the same draw. */
export function drawRare(request: RareRequest & { readonly seed: number }): Draw | AskAll {
  const { scores, targets, seed } = request;
  if (targets.recall === undefined || targets.recall === 1) return refuse('target-of-one');
  const allowed = allowedMisses(request);
  const budget = allowed === 0 ? scores.length : sampleFor(scores.length, allowed, 1 - targets.confidence);
  if (budget >= scores.length) return refuse(request.found === 0 ? 'no-positives' : 'sample-too-small');
  return { kind: 'sample', plan: planSample({ scores, budget, seed, scheme: 'uniform' }) };
}

/** No sample: what is below is dropped without a test. */
export function drawNone(scores: ArrayLike<number>, seed: number): Draw {
  return { kind: 'sample', plan: planSample({ scores, budget: 0, seed, scheme: 'uniform' }) };
}

/** Above all scores. */
const aboveAll = 1 + Number.EPSILON;

/** Drops every pair that was not asked about first; nothing is known of how many true ones are among them. */
export function rejectUntested(): Cascade {
  return { kind: 'cascade', reject: aboveAll, expectedOracleCalls: 0, bounds: { recall: 0, precision: 1 } };
}

/** Likenesses at which it is tested whether all below may go, as shares of the pairs. */
const edges = 40;

/**
 * The likeness below which nothing more is asked. Edges are tested upward until the first failure, each by the exact
 * hypergeometric test of "more positives lie below than may be missed", sampled ones among them: an edge that is wrongly
 * passed means that the lowest one for which that holds was, so each edge may have the whole risk. `labels[i]` is the verdict on
 * `plan.indices[i]`.
 */
export function rejectRare(
  request: RareRequest & { readonly plan: Draw['plan']; readonly labels: readonly boolean[] },
): Cascade | AskAll {
  const { scores, found, plan, labels, targets } = request;
  const allowed = allowedMisses(request);
  const order = Float64Array.from(scores).sort();
  const sample = plan.indices.map((index, at) => ({ score: scores[index]!, positive: labels[at] === true }));
  let reject: number | undefined;
  for (let edge = 1; edge <= edges; edge += 1) {
    const threshold = edge === edges ? aboveAll : order[Math.floor((edge * order.length) / edges)]!;
    const below = sample.filter(({ score }) => score < threshold);
    const size = edge === edges ? order.length : firstFrom(order, threshold);
    const positives = below.filter(({ positive }) => positive).length;
    const passes =
      allowed + 1 > size ||
      hypergeometricCdf(positives, { size, marked: allowed + 1, draws: below.length }) <= 1 - targets.confidence;
    if (!passes) break;
    reject = threshold;
  }
  if (reject === undefined) return refuse('nothing-gained');
  const asked = sample.filter(({ score }) => score < reject).length + order.length - firstFrom(order, reject);
  return {
    kind: 'cascade',
    reject,
    expectedOracleCalls: asked,
    bounds: { recall: found / (found + allowed), precision: 1 },
  };
}

/** Number of scores below a threshold, of sorted ones. */
function firstFrom(sorted: Float64Array, threshold: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < threshold) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Share of pairs that are left between the sample and those asked about first, where likeness tells much. */
const usuallyLeft = 0.1;

/**
 * Share of the pairs that is asked about, were each value of the larger side in one true pair, most of them among the `first`
 * pairs.
 */
export function typicalRareShare(pairs: number, largerSide: number, first: number, targets: Targets): number {
  if (pairs === 0) return 1;
  const allowed = allowedMisses({ found: Math.min(first, largerSide), targets });
  const sample = allowed === 0 ? pairs : sampleFor(pairs - first, allowed, 1 - targets.confidence);
  return Math.min(1, (first + sample) / pairs + usuallyLeft);
}
