import { FermataError } from '../../protocol/errors.js';
import type { Metrics } from '../history.js';
import { normalisedCost, normalisedLatency } from './normalise.js';
import type { Reference } from './normalise.js';

/** Weights of U = w_q·Q − w_l·L̂ − w_c·Ĉ; each ≥ 0, one positive. */
export interface Weights {
  readonly quality: number;
  readonly latency: number;
  readonly cost: number;
}

export const presets = {
  'quality-first': { quality: 1, latency: 0.1, cost: 0.1 },
  balanced: { quality: 1, latency: 0.4, cost: 0.3 },
  'efficiency-first': { quality: 0.1, latency: 1, cost: 1 },
} as const satisfies Record<string, Weights>;

export type WeightPreset = keyof typeof presets;

/** Limits of the whole run, for all rows ahead. */
export interface Limits {
  readonly latencySeconds?: number;
  readonly costUsd?: number;
}

/**
 * What the tuner is after.
 * - `utility`: the weighted utility (CADENZA §2.1).
 * - `constrained`: the utility within limits. `modelled` learns each limit's log ratio and asks for the probability of
 *   keeping it; `penalty` subtracts α·Σ ln(1 + v) (CADENZA App. H). `extrapolation` is rows of the full input ÷ rows of the
 *   validation set.
 * - `pareto`: hypervolume of (Q, 1 − L̂, 1 − Ĉ) over the origin (CADENZA App. E).
 * - `metric`: a metric as it is, kept where every named constraint is ≤ 0.
 * - `metrics`: three metrics to maximise, as hypervolume over the origin.
 */
export type Objective =
  | { readonly mode: 'utility'; readonly weights: Weights; readonly reference: Reference }
  | {
      readonly mode: 'constrained';
      readonly weights: Weights;
      readonly reference: Reference;
      readonly limits: Limits;
      readonly extrapolation: number;
      readonly method?: 'modelled' | 'penalty';
      /** α of the penalty; 1 by default. */
      readonly alpha?: number;
    }
  | { readonly mode: 'pareto'; readonly reference: Reference }
  | { readonly mode: 'metric'; readonly metric: string; readonly constraints?: readonly string[] }
  | { readonly mode: 'metrics'; readonly metrics: readonly [string, string, string] };

/** One number of a trial, with the part that only `quality` decides split off, so that the rest may be computed. */
export interface Criterion {
  readonly value: (metrics: Metrics) => number;
  /** value = qualityWeight · quality + rest(metrics), where rest reads latency and cost only. */
  readonly split?: { readonly qualityWeight: number; readonly rest: (metrics: Metrics) => number };
}

/** An objective as numbers: goals are maximised (one, or three for a front), limits kept where ≤ 0. */
export interface Criteria {
  readonly goals: readonly Criterion[];
  readonly limits: readonly Criterion[];
}

/**
 * @throws FermataError BadArgument: weights that are negative, not finite or all zero; limits or extrapolation not positive;
 *   a reference that is not positive.
 */
export function criteriaOf(objective: Objective): Criteria {
  switch (objective.mode) {
    case 'utility':
      return { goals: [utilityOf(objective)], limits: [] };
    case 'constrained':
      return constrainedCriteria(objective);
    case 'pareto': {
      checkReference(objective.reference);
      return {
        goals: [
          { value: read('quality'), split: { qualityWeight: 1, rest: () => 0 } },
          known((metrics) => 1 - normalisedLatency(read('latencySeconds')(metrics), objective.reference)),
          known((metrics) => 1 - normalisedCost(read('costUsd')(metrics), objective.reference)),
        ],
        limits: [],
      };
    }
    case 'metric':
      return {
        goals: [{ value: read(objective.metric) }],
        limits: (objective.constraints ?? []).map((name) => ({ value: read(name) })),
      };
    case 'metrics':
      return { goals: objective.metrics.map((name) => ({ value: read(name) })), limits: [] };
  }
}

/** The scores that a trial is compared by. */
export function scoreOf(criteria: Criteria, metrics: Metrics): { readonly goals: number[]; readonly limits: number[] } {
  return {
    goals: criteria.goals.map((criterion) => criterion.value(metrics)),
    limits: criteria.limits.map((criterion) => criterion.value(metrics)),
  };
}

type WithUtility = Extract<Objective, { readonly weights: Weights }>;

function utilityOf({ weights, reference }: WithUtility, minus: (metrics: Metrics) => number = () => 0): Criterion {
  checkWeights(weights);
  checkReference(reference);
  const rest = (metrics: Metrics) =>
    -weighted(weights.latency, () => normalisedLatency(read('latencySeconds')(metrics), reference)) -
    weighted(weights.cost, () => normalisedCost(read('costUsd')(metrics), reference)) -
    minus(metrics);
  return {
    value: (metrics) => weighted(weights.quality, () => read('quality')(metrics)) + rest(metrics),
    split: { qualityWeight: weights.quality, rest },
  };
}

/** A weight of 0 omits the metric: it need not even be there. */
function weighted(weight: number, value: () => number): number {
  return weight === 0 ? 0 : weight * value();
}

function constrainedCriteria(objective: Extract<Objective, { readonly mode: 'constrained' }>): Criteria {
  const { limits, extrapolation, method = 'modelled', alpha = 1 } = objective;
  const bounded = (['latencySeconds', 'costUsd'] as const).flatMap((name) => {
    const limit = limits[name];
    return limit === undefined ? [] : [{ name, limit }];
  });
  if (!(extrapolation > 0) || bounded.some(({ limit }) => !(limit > 0)) || !(alpha >= 0))
    throw new FermataError('BadArgument', 'limits and extrapolation must be positive, alpha must not be negative');
  if (method === 'penalty') {
    const penalty = (metrics: Metrics) => {
      let sum = 0;
      for (const { name, limit } of bounded)
        sum += Math.log1p(Math.max(0, read(name)(metrics) * extrapolation - limit) / limit);
      return alpha * sum;
    };
    return { goals: [utilityOf(objective, penalty)], limits: [] };
  }
  const logRatio = (name: string, limit: number) => (metrics: Metrics) =>
    Math.log(Math.max(read(name)(metrics), 1e-12) * extrapolation) - Math.log(limit);
  return { goals: [utilityOf(objective)], limits: bounded.map(({ name, limit }) => known(logRatio(name, limit))) };
}

function known(rest: (metrics: Metrics) => number): Criterion {
  return { value: rest, split: { qualityWeight: 0, rest } };
}

/** NaN for a metric that is missing, which makes the trial a failed one. */
function read(name: string): (metrics: Metrics) => number {
  return (metrics) => metrics[name] ?? NaN;
}

function checkWeights(weights: Weights): void {
  const problem = weightsProblem(weights);
  if (problem !== undefined) throw new FermataError('BadArgument', problem);
}

/** What is wrong with weights, or undefined. */
export function weightsProblem(weights: Weights): string | undefined {
  const all = [weights.quality, weights.latency, weights.cost];
  if (all.every((weight) => Number.isFinite(weight) && weight >= 0) && all.some((weight) => weight > 0))
    return undefined;
  return `weights must be ≥ 0 and one of them positive, got ${all.join(', ')}`;
}

function checkReference({ latencySeconds, costUsd, latencyOffset = 1, costOffset = 0.001 }: Reference): void {
  const all = [latencySeconds, costUsd];
  if (all.every((value) => value >= 0 && Number.isFinite(value)) && latencyOffset > 0 && costOffset > 0) return;
  throw new FermataError('BadArgument', 'the reference run needs latency and cost ≥ 0 and offsets > 0');
}
