import { newHistory, nextTrial } from '../../plans/optimize/trial.js';
import type { SearchTable } from '../../plans/optimize/table.js';
import type { RanTrial, RunTrialInput } from '../../plans/protocol/search.js';
import { readHistory } from '../../plans/tuning/history.js';
import type { JsonValue } from '../../plans/protocol/json.js';
import { beating } from '../heartbeat.js';
import type { ActivityScope, ObjectStore } from '../ports.js';
import { loadJson } from '../run-plans.js';

export interface RunTrialPorts {
  readonly store: ObjectStore;
  scope(): ActivityScope;
}

/** Suggests the next trial and computes it. The same table and history give the same trial, however often it is run. */
export function createRunTrial(ports: RunTrialPorts) {
  return ({ table: hash, history }: RunTrialInput): Promise<RanTrial> =>
    beating(ports.scope(), async () => {
      const table = await loadJson<SearchTable>(ports.store, hash);
      const before =
        history === undefined ? newHistory(table) : readHistory(await loadJson<JsonValue>(ports.store, history));
      const next = nextTrial(table, before);
      if (next === undefined) return {};
      const { utility, metrics } = next;
      return {
        done: {
          history: await ports.store.put(new TextEncoder().encode(JSON.stringify(next.history))),
          trial: { trial: before.trials.length, utility, ...metrics },
        },
      };
    });
}
