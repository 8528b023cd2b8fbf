import type { Trial, TrialHistory } from '../../plans/tuning/history.js';
import { emptyHistory, recordTrial } from '../../plans/tuning/history.js';
import type { KnownMetrics } from '../../plans/tuning/model.js';
import { best } from '../../plans/tuning/best.js';
import { hypervolume } from '../../plans/tuning/objective/hypervolume.js';
import type { Point3 } from '../../plans/tuning/objective/hypervolume.js';
import { criteriaOf, scoreOf } from '../../plans/tuning/objective/objective.js';
import type { Configuration, SearchSpace } from '../../plans/tuning/space.js';
import { suggest } from '../../plans/tuning/suggest.js';
import type { SuggestOptions } from '../../plans/tuning/suggest.js';
import type { Problem } from './problem.js';
import type { OperatorSetting, Router } from './router.js';
import { rows } from './router.js';

/** A way to run the tuner on a problem. `stick` and `grey` exist for routers only. */
export interface Variant {
  readonly method?: 'bayes' | 'sobol' | 'evolution';
  readonly coding?: 'stick' | 'softmax' | 'logits';
  readonly grey?: boolean;
  /** Trials in flight. */
  readonly parallel?: number;
}

export interface RunResult {
  readonly seed: number;
  /** True goal of the pick after all trials; the floor for a pick that truly breaks a limit. */
  readonly truth?: number;
  readonly feasible?: boolean;
  readonly hypervolume?: number;
  readonly secondsPerSuggestion: number;
}

interface Bound {
  readonly space: SearchSpace;
  readonly knownMetrics?: KnownMetrics;
  configurationOf(x: readonly number[]): Configuration;
  observer(seed: number): (configuration: Configuration) => Trial['metrics'];
  truth(configuration: Configuration): NonNullable<Trial['metrics']>;
}

export function isRouter(problem: Problem): problem is Problem & { readonly router: Router } {
  return 'router' in problem;
}

function bind(problem: Problem, variant: Variant): Bound {
  if (isRouter(problem) && variant.coding !== 'logits') return bindRouter(problem, variant);
  const names = Array.from({ length: problem.dimensions }, (_, i) => `x${i}`);
  const point = (configuration: Configuration) => names.map((name) => configuration[name] as number);
  return {
    space: { parameters: names.map((name) => ({ kind: 'continuous', name, low: 0, high: 1 })) },
    configurationOf: (x) => Object.fromEntries(names.map((name, i) => [name, x[i]!])),
    observer(seed) {
      const observe = problem.observer(seed);
      return (configuration) => observe(point(configuration));
    },
    truth: (configuration) => problem.truth(point(configuration)),
    ...(variant.grey && isRouter(problem)
      ? { knownMetrics: (configuration) => problem.router.profile(problem.router.settings(point(configuration))) }
      : {}),
  };
}

export function routerSpace(router: Router, coding: 'stick' | 'softmax'): SearchSpace {
  return {
    parameters: router.operators.flatMap(({ tiers, thresholds }, j) => [
      { kind: 'masses' as const, name: `route${j}`, buckets: tiers.length, coding },
      ...[...thresholds.keys()].map((k) => ({
        kind: 'continuous' as const,
        name: `threshold${j}.${k}`,
        low: 0,
        high: 1,
      })),
    ]),
  };
}

export function settingsOf(router: Router, configuration: Configuration): OperatorSetting[] {
  return router.operators.map(({ thresholds }, j) => ({
    masses: configuration[`route${j}`] as number[],
    thresholds: [...thresholds.keys()].map((k) => configuration[`threshold${j}.${k}`] as number),
  }));
}

export function configurationOf(router: Router, settings: readonly OperatorSetting[]): Configuration {
  return Object.fromEntries(
    router.operators.flatMap(({ thresholds }, j) => [
      [`route${j}`, settings[j]!.masses],
      ...[...thresholds.keys()].map((k, i) => [`threshold${j}.${k}`, settings[j]!.thresholds[i]!]),
    ]),
  ) as Configuration;
}

function bindRouter({ router }: { readonly router: Router }, { coding, grey }: Variant): Bound {
  return {
    space: routerSpace(router, coding === 'softmax' ? 'softmax' : 'stick'),
    configurationOf: (x) => configurationOf(router, router.settings(x)),
    observer(seed) {
      const observe = router.observer(seed);
      return (configuration) => observe(settingsOf(router, configuration));
    },
    truth: (configuration) => router.truth(settingsOf(router, configuration)),
    ...(grey ? { knownMetrics: (configuration) => router.profile(settingsOf(router, configuration)) } : {}),
  };
}

const trials = 20;

/** One seeded run: warm starts, then 20 trials; the oldest of those in flight ends first. */
export function runOnce(
  problem: Problem,
  variant: Variant,
  seed: number,
  warm: readonly (readonly number[])[],
): RunResult {
  const bound = bind(problem, variant);
  const observe = bound.observer(seed);
  let history: TrialHistory = emptyHistory(seed, rows);
  const measure = (id: string, configuration: Configuration) => {
    const metrics = observe(configuration);
    history = recordTrial(history, { id, configuration, status: 'done', ...(metrics ? { metrics } : {}) });
  };
  warm.forEach((x, i) => measure(`warm${i}`, bound.configurationOf(x)));
  const options: SuggestOptions = {
    objective: problem.objective,
    method: variant.method ?? 'bayes',
    deterministic: !problem.noisy,
    ...(bound.knownMetrics ? { knownMetrics: bound.knownMetrics } : {}),
  };
  let seconds = 0;
  const waiting: { id: string; configuration: Configuration }[] = [];
  for (let launched = 0; launched < trials || waiting.length > 0; ) {
    while (launched < trials && waiting.length < (variant.parallel ?? 1)) {
      const start = performance.now();
      const [next] = suggest(history, bound.space, options);
      seconds += (performance.now() - start) / 1000;
      if (!next) throw new Error(`${problem.name}: no suggestion`);
      const entry = { id: `t${launched++}`, configuration: next.configuration };
      waiting.push(entry);
      history = recordTrial(history, { ...entry, status: 'pending' });
    }
    const { id, configuration } = waiting.shift()!;
    measure(id, configuration);
  }
  return { seed, ...judge(problem, bound, history, options), secondsPerSuggestion: seconds / trials };
}

function judge(problem: Problem, bound: Bound, history: TrialHistory, options: SuggestOptions): Partial<RunResult> {
  const criteria = criteriaOf(problem.objective);
  const truthOf = (configuration: Configuration) => scoreOf(criteria, bound.truth(configuration));
  if (criteria.goals.length === 3)
    return {
      hypervolume: hypervolume(history.trials.map((trial) => truthOf(trial.configuration).goals as unknown as Point3)),
    };
  const { incumbent } = best(history, bound.space, options);
  const { goals, limits } = truthOf(incumbent!.configuration);
  const feasible = limits.every((limit) => limit <= 0);
  return { truth: feasible ? goals[0]! : 0, ...(limits.length > 0 ? { feasible } : {}) };
}
