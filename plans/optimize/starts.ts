/** What a search tries first: each implementation alone, the tuner's regimes, and the best cutpoints row by row. */
import { optimiseCutpoints, type RowRecord, smoothed } from '../tuning/counterfactual/cutpoints.js';
import type { Configuration } from '../tuning/space.js';
import { regimeStarts } from '../tuning/warm-starts.js';
import { objectiveOf, utilityOf } from './objective.js';
import { configurationOf, type TriedSetting } from './settings.js';
import { aloneConfiguration, plainConfiguration, spaceOf } from './space.js';
import type { SearchTable } from './table.js';

/** Difficulty within which rows are taken to be alike, in shares of all. */
const bandwidth = 0.1;

/**
 * The default model alone comes first: trial 0. Then what earlier searches found best. `right[k][row]`: whether contender k is right about
 * the row.
 */
export function startsOf(
  table: Omit<SearchTable, 'starts'>,
  right: readonly (readonly boolean[])[],
  earlier: readonly TriedSetting[],
): readonly Configuration[] {
  const known: SearchTable = { ...table, starts: [] };
  const others = table.contenders.flatMap((_, at) => (at === table.direct ? [] : [aloneConfiguration(known, at)]));
  return [
    aloneConfiguration(known, table.direct),
    ...earlier.map((setting) => configurationOf(table, setting)),
    ...others,
    ...[bestCutpoints(known, right, true), bestCutpoints(known, right, false)],
    ...regimeStarts(spaceOf(known)),
  ];
}

/** By the share of right rows instead of the metric, which need not be a mean over rows; smoothed, less of it is the sample's luck. */
function bestCutpoints(table: SearchTable, right: readonly (readonly boolean[])[], smooth: boolean): Configuration {
  const order = [...table.percentiles.keys()].sort(
    (a, b) => (table.percentiles[a] ?? 0) - (table.percentiles[b] ?? 0) || a - b,
  );
  const objective = objectiveOf(table);
  const records = table.contenders.map(({ seconds, answers }, at): RowRecord => {
    const quality = order.map((row) => Number(right[at]?.[row] ?? false));
    return {
      quality: smooth ? smoothed(quality, bandwidth) : quality,
      seconds: order.map(() => seconds),
      usd: order.map((row) => answers[row]?.usd ?? 0),
    };
  });
  const { masses } = optimiseCutpoints(records, ({ quality = 0, latencySeconds = 0, costUsd = 0 }) =>
    utilityOf(objective, { quality, latencySeconds, costUsd }),
  );
  return plainConfiguration(table, masses);
}
