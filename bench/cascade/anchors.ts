/**
 * Normal-approximation learners to compare with, written from the papers: SUPG (Kang et al., VLDB 2020, algorithms 4 and 5)
 * and the filter cascade of LOTUS, which uses the same recall correction and tests every sampled score for precision.
 */
import type { SamplePlan } from '../../plans/physical/cascade/sample.js';
import type { Targets } from '../../plans/physical/cascade/targets.js';
import type { Learner } from './simulate.js';

interface Labelled {
  readonly score: number;
  readonly positive: number;
  readonly weight: number;
}

export const supg: Learner = (scores, plan, labels, targets) =>
  decider(labelled(scores, plan, labels), targets, { weighted: true, candidates: (size) => Math.ceil(size / 100) + 4 });

export const lotus: Learner = (scores, plan, labels, targets) =>
  decider(labelled(scores, plan, labels), targets, { weighted: false, candidates: (size) => size });

interface PrecisionRule {
  /** Whether the precision estimate is weighted by the sampling rate. */
  readonly weighted: boolean;
  /** Thresholds tried, each at δ divided by their number. */
  readonly candidates: (size: number) => number;
}

function labelled(scores: Float64Array, plan: SamplePlan, labels: readonly boolean[]): Labelled[] {
  return plan.indices
    .map((index, i) => ({ score: scores[index]!, positive: labels[i] ? 1 : 0, weight: plan.weights[i]! }))
    .sort((a, b) => b.score - a.score);
}

function decider(sample: readonly Labelled[], targets: Targets, rule: PrecisionRule): ReturnType<Learner> {
  const delta = 1 - targets.confidence;
  const low = rejectBelow(sample, targets.recall ?? 1, delta);
  const high = Math.max(low, acceptFrom(sample, targets.precision ?? 1, delta, rule));
  return (score) => (score < low ? 'reject' : score >= high ? 'accept' : 'ask');
}

function rejectBelow(sample: readonly Labelled[], recall: number, delta: number): number {
  const first = recallThreshold(sample, recall);
  if (first === undefined) return 0;
  const above = bound(
    sample.map((x) => (x.score >= first ? x.positive * x.weight : 0)),
    delta / 2,
  );
  const below = bound(
    sample.map((x) => (x.score < first ? x.positive * x.weight : 0)),
    delta / 2,
  );
  const corrected = above.upper / (above.upper + Math.max(0, below.lower));
  return recallThreshold(sample, Math.min(1, corrected)) ?? 0;
}

/** The highest sampled score above which the sample's weighted recall reaches the target. */
function recallThreshold(sample: readonly Labelled[], recall: number): number | undefined {
  const total = sample.reduce((sum, x) => sum + x.positive * x.weight, 0);
  let found = 0;
  for (const x of sample) {
    found += x.positive * x.weight;
    if (total > 0 && found >= recall * total * (1 - 1e-12)) return x.score;
  }
  return undefined;
}

function acceptFrom(sample: readonly Labelled[], precision: number, delta: number, rule: PrecisionRule): number {
  const candidates = Math.min(sample.length, rule.candidates(sample.length));
  let best = Infinity;
  for (let c = 1; c <= candidates; c++) {
    const head = sample.slice(0, Math.ceil((c * sample.length) / candidates));
    const total = head.reduce((sum, x) => sum + x.weight, 0);
    const scale = (x: Labelled) => (rule.weighted ? (x.weight * head.length) / total : 1);
    const { lower } = bound(
      head.map((x) => x.positive * scale(x)),
      delta / candidates,
    );
    if (lower > precision) best = Math.min(best, head.at(-1)!.score);
  }
  return best;
}

function bound(values: readonly number[], delta: number): { readonly lower: number; readonly upper: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  const radius = Math.sqrt((2 * variance * Math.log(1 / delta)) / values.length);
  return { lower: mean - radius, upper: mean + radius };
}
