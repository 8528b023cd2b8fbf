/** How often each call says TRUE, FALSE or NULL: learned from the answers that the query needs anyway. */

import type { Truth } from './answers.js';
import { textFeatures } from './text-features.js';

/** Shares of the three answers; they add up to 1. */
export interface Rates {
  readonly true: number;
  readonly false: number;
  readonly null: number;
}

/** Answers counted; the whole state, plain JSON. */
export interface Tally {
  readonly true: number;
  readonly false: number;
  readonly null: number;
}

export const noAnswers: Tally = { true: 0, false: 0, null: 0 };

/** One answer more. */
export function counted(tally: Tally, answer: Truth): Tally {
  if (answer === null) return { ...tally, null: tally.null + 1 };
  return answer ? { ...tally, true: tally.true + 1 } : { ...tally, false: tally.false + 1 };
}

/** How many answers the prior weighs. */
const priorWeight = 2;
/** Before any answer: PLOP's s_i = 0.2, and hardly any NULL. */
const prior: Rates = { true: 0.2, false: 0.79, null: 0.01 };

/**
 * Mean of the posterior (Dirichlet, of which Beta is the case of two answers) over the three answers. `selectivity` is the
 * share of TRUE that is believed before the first answer, in [0, 1].
 */
export function ratesOf(tally: Tally, selectivity: number = prior.true): Rates {
  const rest = 1 - selectivity;
  const before = { true: selectivity, null: Math.min(prior.null, rest), false: Math.max(0, rest - prior.null) };
  return posterior(tally, before, priorWeight);
}

function posterior(tally: Tally, before: Rates, weight: number): Rates {
  const total = tally.true + tally.false + tally.null + weight;
  const share = (answer: keyof Rates): number => (tally[answer] + weight * before[answer]) / total;
  return { true: share('true'), false: share('false'), null: share('null') };
}

/** Tallies of one call: of all tuples, and of those with a feature. */
export interface FeatureTallies {
  readonly all: Tally;
  readonly by: Readonly<Record<string, Tally>>;
}

export const nothingLearned: FeatureTallies = { all: noAnswers, by: {} };

/** One answer more, to a prompt with this text. */
export function learned(tallies: FeatureTallies, text: string, answer: Truth): FeatureTallies {
  const by = Object.fromEntries(
    textFeatures(text).map((feature) => [feature, counted(tallies.by[feature] ?? noAnswers, answer)] as const),
  );
  return { all: counted(tallies.all, answer), by: { ...tallies.by, ...by } };
}

/** How many answers of all tuples weigh against those of one feature. */
const pooledWeight = 8;

/**
 * Rates for a prompt with this text: the rates of all prompts, moved by what each feature says in log odds (each
 * feature's own rates are pulled towards those of all), as if features were independent given the answer.
 */
export function ratesFor(tallies: FeatureTallies, text: string, selectivity?: number): Rates {
  const all = ratesOf(tallies.all, selectivity);
  const shift = textFeatures(text).reduce((sum, feature) => {
    const tally = tallies.by[feature];
    return tally === undefined ? sum : sum + logOdds(posterior(tally, all, pooledWeight).true) - logOdds(all.true);
  }, 0);
  const passing = 1 / (1 + Math.exp(-(logOdds(all.true) + shift)));
  const rest = all.false + all.null;
  const nulls = rest > 0 ? (all.null / rest) * (1 - passing) : 0;
  return { true: passing, false: 1 - passing - nulls, null: nulls };
}

function logOdds(share: number): number {
  const inside = Math.min(1 - 1e-6, Math.max(1e-6, share));
  return Math.log(inside / (1 - inside));
}
