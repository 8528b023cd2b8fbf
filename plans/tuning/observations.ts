/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { largestStep } from './acquisition/maximize.js';
import type { Encoding } from './encoding.js';
import type { Metrics, Trial, TrialHistory } from './history.js';
import type { Criteria } from './objective/objective.js';
import { scoreOf } from './objective/objective.js';

/** All measured trials of one configuration: their metrics' weighted means. */
export interface Observation {
  readonly coordinates: Float64Array;
  readonly trials: readonly Trial[];
  readonly metrics: Metrics;
  /** Full trials that this is worth: rows seen ÷ rows of a full trial. */
  readonly weight: number;
}

/** A history as the surrogate needs it. */
export interface Observed {
  readonly measured: readonly Observation[];
  /** Configurations that failed or gave metrics that are not finite, and never worked. */
  readonly failed: readonly Float64Array[];
  readonly pending: readonly Float64Array[];
}

/** Closer than this in every coordinate is the same configuration. */
export const sameConfiguration = 1e-6;

export function observe(history: TrialHistory, encoding: Encoding, criteria: Criteria): Observed {
  const groups: { coordinates: Float64Array; trials: Trial[] }[] = [];
  const failures: Float64Array[] = [];
  const pending: Float64Array[] = [];
  for (const trial of history.trials) {
    const coordinates = encoding.encode(trial.configuration);
    if (trial.status === 'pending') pending.push(coordinates);
    else if (!isMeasured(trial, criteria)) failures.push(coordinates);
    else {
      const group = groups.find((entry) => isSame(entry.coordinates, coordinates));
      if (group) group.trials.push(trial);
      else groups.push({ coordinates, trials: [trial] });
    }
  }
  return {
    measured: groups.map((group) => ({ ...group, ...average(group.trials, history.rows) })),
    failed: failures.filter((failure) => !groups.some((group) => isSame(group.coordinates, failure))),
    pending,
  };
}

/** Whether every number that the objective reads is finite. */
export function isMeasured(trial: Trial, criteria: Criteria): boolean {
  if ((trial.status !== 'done' && trial.status !== 'abandoned') || !trial.metrics) return false;
  const { goals, limits } = scoreOf(criteria, trial.metrics);
  return [...goals, ...limits].every(Number.isFinite);
}

export function isSame(a: Float64Array, b: Float64Array): boolean {
  return largestStep(a, b) < sameConfiguration;
}

function average(trials: readonly Trial[], fullRows: number): { metrics: Metrics; weight: number } {
  let weight = 0;
  const sums: Record<string, number> = {};
  for (const trial of trials) {
    const share = Math.max(1, trial.rows ?? fullRows) / fullRows;
    weight += share;
    for (const [name, value] of Object.entries(trial.metrics!)) sums[name] = (sums[name] ?? 0) + share * value;
  }
  return { metrics: Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, sum / weight])), weight };
}
