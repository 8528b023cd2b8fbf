import type { RoutedPlan } from '../../plans/physical/routed/plan.js';
import { type TakenWay, type TakeWayInput, withoutChoice } from '../../plans/protocol/operator.js';
import { planObjects, type PlanUse } from '../../plans/protocol/saved-plan.js';
import { allCalls, type PlannedCall, type RunPlan } from '../../plans/protocol/run-plan.js';
import { titleOf } from '../cascade-records.js';
import { beating } from '../heartbeat.js';
import { publishProgress } from '../progress.js';
import type { PlanQueryPorts } from '../relational/plan-query.js';
import { withPlan } from '../relational/plan-routed.js';
import { loadJson, loadPlan, plannedCall } from '../run-plans.js';
import { asksOf } from './asks.js';

/**
 * Makes the way that was chosen part of the run's plan, and says so in its notes. Throws `BadPlan`, `UnknownModel` or
 * `ModalityUnsupported` for a routed plan that cannot answer the call.
 */
export function createTakeWay(ports: PlanQueryPorts) {
  return (input: TakeWayInput): Promise<TakenWay> =>
    beating(ports.scope(), async () => {
      const plan = await loadPlan(ports.store, input.plan);
      const planned = plannedCall(plan, input.call);
      const taken = await answered(ports, planned, input);
      const asked = input.search === undefined ? [] : asksOf(await loadPlan(ports.store, input.search));
      const replaced = (calls: readonly PlannedCall[]): readonly PlannedCall[] =>
        calls.map((one) => (one.call.id === input.call ? { ...one, schedule: taken.schedule } : one));
      const next: RunPlan = {
        ...plan,
        calls: replaced(plan.calls),
        all: [...replaced(allCalls(plan)), ...asked],
        ways: { ...plan.ways, [input.call]: `${titleOf(planned)} ${input.why}` },
      };
      if (input.kept !== undefined) {
        const use: PlanUse = { v: 1, at: ports.clock.now() };
        const name = planObjects.use(input.kept, input.runId, input.call);
        await ports.store.putNamed(name, new TextEncoder().encode(JSON.stringify(use)));
      }
      await publishProgress(ports, next, 'running');
      const hash = await ports.store.put(new TextEncoder().encode(JSON.stringify(next)));
      return { plan: hash, call: taken.schedule };
    });
}

async function answered(ports: PlanQueryPorts, planned: PlannedCall, input: TakeWayInput): Promise<PlannedCall> {
  if (input.again === true) return planned;
  const chosen: PlannedCall = { ...planned, schedule: withoutChoice(planned.schedule) };
  if (input.routed === undefined) return chosen;
  return withPlan(ports, chosen, await loadJson<RoutedPlan>(ports.store, input.routed));
}
