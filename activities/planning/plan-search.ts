import type { SemanticCall } from '../../plans/operators/call.js';
import { FermataError } from '../../plans/protocol/errors.js';
import type { RunPlan } from '../../plans/protocol/run-plan.js';
import type { PlannedSearch, PlanSearchInput, SearchRequest } from '../../plans/protocol/search.js';
import { searchProblem } from '../../plans/optimize/supported.js';
import { beating } from '../heartbeat.js';
import { firstBlock, type PlanQueryPorts } from '../relational/plan-query.js';
import { loadJson } from '../run-plans.js';
import { planAsks, schedulesOf } from './asks.js';

/**
 * Checks the query and everyone who will be asked, before anything is. Throws `UnsupportedSql` for a query that cannot be
 * optimized, `UnknownModel` or `ModalityUnsupported` for a teacher or candidate that cannot answer it.
 */
export function createPlanSearch(ports: PlanQueryPorts) {
  return (input: PlanSearchInput): Promise<PlannedSearch> =>
    beating(ports.scope(), async () => {
      const { query, search } = await loadJson<SearchRequest>(ports.store, input.request);
      const { plan, rows } = await firstBlock(ports, input.runId, query);
      const [planned, ...more] = plan.all ?? plan.calls;
      const problem = searchProblem(plan.query, planned?.call, more.length);
      if (planned === undefined || problem !== undefined) {
        throw new FermataError('UnsupportedSql', problem ?? 'the query asks no model', {
          ...(planned === undefined ? {} : { where: placeOf(planned.call) }),
          hint: 'optimize takes a query with one AI_FILTER, AI_CLASSIFY, AI_SCORE, AI_SENTIMENT or AI_COMPLETE of texts',
        });
      }
      const asks = await planAsks(ports, planned, search);
      const whole: RunPlan = { ...plan, calls: [planned, ...asks], all: asks };
      return {
        plan: await ports.store.put(new TextEncoder().encode(JSON.stringify(whole))),
        call: planned.schedule,
        rows,
        asks: schedulesOf(asks),
        trials: search.trials,
      };
    });
}

function placeOf(call: SemanticCall): { readonly operator: string; readonly position: number } {
  return { operator: call.parameters.kind, position: call.position };
}
