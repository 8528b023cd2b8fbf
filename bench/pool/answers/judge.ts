/** Whether a model is right about one fact, and how sure it says it is. */
import type { Random } from '../../../plans/tuning/numeric/random.js';
import type { ModelProfile } from '../profile.schema.js';
import { beta, drawsOf } from '../random.js';
import type { Difficulty } from '../truth/difficulty.js';
import type { Fact } from '../truth/facts.js';

/** Who judges: everything but the fact that decides a verdict. */
export interface Judge {
  readonly model: string;
  readonly profile: ModelProfile;
  readonly difficulty: Difficulty;
  readonly seed: number;
  /** Empty at temperature 0; else what makes one sample differ from another. */
  readonly replica: string;
  /** Rows in the prompt: the more, the harder each. */
  readonly rows: number;
}

export interface Verdict {
  readonly right: boolean;
  /** Probability that the model reports for its answer, in (0,1). */
  readonly confidence: number;
  /** For choosing among wrong answers. */
  readonly random: Random;
}

/** Accuracy of a profile at a difficulty in [0,1], by its logistic curve. */
export function accuracyAt({ accuracy }: ModelProfile, difficulty: number): number {
  const { hi, lo, mid, width } = accuracy;
  return lo + (hi - lo) / (1 + Math.exp((difficulty - mid) / width));
}

/** Chance that the judge is right about a fact. */
export function chanceOf(judge: Judge, fact: Fact): number {
  const { profile, difficulty, rows } = judge;
  const shift = fact.harder + profile.batchDifficulty * Math.log2(Math.max(1, rows));
  return difficulty.chance(fact.tuples, fact.field, `${judge.model} ${shift}`, (d) => accuracyAt(profile, d + shift));
}

/**
 * The row's own chance of being right is drawn first, around the accuracy at its difficulty and not below guessing among
 * `choices`; then whether it is right, with that chance. So right answers are a share `c` of those that had the chance
 * `c`: calibrated by construction, until the profile's temperature moves what is reported.
 */
export function judgeFact(judge: Judge, fact: Fact, choices: number): Verdict {
  const names = fact.tuples.map(({ collection, id }) => `${collection}/${id}`);
  const random = drawsOf('verdict', judge.seed, judge.model, fact.key, judge.replica, ...names);
  const luck = random.uniform();
  const accuracy = chanceOf(judge, fact);
  const { concentration, temperature } = judge.profile.confidence;
  const floor = choices >= 2 && accuracy >= 1 / choices ? 1 / choices : 0;
  const chance = floor + (1 - floor) * beta(random, (accuracy - floor) / (1 - floor), concentration);
  const logit = Math.log(Math.max(chance, 1e-6) / Math.max(1 - chance, 1e-6));
  const reported = 1 / (1 + Math.exp(-temperature * logit));
  return { right: luck < chance, confidence: Math.min(0.9999, Math.max(0.0001, reported)), random };
}
