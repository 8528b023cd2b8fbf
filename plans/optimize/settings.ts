/** What a search found best, by the names of implementations: where the next search for the question begins. */
import type { TrialHistory } from '../tuning/history.js';
import type { Configuration } from '../tuning/space.js';
import { evaluate } from './evaluate.js';
import { objectiveOf, trialMetrics, utilityOf } from './objective.js';
import { configurationFrom, massesOf, thresholdsOf } from './space.js';
import type { SearchTable } from './table.js';

/** One configuration. Plain data. */
export interface TriedSetting {
  /** Share of rows that goes to each implementation first, and below which confidence it passes a row on; by its name. */
  readonly shares: Readonly<Record<string, number>>;
  readonly thresholds: Readonly<Record<string, number>>;
}

/** So many are kept of a search, and tried by the next. */
const mostSettings = 5;

/** The best trials of a search, the best first; trial 0, which every search has, is left out. */
export function bestSettings(table: SearchTable, history: TrialHistory): readonly TriedSetting[] {
  const objective = objectiveOf(table);
  const names = table.contenders.map(({ implementation }) => implementation.name);
  const byName = (values: readonly number[]) => Object.fromEntries(names.map((name, at) => [name, values[at] ?? 0]));
  return history.trials
    .slice(1)
    .map(({ configuration }) => ({
      configuration,
      utility: utilityOf(objective, trialMetrics(evaluate(table, configuration))),
    }))
    .sort((a, b) => b.utility - a.utility)
    .slice(0, mostSettings)
    .map(({ configuration }) => ({
      shares: byName(massesOf(table, configuration)),
      thresholds: byName(thresholdsOf(table, configuration)),
    }));
}

/** A setting among the implementations of another search; the default model takes the rows of those that are gone. */
export function configurationOf(table: Omit<SearchTable, 'starts'>, setting: TriedSetting): Configuration {
  const names = table.contenders.map(({ implementation }) => implementation.name);
  const shares = names.map((name) => setting.shares[name] ?? 0);
  const gone = Math.max(0, 1 - shares.reduce((sum, share) => sum + share, 0));
  const masses = shares.map((share, at) => (at === table.direct ? share + gone : share));
  return configurationFrom(
    table,
    masses,
    names.map((name) => setting.thresholds[name] ?? 0),
  );
}
