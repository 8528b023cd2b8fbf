import { criteriaOf, type Objective, scoreOf } from '../tuning/objective/objective.js';
import { evaluate, type Evaluation } from './evaluate.js';
import { aloneConfiguration } from './space.js';
import type { SearchTable } from './table.js';

/** Sums of an evaluation by the names that the tuner knows. */
export type TrialMetrics = Pick<Evaluation, 'quality' | 'latencySeconds' | 'costUsd'> &
  Readonly<Record<string, number>>;

/**
 * U = w_q·Q − w_l·L̂ − w_c·Ĉ, measured against the default model on the same rows. Where that is free (a local model), the
 * dearest implementation stands in for it: nothing can be a share of nought.
 */
export function objectiveOf(table: SearchTable): Objective & { readonly mode: 'utility' } {
  const alone = table.contenders.map((_, at) => evaluate(table, aloneConfiguration(table, at)));
  const reference = (of: 'latencySeconds' | 'costUsd'): number => {
    const direct = alone[table.direct]?.[of] ?? 0;
    return direct > 0 ? direct : Math.max(...alone.map((one) => one[of]));
  };
  return {
    mode: 'utility',
    weights: table.weights,
    reference: { latencySeconds: reference('latencySeconds'), costUsd: reference('costUsd') },
  };
}

export function utilityOf(objective: Objective, metrics: TrialMetrics): number {
  return scoreOf(criteriaOf(objective), metrics).goals[0] ?? Number.NaN;
}

export function trialMetrics({ quality, latencySeconds, costUsd }: Evaluation): TrialMetrics {
  return { quality, latencySeconds, costUsd };
}
