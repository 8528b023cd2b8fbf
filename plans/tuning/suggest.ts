/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { FermataError } from '../protocol/errors.js';
import { logNoisyHypervolumeImprovement } from './acquisition/hypervolume-improvement.js';
import { logNoisyImprovement } from './acquisition/improvement.js';
import { maximize } from './acquisition/maximize.js';
import type { Candidate } from './acquisition/maximize.js';
import { evolve } from './baselines/evolution.js';
import { encodingOf } from './encoding.js';
import type { Encoding } from './encoding.js';
import type { TrialHistory } from './history.js';
import { believe, buildModel, sampleModel } from './model.js';
import type { Belief, Model, ModelOptions } from './model.js';
import { deriveSeed } from './numeric/random.js';
import { scrambledSobol } from './numeric/sobol.js';
import { criteriaOf } from './objective/objective.js';
import type { Criteria, Objective } from './objective/objective.js';
import { isSame, observe } from './observations.js';
import { checkConfiguration, checkSpace } from './space.js';
import type { Configuration, SearchSpace } from './space.js';

export interface SuggestOptions extends Omit<ModelOptions, 'seed'> {
  readonly objective: Objective;
  /** Suggestions wanted at once; 1 by default. Each knows of the ones before it. */
  readonly count?: number;
  /** Tried first, in this order. */
  readonly warmStarts?: readonly Configuration[];
  /** Trials (warm starts among them) before the surrogate decides; 5 by default. */
  readonly initialTrials?: number;
  /** USD of the answers that a configuration's trial lacks. With it, gain per USD is what counts. */
  readonly priceUsd?: (configuration: Configuration) => number;
  /** `bayes` by default; the others are baselines. */
  readonly method?: 'bayes' | 'sobol' | 'evolution';
}

export interface Suggestion {
  readonly configuration: Configuration;
  readonly origin: 'warm-start' | 'sobol' | 'evolution' | 'model';
  /** Belief of each goal, when a model made the suggestion. */
  readonly expected?: readonly Belief[];
  /** Log of the expected improvement (of hypervolume, for a front) before the price. */
  readonly logImprovement?: number;
}

/**
 * The next configurations to try: at most `count`, fewer when the space holds no more untried ones, none when all is
 * frozen and was tried. The same history, space and options give the same answer. Never suggests one that is in the
 * history, whatever became of it.
 *
 * @throws FermataError BadArgument: a space, warm start, objective or history configuration that does not fit.
 * @example
 * const [next] = suggest(history, space, { objective: { mode: 'utility', weights: presets.balanced, reference } });
 */
export function suggest(history: TrialHistory, space: SearchSpace, options: SuggestOptions): Suggestion[] {
  checkSpace(space);
  for (const { configuration } of history.trials) checkConfiguration(space, configuration);
  const criteria = criteriaOf(options.objective);
  const { count = 1 } = options;
  if (!Number.isInteger(count) || count < 1) throw new FermataError('BadArgument', 'count must be a whole number ≥ 1');
  const encoding = encodingOf(space);
  const taken = history.trials.map(({ configuration }) => encoding.encode(configuration));
  const step: Step = { history, space, options, criteria, encoding, taken, given: [] };
  const out: Suggestion[] = [];
  while (out.length < count) {
    const next = nextSuggestion(step);
    if (!next) break;
    out.push(next);
    step.given.push(encoding.encode(next.configuration));
    step.taken.push(encoding.encode(next.configuration));
  }
  return out;
}

interface Step {
  readonly history: TrialHistory;
  readonly space: SearchSpace;
  readonly options: SuggestOptions;
  readonly criteria: Criteria;
  readonly encoding: Encoding;
  /** Coordinates in the history or suggested by this call. */
  readonly taken: Float64Array[];
  /** Coordinates suggested by this call. */
  readonly given: Float64Array[];
}

function nextSuggestion(step: Step): Suggestion | undefined {
  const { options, space, encoding, taken } = step;
  for (const configuration of options.warmStarts ?? []) {
    checkConfiguration(space, configuration);
    if (isNew(encoding.encode(configuration), taken)) return { configuration, origin: 'warm-start' };
  }
  if (encoding.dimensions === 0)
    return taken.length === 0 ? { configuration: encoding.decode(new Float64Array(0)), origin: 'sobol' } : undefined;
  return informed(step) ?? uninformed(step);
}

function informed(step: Step): Suggestion | undefined {
  const { history, options, criteria, encoding, taken, given } = step;
  const { method = 'bayes', initialTrials = 5 } = options;
  const observed = observe(history, encoding, criteria);
  if (method === 'sobol' || taken.length < initialTrials) return undefined;
  const seed = deriveSeed(history.seed, history.trials.length, given.length);
  if (method === 'evolution') {
    const coordinates = evolve(encoding, criteria, observed, seed, (point) => isNew(point, taken));
    return coordinates && { configuration: encoding.decode(coordinates), origin: 'evolution' };
  }
  const model = buildModel(encoding, criteria, observed, { ...options, seed });
  if (!model) return undefined;
  const candidates = search(model, seed, step);
  const chosen = candidates.find(({ coordinates }) => isNew(coordinates, taken));
  return (
    chosen && {
      configuration: encoding.decode(chosen.coordinates),
      origin: 'model',
      expected: model.goals.map((goal) => believe(model, goal, chosen.coordinates)),
      logImprovement: chosen.logValue,
    }
  );
}

function search(model: Model, seed: number, { options, given, encoding }: Step): Candidate[] {
  const trials = model.observed.measured.length;
  const front = model.goals.length === 3;
  const draws = options.deterministic ? 1 : front ? 16 : trials > 100 ? 32 : 64;
  const channels = sampleModel(model, draws, seed, given);
  if (!channels) return [];
  const acquisition = front
    ? logNoisyHypervolumeImprovement(channels.goals as [never, never, never], draws)
    : logNoisyImprovement(channels.goals[0]!, channels.limits, draws);
  const { dimensions } = encoding;
  const large = trials > 100;
  const candidates = maximize(acquisition, encoding, model.known, {
    seed,
    centres: centresOf(model),
    raw: large ? 300 : Math.min(1200, 200 + 50 * dimensions) * (model.limits.length > 0 ? 2 : 1),
    starts: large ? 3 : 4 + Math.ceil(dimensions / 4),
    iterations: large ? 20 : 50,
  });
  const { priceUsd } = options;
  if (!priceUsd) return candidates;
  return byGainPerUsd(candidates, (coordinates) => priceUsd(encoding.decode(coordinates)));
}

/** The five best points by belief, those expected to keep the limits first; or the two best of each goal of a front. */
function centresOf(model: Model): Float64Array[] {
  const each = model.goals.length === 1 ? 5 : 2;
  const points = model.observed.measured.map(({ coordinates }) => ({
    coordinates,
    excess: model.limits.reduce((sum, limit) => sum + Math.max(0, believe(model, limit, coordinates).mean), 0),
    means: model.goals.map((goal) => believe(model, goal, coordinates).mean),
  }));
  const picked = model.goals.flatMap((_, k) =>
    [...points].sort((a, b) => a.excess - b.excess || b.means[k]! - a.means[k]!).slice(0, each),
  );
  return [...new Set(picked.map(({ coordinates }) => coordinates))];
}

/** A price of nothing counts as this share of the mean price: free trials come first unless they promise next to nothing. */
const freeShare = 1e-3;

/** By log gain per USD. */
function byGainPerUsd(candidates: readonly Candidate[], priceOf: (coordinates: Float64Array) => number): Candidate[] {
  const prices = candidates.map(({ coordinates }) => Math.max(0, priceOf(coordinates)));
  const mean = prices.reduce((sum, price) => sum + price, 0) / Math.max(1, prices.length);
  if (mean === 0) return [...candidates];
  const score = candidates.map(({ logValue }, i) => logValue - Math.log(prices[i]! + freeShare * mean));
  const order = candidates.map((_, i) => i).sort((a, b) => score[b]! - score[a]! || a - b);
  return order.map((i) => candidates[i]!);
}

/** The next Sobol point that is new; for spaces of choices only, the search ends when a thousand in a row are not. */
function uninformed({ history, encoding, taken }: Step): Suggestion | undefined {
  const sobol = scrambledSobol(encoding.dimensions, deriveSeed(history.seed, 0x5eed));
  for (let skip = taken.length; skip > 0; skip--) sobol.next();
  for (let attempt = 0; attempt < 1000; attempt++) {
    const coordinates = encoding.fromUniform(sobol.next());
    if (isNew(coordinates, taken)) return { configuration: encoding.decode(coordinates), origin: 'sobol' };
  }
  return undefined;
}

function isNew(coordinates: Float64Array, taken: readonly Float64Array[]): boolean {
  return taken.every((other) => !isSame(other, coordinates));
}
