/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import type { Channel, KnownTerms } from './acquisition/channel.js';
import type { Encoding } from './encoding.js';
import type { Metrics } from './history.js';
import { deriveSeed } from './numeric/random.js';
import type { Criteria, Criterion } from './objective/objective.js';
import type { Observed } from './observations.js';
import type { Configuration } from './space.js';
import { conditionOn, fitGaussianProcess } from './surrogate/fit.js';
import type { Fit, LengthPrior, Observations } from './surrogate/fit.js';
import type { KernelName } from './surrogate/kernel.js';
import { predict } from './surrogate/predict.js';
import { sampleFunctions } from './surrogate/sampler.js';
import { standardise } from './surrogate/standardise.js';

/** Latency and cost of a configuration on the validation rows, computed from routing shares and the cost model. */
export type KnownMetrics = (configuration: Configuration) => Metrics;

export interface ModelOptions {
  readonly seed: number;
  /** Grey box: with it only quality is learned; without it each goal and limit is learned whole. */
  readonly knownMetrics?: KnownMetrics;
  /** True when a repeated trial measures the same. */
  readonly deterministic?: boolean;
  /** Matérn-5/2 by default. */
  readonly kernel?: KernelName;
}

/** A learned criterion: fitted process with units, plus the known part. */
export interface Learned {
  /** None for a criterion that is only computed. */
  readonly fit?: Fit;
  readonly shift: number;
  readonly scale: number;
  readonly known?: number;
}

/** Surrogates of all goals and limits. */
export interface Model {
  readonly encoding: Encoding;
  readonly goals: readonly Learned[];
  readonly limits: readonly Learned[];
  readonly known: KnownTerms;
  readonly observed: Observed;
}

/** What the model believes of a point's criterion. */
export interface Belief {
  readonly mean: number;
  readonly deviation: number;
}

/** Trials beyond this many do not help to find length scales, but cost cubic time. */
const fitRows = 120;

/** Undefined when there is nothing to learn from, or a fit fails: the caller then falls back to Sobol points. */
export function buildModel(
  encoding: Encoding,
  criteria: Criteria,
  observed: Observed,
  options: ModelOptions,
): Model | undefined {
  if (observed.measured.length < 2 || encoding.dimensions === 0) return undefined;
  const known = knownTerms(encoding, criteria, observed, options.knownMetrics);
  const all = [...criteria.goals, ...criteria.limits];
  const knownIndex = knownIndices(all, options.knownMetrics);
  const learned = all.map((criterion, k) =>
    learn(criterion, {
      observed,
      encoding,
      options,
      index: k,
      isGoal: k < criteria.goals.length,
      alone: criteria.goals.length === 1,
      known: knownIndex[k],
    }),
  );
  if (learned.some((entry) => entry === undefined)) return undefined;
  const found = learned as Learned[];
  const cut = criteria.goals.length;
  return { encoding, goals: found.slice(0, cut), limits: found.slice(cut), known, observed };
}

/** Belief about goal or limit at a point, known part included. */
export function believe(model: Model, learned: Learned, coordinates: Float64Array): Belief {
  const known = learned.known === undefined ? 0 : model.known.values(coordinates)[learned.known]!;
  if (!learned.fit) return { mean: learned.shift + known, deviation: 0 };
  const { mean, variance } = predict(learned.fit, model.encoding.features(coordinates));
  return {
    mean: learned.shift + known + learned.scale * mean,
    deviation: Math.abs(learned.scale) * Math.sqrt(variance),
  };
}

/** Standard deviation of one full trial's noise in a goal's units. */
export function trialNoise(learned: Learned): number {
  return learned.fit ? Math.abs(learned.scale) * Math.exp(0.5 * learned.fit.hyper.logNoise) : 0;
}

/**
 * Sampled channels of all goals and limits over one set of base points (measured, failed, pending, then `extra`); undefined
 * when a posterior cannot be factored.
 */
export function sampleModel(
  model: Model,
  draws: number,
  seed: number,
  extra: readonly Float64Array[],
): { readonly goals: Channel[]; readonly limits: Channel[] } | undefined {
  const { measured, failed, pending } = model.observed;
  const waiting = [...pending, ...extra];
  const base = [...measured.map(({ coordinates }) => coordinates), ...failed, ...waiting];
  const knownAtBase = base.map((coordinates) => model.known.values(coordinates));
  const features = waiting.map((coordinates) => model.encoding.features(coordinates));
  const channels: Channel[] = [];
  for (const [k, learned] of [...model.goals, ...model.limits].entries()) {
    const sampler = learned.fit && sampleFunctions(learned.fit, features, { draws, seed: deriveSeed(seed, k) });
    if (learned.fit && !sampler) return undefined;
    const values = new Float64Array(draws * base.length);
    for (let s = 0; s < draws; s++)
      for (let i = 0; i < base.length; i++) {
        const at = s * base.length + i;
        const offset = learned.shift + (learned.known === undefined ? 0 : knownAtBase[i]![learned.known]!);
        values[at] = offset + (sampler ? learned.scale * sampler.base[at]! : 0);
      }
    const { shift, scale } = learned;
    channels.push({
      shift,
      scale,
      base: values,
      ...(sampler ? { sampler } : {}),
      ...(learned.known === undefined ? {} : { known: learned.known }),
    });
  }
  return { goals: channels.slice(0, model.goals.length), limits: channels.slice(model.goals.length) };
}

function knownIndices(all: readonly Criterion[], known: KnownMetrics | undefined): (number | undefined)[] {
  let next = 0;
  return all.map(({ split }) => (known && split ? next++ : undefined));
}

function knownTerms(encoding: Encoding, criteria: Criteria, observed: Observed, known?: KnownMetrics): KnownTerms {
  const splits = known ? [...criteria.goals, ...criteria.limits].flatMap(({ split }) => split ?? []) : [];
  if (!known || splits.length === 0) {
    const none = new Float64Array(0);
    return { count: 0, values: () => none };
  }
  const factors = corrections(encoding, observed, known);
  return {
    count: splits.length,
    values(coordinates) {
      const computed = known(encoding.decode(coordinates));
      const corrected = Object.fromEntries(
        Object.entries(computed).map(([name, value]) => [name, value * (factors[name] ?? 1)]),
      );
      return Float64Array.from(splits, ({ rest }) => rest(corrected));
    },
  };
}

/**
 * Factor between computed and measured latency and cost, the geometric mean over trials drawn towards 1 as if two trials
 * more had measured just what was computed.
 */
function corrections(encoding: Encoding, { measured }: Observed, known: KnownMetrics): Record<string, number> {
  const sums: Record<string, { log: number; count: number }> = {};
  for (const { coordinates, metrics } of measured)
    for (const [name, computed] of Object.entries(known(encoding.decode(coordinates)))) {
      const ratio = (metrics[name] ?? NaN) / computed;
      if (!(ratio > 0) || !Number.isFinite(ratio)) continue;
      const entry = (sums[name] ??= { log: 0, count: 0 });
      entry.log += Math.log(ratio);
      entry.count++;
    }
  return Object.fromEntries(Object.entries(sums).map(([name, { log, count }]) => [name, Math.exp(log / (count + 2))]));
}

interface Learning {
  readonly observed: Observed;
  readonly encoding: Encoding;
  readonly options: ModelOptions;
  readonly index: number;
  readonly isGoal: boolean;
  /** The only goal, not one of a front's. */
  readonly alone: boolean;
  readonly known: number | undefined;
}

function learn(
  criterion: Criterion,
  { observed, encoding, options, index, isGoal, alone, known }: Learning,
): Learned | undefined {
  const weight = known === undefined ? 1 : criterion.split!.qualityWeight;
  const withKnown = known === undefined ? {} : { known };
  if (weight === 0) return { shift: 0, scale: 0, ...withKnown };
  const { measured, failed } = observed;
  const column = Float64Array.from(measured, ({ metrics }) =>
    known === undefined ? criterion.value(metrics) : (metrics['quality'] ?? NaN),
  );
  const { values, shift, scale } = standardise(column, { tame: known === undefined });
  // A failed configuration counts as a bit worse than the worst that worked, with no say about limits.
  const asFailed = isGoal ? Math.min(...values) - 0.25 : 0;
  const points = [...measured.map(({ coordinates }) => coordinates), ...failed].map((at) => encoding.features(at));
  const x = new Float64Array(points.length * encoding.dimensions);
  points.forEach((point, i) => x.set(point, i * encoding.dimensions));
  const fit = fitAll(
    {
      count: points.length,
      dimensions: encoding.dimensions,
      x,
      categorical: encoding.categorical,
      y: Float64Array.from(points, (_, i) => values[i] ?? asFailed),
      noiseScale: Float64Array.from(points, (_, i) => 1 / (measured[i]?.weight ?? 1)),
    },
    { options, index, lengthPrior: isGoal && alone ? 'short' : 'wide' },
  );
  return fit && { fit, shift: weight * shift, scale: weight * scale, ...withKnown };
}

interface FitCase {
  readonly options: ModelOptions;
  readonly index: number;
  readonly lengthPrior: LengthPrior;
}

function fitAll(observations: Observations, { options, index, lengthPrior }: FitCase): Fit | undefined {
  const part = subset(observations);
  const fit = fitGaussianProcess(part, {
    kernel: options.kernel ?? 'matern52',
    lengthPrior,
    starts: part.count > 40 ? 2 : 3,
    seed: deriveSeed(options.seed, index, observations.count),
    deterministic: options.deterministic === true,
    maxIterations: part.count > 80 ? 20 : 50,
  });
  if (!fit || part === observations) return fit;
  return conditionOn(observations, fit.kernel, fit.hyper) ?? fit;
}

/** The best half and an even pick of the rest. */
function subset(observations: Observations): Observations {
  const { count, dimensions, x, y, noiseScale } = observations;
  if (count <= fitRows) return observations;
  const order = Array.from({ length: count }, (_, i) => i).sort((a, b) => y[b]! - y[a]! || a - b);
  const half = fitRows / 2;
  const rest = order.slice(half);
  const chosen = [
    ...order.slice(0, half),
    ...Array.from({ length: half }, (_, i) => rest[Math.floor((i * rest.length) / half)]!),
  ];
  return {
    ...observations,
    count: chosen.length,
    x: Float64Array.from(chosen.flatMap((i) => Array.from(x.subarray(i * dimensions, (i + 1) * dimensions)))),
    y: Float64Array.from(chosen, (i) => y[i]!),
    noiseScale: Float64Array.from(chosen, (i) => noiseScale[i]!),
  };
}
