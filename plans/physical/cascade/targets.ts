import { FermataError } from '../../protocol/errors.js';

/**
 * Quality that a cascade's output must have, against what the oracle alone would give: each stated target holds with
 * probability ≥ `confidence`. A target that is absent means that the oracle decides that side: without `recall` nothing is
 * rejected unasked, without `precision` nothing is accepted unasked.
 */
export interface Targets {
  /** Share of the oracle's positives that the output holds, in (0, 1]. */
  readonly recall?: number;
  /** Share of the output that the oracle would accept, in (0, 1]. */
  readonly precision?: number;
  /** In (0, 1). */
  readonly confidence: number;
}

/** Throws `BadArgument` for a target outside (0, 1] or a confidence outside (0, 1). */
export function checkTargets({ recall, precision, confidence }: Targets): void {
  checkTarget('recall', recall);
  checkTarget('precision', precision);
  checkConfidence(confidence);
}

export function checkTarget(name: string, value: number | undefined): void {
  if (value !== undefined && !(value > 0 && value <= 1))
    throw new FermataError('BadArgument', `the ${name} target is ${value}`, {
      hint: 'give a number above 0, at most 1',
    });
}

export function checkConfidence(confidence: number): void {
  if (!(confidence > 0 && confidence < 1))
    throw new FermataError('BadArgument', `the confidence is ${confidence}`, { hint: 'give a number between 0 and 1' });
}

/** Throws `BadArgument` unless every score is in [0, 1]. */
export function checkScores(scores: ArrayLike<number>): void {
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] as number;
    if (!(score >= 0 && score <= 1))
      throw new FermataError('BadArgument', `the proxy score of tuple ${i} is ${score}`, {
        hint: 'scores lie between 0 and 1',
      });
  }
}

/** The tests that targets ask for, as levels and rates. */
export interface Tests {
  /** The share of positives that may be missed, shown at level `alpha`. */
  readonly recall?: { readonly missed: number; readonly alpha: number };
  /** With both targets: a looser share, shown at a smaller level, so that precision may count on the positives kept. */
  readonly kept?: { readonly missed: number; readonly alpha: number };
  /** False positives allowed for each positive, shown at level `alpha`. */
  readonly precision?: { readonly ratio: number; readonly alpha: number };
}

/** Positives that precision may count on, as a share of all. */
export function keptShareOf({ kept }: Tests): number {
  return 1 - (kept?.missed ?? 0);
}

/** Share of the precision test's risk that is spent on the bound of missed positives. */
const riskForKept = 0.2;
/** Exponent of the looser recall: about what a sample that just shows the recall target shows at the smaller level too. */
const keptExponent = 1.7;

/**
 * Precision of the output is TP / (TP + FP) where TP are all positives that are not missed, whoever found them. FP grows as
 * the threshold falls, TP does not depend on it: so the hypotheses are nested, and testing candidates in order until the
 * first failure needs no correction. TP depends on the other threshold, which is learned from the same sample: precision
 * therefore counts only on a share fixed beforehand, and pays a fifth of its risk for showing that share.
 */
export function testsOf({ recall, precision, confidence }: Targets): Tests {
  const alpha = 1 - confidence;
  const rejects = recall !== undefined && recall < 1;
  const accepts = precision !== undefined && precision < 1;
  const shared = rejects && accepts;
  const kept = shared ? recall ** keptExponent : 1;
  return {
    ...(rejects ? { recall: { missed: 1 - recall, alpha } } : {}),
    ...(shared ? { kept: { missed: 1 - kept, alpha: riskForKept * alpha } } : {}),
    ...(accepts
      ? { precision: { ratio: ((1 - precision) / precision) * kept, alpha: (shared ? 1 - riskForKept : 1) * alpha } }
      : {}),
  };
}
