/** Calls of a query whose way is chosen while it runs (`--optimize`). */
import { callProblem } from '../../plans/optimize/supported.js';
import type { PlannedCall } from '../../plans/protocol/run-plan.js';
import type { RunRequest } from '../../plans/protocol/run.js';
import type { SearchRequest } from '../../plans/protocol/search.js';
import { titleOf } from '../cascade-records.js';
import { planAsks } from '../planning/asks.js';
import type { PlanQueryPorts } from './plan-query.js';
import type { PlannedStrategy } from './plan-strategy.js';

/**
 * The calls, those that there are plans for marked. Throws before anything is spent `UnknownModel` or `ModalityUnsupported` for a
 * teacher or candidate, `BadArgument` for too many.
 */
export async function planOptimize(
  ports: PlanQueryPorts,
  calls: readonly PlannedCall[],
  query: RunRequest,
): Promise<PlannedStrategy> {
  const { optimize } = query;
  if (optimize === undefined) return { calls, notes: [] };
  const { above, search } = optimize;
  const request = await ports.store.put(
    new TextEncoder().encode(JSON.stringify({ v: 1, query, search } satisfies SearchRequest)),
  );
  const notes: string[] = [];
  const planned: PlannedCall[] = [];
  for (const one of calls) {
    const { rounds, strategy } = one.schedule;
    const problem = callProblem(one.call) ?? ((rounds ?? strategy) ? 'it is answered in rounds' : undefined);
    if (problem === undefined) {
      await planAsks(ports, one, search, true);
      planned.push({ ...one, schedule: { ...one.schedule, optimize: { request, above } } });
      continue;
    }
    notes.push(`${titleOf(one)} runs without a search for a plan: ${problem}`);
    planned.push(one);
  }
  return { calls: planned, notes };
}
