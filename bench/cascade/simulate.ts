/** Runs of a cascade on a population whose labels are known: how often a target is missed, what it costs. */
import { decide } from '../../plans/physical/cascade/decide.js';
import { planSample } from '../../plans/physical/cascade/sample.js';
import type { SamplePlan, SampleScheme } from '../../plans/physical/cascade/sample.js';
import { learnThresholds } from '../../plans/physical/cascade/thresholds.js';
import type { Verdict } from '../../plans/physical/cascade/decide.js';
import type { Targets } from '../../plans/physical/cascade/targets.js';
import { deriveSeed } from '../../plans/tuning/numeric/random.js';
import type { Population } from './populations.js';

/** What decides an unsampled tuple, by its score. */
export type Decider = (score: number) => Verdict;

/** Learns from the labels of a sample. */
export type Learner = (scores: Float64Array, plan: SamplePlan, labels: readonly boolean[], targets: Targets) => Decider;

export interface Outcome {
  readonly recall: number;
  readonly precision: number;
  /** Oracle calls of the whole operator, the sample's included. */
  readonly calls: number;
}

export const ours: Learner = (scores, plan, labels, targets) => {
  const learned = learnThresholds({ scores, plan, labels, targets });
  return (score) => decide(learned, score);
};

/** Applies what was learned to every tuple, and compares with the labels. */
export function outcomeOf({ scores, labels }: Population, { indices }: SamplePlan, verdict: Decider): Outcome {
  const sampled = new Uint8Array(scores.length);
  for (const index of indices) sampled[index] = 1;
  const counts = { positives: 0, found: 0, wrong: 0, calls: 0 };
  for (let i = 0; i < scores.length; i++) {
    const positive = labels[i] === 1;
    const said = sampled[i] === 1 ? 'ask' : verdict(scores[i]!);
    if (said === 'ask') counts.calls++;
    if (positive) counts.positives++;
    if (positive && said !== 'reject') counts.found++;
    if (!positive && said === 'accept') counts.wrong++;
  }
  const { positives, found, wrong, calls } = counts;
  return {
    recall: positives === 0 ? 1 : found / positives,
    precision: found + wrong === 0 ? 1 : found / (found + wrong),
    calls,
  };
}

export interface Setting {
  readonly population: Population;
  readonly scheme: SampleScheme;
  readonly budget: number;
  readonly runs: number;
  readonly seed: number;
}

export interface Tally {
  readonly recallFailures: number;
  readonly precisionFailures: number;
  /** Mean share of the tuples that the oracle was asked about. */
  readonly callShare: number;
}

/** One sample a run, shared by all targets; one tally for each of them. */
export function simulate(setting: Setting, learner: Learner, targets: readonly Targets[]): Tally[] {
  const { population, scheme, budget, runs, seed } = setting;
  const { scores, labels } = population;
  const sums = targets.map(() => ({ recallFailures: 0, precisionFailures: 0, calls: 0 }));
  for (let run = 0; run < runs; run++) {
    const plan = planSample({ scores, budget, seed: deriveSeed(seed, run), scheme });
    const answers = plan.indices.map((index) => labels[index] === 1);
    targets.forEach((target, at) => {
      const { recall, precision, calls } = outcomeOf(population, plan, learner(scores, plan, answers, target));
      const sum = sums[at]!;
      if (recall < (target.recall ?? 0)) sum.recallFailures++;
      if (precision < (target.precision ?? 0)) sum.precisionFailures++;
      sum.calls += calls;
    });
  }
  return sums.map(({ calls, ...failures }) => ({ ...failures, callShare: calls / (runs * scores.length) }));
}
