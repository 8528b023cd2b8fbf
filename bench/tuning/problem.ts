import type { Metrics } from '../../plans/tuning/history.js';
import type { Objective } from '../../plans/tuning/objective/objective.js';

/** A test problem on [0, 1]^d, all metrics maximised; limits `g0`, `g1`, … kept where ≤ 0. */
export interface Problem {
  readonly name: string;
  readonly dimensions: number;
  readonly objective: Objective;
  readonly noisy: boolean;
  /** Best goal known; undefined for fronts. */
  readonly optimum?: number;
  truth(x: readonly number[]): Metrics;
  /** Noisy trials of one seed, in order. */
  observer(seed: number): (x: readonly number[]) => Metrics;
}
