import { FermataError } from '../plans/protocol/errors.js';
import type { SearchStatus, TriedPlan } from '../plans/protocol/search.js';
import type { optimize } from '../workflows/optimize.js';
import type { Optimization } from './api.js';
import { messages, openControlled, readJson, type RunPorts } from './controlled.js';

/** Handle of a search for a plan, by its id. */
export function openOptimization(id: string, ports: RunPorts): Optimization {
  const { handle, guarded, common } = openControlled<typeof optimize>(id, ports);
  return {
    ...common,
    status: (): Promise<SearchStatus> => guarded(async () => handle.query((await messages()).searchStatusQuery)),
    plan: async () => new TextDecoder().decode(await ports.store.get((await common.result()).plan)),
    tried: async () => {
      const { tried } = await common.result();
      const plans = await readJson<readonly TriedPlan[]>(ports.store.get(tried));
      if (plans === undefined) throw new FermataError('BadData', `what ${id} tried cannot be read`);
      return plans;
    },
    accept: async () => {
      await guarded(async () => handle.executeUpdate((await messages()).acceptUpdate));
    },
  };
}
