/** One trial: a suggestion from the trials before it, and what it comes to on the sample. */
import { emptyHistory, recordTrial, type TrialHistory } from '../tuning/history.js';
import { type Suggestion, suggest } from '../tuning/suggest.js';
import { evaluate } from './evaluate.js';
import { objectiveOf, trialMetrics, type TrialMetrics, utilityOf } from './objective.js';
import { spaceOf } from './space.js';
import type { SearchTable } from './table.js';

export interface TrialDone {
  readonly history: TrialHistory;
  readonly metrics: TrialMetrics;
  readonly utility: number;
  readonly origin: Suggestion['origin'];
}

export function newHistory({ seed, labels }: SearchTable): TrialHistory {
  return emptyHistory(seed, labels.length);
}

/**
 * The next trial after those of the history; undefined when there is nothing left to try. It hangs on the table and the history
 * alone. Latency and cost are computed for any configuration, so only quality is modelled.
 */
export function nextTrial(table: SearchTable, history: TrialHistory): TrialDone | undefined {
  const objective = objectiveOf(table);
  const [suggestion] = suggest(history, spaceOf(table), {
    objective,
    warmStarts: table.starts,
    deterministic: true,
    knownMetrics: (configuration) => trialMetrics(evaluate(table, configuration)),
  });
  if (suggestion === undefined) return undefined;
  const { configuration, origin } = suggestion;
  const metrics = trialMetrics(evaluate(table, configuration));
  const trial = { id: String(history.trials.length), configuration, status: 'done', metrics, priceUsd: 0 } as const;
  return { history: recordTrial(history, trial), metrics, utility: utilityOf(objective, metrics), origin };
}
