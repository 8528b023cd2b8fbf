/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { FermataError } from '../../protocol/errors.js';
import { fewestTrials } from './bounds/clopper-pearson.js';
import type { Cuts, Labelled } from './cuts.js';
import type { SamplePlan, SampleScheme } from './sample.js';
import { stratifiedCuts } from './stratified-cuts.js';
import { checkTargets, testsOf } from './targets.js';
import type { Targets, Tests } from './targets.js';
import { uniformCuts } from './uniform-cuts.js';

export interface ThresholdRequest {
  /** Proxy scores in [0, 1] of all tuples, as given to `planSample`. */
  readonly scores: ArrayLike<number>;
  readonly plan: SamplePlan;
  /** The oracle's verdict on `plan.indices[i]`. A tuple that it could not answer counts as false. */
  readonly labels: readonly boolean[];
  readonly targets: Targets;
}

export interface Cascade {
  readonly kind: 'cascade';
  /** Unsampled tuples with a score below are rejected unasked; absent: none. */
  readonly reject?: number;
  /** Unsampled tuples with a score at or above are accepted unasked; absent: none. */
  readonly accept?: number;
  /** Calls of the whole operator: the sample and what lies between the thresholds. */
  readonly expectedOracleCalls: number;
  /** Lower bounds of the output's quality that the sample shows; 1 on a side that the oracle decides. */
  readonly bounds: { readonly recall: number; readonly precision: number };
}

export type AskAllReason = 'target-of-one' | 'no-positives' | 'sample-too-small' | 'nothing-gained' | 'nothing-to-fit';

export interface AskAll {
  readonly kind: 'ask-all';
  readonly reason: AskAllReason;
  /** For people. */
  readonly message: string;
  /** About how large a sample would do, by the rate of positives seen; absent when none smaller than the input would. */
  readonly sampleNeeded?: number;
}

/**
 * Learns from an oracle-labelled sample which tuples the proxy may decide, so that each target holds with the stated
 * probability over the draw of the sample, whatever the proxy is worth, at this finite size. The output is: sampled tuples
 * by their label, others by the thresholds, the oracle between. Guarantees are against the oracle's own answers.
 *
 * @example
 * const plan = planSample({ scores, budget: 300, seed, scheme: 'uniform' });
 * learnThresholds({ scores, plan, labels, targets: { recall: 0.9, precision: 0.9, confidence: 0.95 } });
 */
export function learnThresholds({ scores, plan, labels, targets }: ThresholdRequest): Cascade | AskAll {
  checkTargets(targets);
  if (labels.length !== plan.indices.length)
    throw new FermataError('BadArgument', `${labels.length} labels for a sample of ${plan.indices.length}`);
  const tests = testsOf(targets);
  if (!tests.recall && !tests.precision) return refuse('target-of-one');
  const sample: Labelled = {
    scores: Float64Array.from(plan.indices, (index) => scores[index]!),
    positive: labels,
  };
  const cuts = meet(scores, cutters[plan.scheme](scores, plan, sample, tests));
  const calls = callsOf(scores, plan, cuts);
  if (calls >= scores.length) return explain(scores.length, labels, tests);
  const { reject, accept } = cuts;
  return {
    kind: 'cascade',
    ...(reject ? { reject: reject.threshold } : {}),
    ...(accept ? { accept: accept.threshold } : {}),
    expectedOracleCalls: calls,
    bounds: { recall: reject?.bound ?? 1, precision: accept?.bound ?? 1 },
  };
}

type Cutter = (scores: ArrayLike<number>, plan: SamplePlan, sample: Labelled, tests: Tests) => Cuts;

const cutters: Readonly<Record<SampleScheme, Cutter>> = {
  uniform: (scores, _plan, sample, tests) => uniformCuts(scores, sample, tests),
  importance: (_scores, { strata }, sample, tests) => stratifiedCuts(strata, sample, tests),
};

/**
 * Where both sides may decide the same tuples, both targets hold for any cut between the two thresholds: the one that halves
 * the tuples there keeps some of each side's slack.
 */
function meet(scores: ArrayLike<number>, cuts: Cuts): Cuts {
  const { reject, accept } = cuts;
  if (!reject || !accept || accept.threshold >= reject.threshold) return cuts;
  const shared = Float64Array.from(scores)
    .filter((score) => score >= accept.threshold && score < reject.threshold)
    .sort();
  const threshold = shared[shared.length >> 1] ?? reject.threshold;
  return { reject: { ...reject, threshold }, accept: { ...accept, threshold } };
}

function callsOf(scores: ArrayLike<number>, { indices }: SamplePlan, cuts: Cuts): number {
  const low = cuts.reject?.threshold ?? -Infinity;
  const high = cuts.accept?.threshold ?? Infinity;
  const between = (score: number) => score >= low && score < high;
  let calls = 0;
  for (let i = 0; i < scores.length; i++) if (between(scores[i]!)) calls++;
  for (const index of indices) if (!between(scores[index]!)) calls++;
  return calls;
}

function explain(size: number, labels: readonly boolean[], tests: Tests): AskAll {
  const positives = labels.filter(Boolean).length;
  const needed = fewestPositives(tests);
  const sampleNeeded = Math.ceil((needed * Math.max(labels.length, 1)) / Math.max(positives, 1));
  const enough = sampleNeeded < size && sampleNeeded > labels.length ? { sampleNeeded } : {};
  if (positives === 0) return { ...refuse('no-positives'), ...enough };
  return { ...refuse(positives < needed ? 'sample-too-small' : 'nothing-gained'), ...enough };
}

/** Positives that a uniform sample without any error must hold before a threshold can be shown on either side. */
export function fewestPositives({ recall, kept, precision }: Tests): number {
  const forRecall = recall
    ? Math.max(fewestTrials(recall.missed, recall.alpha), kept ? fewestTrials(kept.missed, kept.alpha) : 0)
    : Infinity;
  const forPrecision = precision ? fewestTrials(precision.ratio / (1 + precision.ratio), precision.alpha) : Infinity;
  return Math.min(forRecall, forPrecision);
}

const messages: Readonly<Record<AskAllReason, string>> = {
  'target-of-one': 'only asking the oracle about every tuple reaches a target of 1',
  'no-positives': 'the sample holds no positive, so neither recall nor precision can be bounded',
  'sample-too-small': 'the sample holds too few positives for any guarantee at this confidence',
  'nothing-to-fit': 'the answers that a proxy could be fitted to are all alike',
  'nothing-gained': 'the proxy tells too little: no threshold meets the targets and saves a call',
};

/** Why everything is asked, in words for people. */
export function refuse(reason: AskAllReason): AskAll {
  return { kind: 'ask-all', reason, message: messages[reason] };
}
