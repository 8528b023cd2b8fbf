import { recommendSample } from './recommend.js';
import { planSample, type SamplePlan } from './sample.js';
import { type Targets, testsOf } from './targets.js';
import { type AskAll, fewestPositives } from './thresholds.js';

export interface Draw {
  readonly kind: 'sample';
  readonly plan: SamplePlan;
}

/** A sample that just holds enough positives allows no error of the proxy at all; this many times as large, some. */
const slack = 2;
/** Among many tuples a loose threshold costs more than a larger sample: this many times the root of their number. */
const perRoot = 5;
/** Most of the tuples that are sampled for these sakes. */
const mostShare = 0.5;

/**
 * The tuples whose labels a cascade learns from, or why it asks about all of them at once. The size is the one that
 * `recommendSample` expects to be cheapest, and at least what the targets need at the rate of positives that the scores
 * tell; too large a sample costs little, since sampled tuples are answered for good. The same arguments give the same draw.
 *
 * @example drawSample(scores, { recall: 0.9, precision: 0.9, confidence: 0.95 }, 7)
 */
export function drawSample(scores: ArrayLike<number>, targets: Targets, seed: number): Draw | AskAll {
  const tests = testsOf(targets);
  if (!tests.recall && !tests.precision) {
    return askAll('target-of-one', 'only asking the oracle about every tuple reaches a target of 1');
  }
  const { size: cheapest } = recommendSample(scores, targets);
  const needed = fewestPositives(tests) / rateOf(scores);
  const ample = Math.ceil(Math.max(slack * needed, perRoot * Math.sqrt(scores.length)));
  const size = Math.max(cheapest, Math.min(ample, Math.floor(mostShare * scores.length)));
  if (size < needed || size >= scores.length) return tooFew(scores.length, needed);
  return { kind: 'sample', plan: planSample({ scores, budget: size, seed, scheme: 'uniform' }) };
}

/** Share of positives, were the scores probabilities. */
function rateOf(scores: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < scores.length; at += 1) sum += scores[at] ?? 0;
  return scores.length === 0 ? 0 : sum / scores.length;
}

function tooFew(size: number, needed: number): AskAll {
  if (!Number.isFinite(needed))
    return askAll('no-positives', 'the proxy sees no positive, so that nothing can be shown');
  const most = Math.ceil(needed);
  return {
    ...askAll(
      'sample-too-small',
      `the targets need a sample of about ${most} tuples, too many of the ${size} there are`,
    ),
    ...(most < size ? { sampleNeeded: most } : {}),
  };
}

function askAll(reason: AskAll['reason'], message: string): AskAll {
  return { kind: 'ask-all', reason, message };
}
