import { encodingOf } from './encoding.js';
import type { TrialHistory } from './history.js';
import { believe, buildModel, trialNoise } from './model.js';
import type { Belief, Model, ModelOptions } from './model.js';
import { logCdf } from './numeric/normal.js';
import { deriveSeed } from './numeric/random.js';
import { hypervolume, paretoFront } from './objective/hypervolume.js';
import type { Point3 } from './objective/hypervolume.js';
import { criteriaOf, scoreOf } from './objective/objective.js';
import type { Criteria, Objective } from './objective/objective.js';
import { observe } from './observations.js';
import type { Observation } from './observations.js';
import { checkConfiguration, checkSpace } from './space.js';
import type { Configuration, SearchSpace } from './space.js';

export interface BestOptions extends Omit<ModelOptions, 'seed'> {
  readonly objective: Objective;
  /** How sure a plan must be to keep the limits to count as feasible; 0.9 by default. */
  readonly confidence?: number;
  /** ε: the incumbent stays until another is better by more than this; 0 by default. */
  readonly margin?: number;
  /** Trial that is the incumbent now. */
  readonly incumbentId?: string;
}

/** A measured configuration with what is believed of it. */
export interface Standing {
  /** Its trials, the first one measured first. */
  readonly trialIds: readonly string[];
  readonly configuration: Configuration;
  readonly goals: readonly Belief[];
  /** Probability that every limit is kept; 1 without limits. */
  readonly probabilityFeasible: number;
  /** Σ of expected excess over the limits; 0 when all are expected to be kept. */
  readonly excess: number;
  /** Standard deviation of one full trial of the first goal, as the surrogate infers it; 0 before there is one. */
  readonly noise: number;
}

export interface Best {
  /**
   * One goal: the configuration of the best posterior mean among those that keep the limits, or the least violating one
   * (`feasible` false). Three goals: the one of the largest own volume. Undefined before anything was measured.
   */
  readonly incumbent?: Standing;
  readonly feasible: boolean;
  /** Three goals: all configurations that none dominates in posterior means, and their hypervolume. */
  readonly front: readonly Standing[];
  readonly hypervolume?: number;
}

/**
 * The incumbent of a history. A single lucky trial does not win: configurations are compared by the surrogate's posterior
 * mean, which knows the noise and the neighbours.
 * @throws FermataError BadArgument, as `suggest`
 */
export function best(history: TrialHistory, space: SearchSpace, options: BestOptions): Best {
  checkSpace(space);
  for (const { configuration } of history.trials) checkConfiguration(space, configuration);
  const standings = rank(history, space, options);
  const [first] = standings;
  if (!first) return { feasible: false, front: [] };
  const confidence = options.confidence ?? 0.9;
  if (first.goals.length === 3) return bestFront(standings);
  const incumbent = standings.find(({ trialIds }) => trialIds.includes(options.incumbentId ?? ''));
  const isFeasible = (standing: Standing) => standing.probabilityFeasible >= confidence;
  const gain = incumbent ? goal(first) - goal(incumbent) : Infinity;
  const keep = incumbent && isFeasible(incumbent) === isFeasible(first) && gain <= (options.margin ?? 0);
  const chosen = keep ? incumbent : first;
  return { incumbent: chosen, feasible: isFeasible(chosen), front: [] };
}

/** All measured configurations, best first: feasible ones by posterior mean, then the others by excess. */
export function rank(history: TrialHistory, space: SearchSpace, options: BestOptions): Standing[] {
  const criteria = criteriaOf(options.objective);
  const encoding = encodingOf(space);
  const observed = observe(history, encoding, criteria);
  const model = buildModel(encoding, criteria, observed, {
    ...options,
    seed: deriveSeed(history.seed, history.trials.length),
  });
  const confidence = options.confidence ?? 0.9;
  const standings = observed.measured.map((observation) => ({
    trialIds: observation.trials.map(({ id }) => id),
    configuration: encoding.decode(observation.coordinates),
    ...(model ? byModel(model, observation) : byMeans(criteria, observation)),
  }));
  const infeasible = (standing: Standing) => Number(standing.probabilityFeasible < confidence);
  return standings.sort(
    (a, b) =>
      infeasible(a) - infeasible(b) ||
      (infeasible(a) ? a.excess - b.excess || b.probabilityFeasible - a.probabilityFeasible : 0) ||
      goal(b) - goal(a),
  );
}

function goal(standing: Standing): number {
  return standing.goals[0]?.mean ?? -Infinity;
}

type Beliefs = Pick<Standing, 'goals' | 'probabilityFeasible' | 'excess' | 'noise'>;

function byModel(model: Model, { coordinates }: Observation): Beliefs {
  let logFeasible = 0;
  let excess = 0;
  for (const limit of model.limits) {
    const { mean, deviation } = believe(model, limit, coordinates);
    logFeasible += logCdf(-mean / Math.max(deviation, 1e-9));
    excess += Math.max(0, mean);
  }
  return {
    goals: model.goals.map((learned) => believe(model, learned, coordinates)),
    probabilityFeasible: Math.exp(logFeasible),
    excess,
    noise: model.goals[0] ? trialNoise(model.goals[0]) : 0,
  };
}

/** Before there is a model: the measurements themselves. */
function byMeans(criteria: Criteria, { metrics }: Observation): Beliefs {
  const { goals, limits } = scoreOf(criteria, metrics);
  const excess = limits.reduce((sum, limit) => sum + Math.max(0, limit), 0);
  return {
    goals: goals.map((mean) => ({ mean, deviation: 0 })),
    probabilityFeasible: excess > 0 ? 0 : 1,
    excess,
    noise: 0,
  };
}

function bestFront(standings: readonly Standing[]): Best {
  const points = standings.map(({ goals }) => goals.map(({ mean }) => mean) as unknown as Point3);
  const front = paretoFront(points).flatMap((i) => standings[i] ?? []);
  const volume = (standing: Standing) => hypervolume([standing.goals.map(({ mean }) => mean) as unknown as Point3]);
  const [incumbent] = [...front].sort((a, b) => volume(b) - volume(a));
  return { ...(incumbent ? { incumbent } : {}), feasible: true, front, hypervolume: hypervolume(points) };
}
