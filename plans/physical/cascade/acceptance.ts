/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { FermataError } from '../../protocol/errors.js';
import { clopperPearson, fewestTrials, largestMisses } from './bounds/clopper-pearson.js';
import type { SamplePlan } from './sample.js';
import { checkConfidence, checkTarget } from './targets.js';
import type { AskAll } from './thresholds.js';
import { nextAbove } from './uniform-cuts.js';

export interface AcceptanceRequest {
  /** The proxy's margin for each tuple, in [0, 1]. */
  readonly scores: ArrayLike<number>;
  /** A uniform plan over `scores`. */
  readonly plan: SamplePlan;
  /** Whether the proxy's label equals the oracle's, for `plan.indices[i]`. */
  readonly agrees: readonly boolean[];
  /** Share of all tuples whose final label must equal the oracle's, in (0, 1]. */
  readonly accuracy: number;
  readonly confidence: number;
}

export interface Acceptance {
  readonly kind: 'acceptance';
  /** The proxy's label stands for unsampled tuples with a margin at or above. */
  readonly accept: number;
  /** The sample and what lies below the threshold. */
  readonly expectedOracleCalls: number;
  /** Lower bound of the output's accuracy that the sample shows. */
  readonly bound: number;
}

/**
 * The margin from which a many-class proxy's label may stand, so that the output (proxy above, oracle below and on the
 * sample) agrees with the oracle on `accuracy` of the tuples with probability ≥ `confidence`. Wrong labels above the
 * threshold grow as it falls and their allowed number is known: one exact test a candidate, in order, without correction.
 */
export function learnAcceptance(request: AcceptanceRequest): Acceptance | AskAll {
  const { scores, plan, agrees, accuracy, confidence } = request;
  checkTarget('accuracy', accuracy);
  checkConfidence(confidence);
  if (plan.scheme !== 'uniform' || agrees.length !== plan.indices.length)
    throw new FermataError(
      'BadArgument',
      'an acceptance threshold needs one verdict for each tuple of a uniform sample',
    );
  if (accuracy === 1) return refuse('target-of-one', 'only the oracle reaches an accuracy of 1');
  const alpha = 1 - confidence;
  const allowed = largestMisses(agrees.length, 1 - accuracy, alpha);
  if (allowed < 0) {
    const sampleNeeded = fewestTrials(1 - accuracy, alpha);
    const enough = sampleNeeded < scores.length ? { sampleNeeded } : {};
    return { ...refuse('sample-too-small', 'the sample is too small for this accuracy and confidence'), ...enough };
  }
  const wrong = Float64Array.from(
    plan.indices.filter((_, i) => !agrees[i]!),
    (index) => scores[index]!,
  ).sort();
  const accept = allowed >= wrong.length ? 0 : nextAbove(scores, wrong[wrong.length - 1 - allowed]!);
  const calls = accept === undefined ? scores.length : callsOf(scores, plan, accept);
  if (accept === undefined || calls >= scores.length)
    return refuse('nothing-gained', 'the proxy errs at its largest margins: no threshold saves a call');
  const bound = 1 - clopperPearson(Math.min(allowed, wrong.length), agrees.length, alpha).upper;
  return { kind: 'acceptance', accept, expectedOracleCalls: calls, bound };
}

function callsOf(scores: ArrayLike<number>, { indices }: SamplePlan, accept: number): number {
  let calls = 0;
  for (let i = 0; i < scores.length; i++) if (scores[i]! < accept) calls++;
  for (const index of indices) if (scores[index]! >= accept) calls++;
  return calls;
}

function refuse(reason: AskAll['reason'], message: string): AskAll {
  return { kind: 'ask-all', reason, message };
}
