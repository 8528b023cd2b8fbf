/** How a call is answered by a routed plan. */
import { strategyProblem } from '../../plans/physical/strategies.js';
import { partsAmiss } from '../../plans/physical/routed/misfit.js';
import type { RoutedPlan } from '../../plans/physical/routed/plan.js';
import { FermataError } from '../../plans/protocol/errors.js';
import type { PlannedCall } from '../../plans/protocol/run-plan.js';
import { chooseModel } from './choose-model.js';
import type { StrategyPorts } from './plan-strategy.js';
import { scheduleCall } from './schedule.js';

/**
 * The call with what the plan says of it. Throws before anything is spent: `BadPlan` for a plan whose parts do not go with the
 * call, `UnknownModel` or `ModalityUnsupported` for a model of it.
 */
export async function withPlan(ports: StrategyPorts, planned: PlannedCall, plan: RoutedPlan): Promise<PlannedCall> {
  const { call } = planned;
  const where = { operator: call.parameters.kind, position: call.position };
  const [amiss] = partsAmiss(plan, call);
  if (amiss !== undefined) throw new FermataError('BadPlan', `the plan does not fit its call: ${amiss}`, { where });
  const [only, ...others] = plan.implementations;
  if (only === undefined || others.length > 0 || only.family === 'symbolic')
    throw new FermataError('BadPlan', 'plans of one model are run so far', { where });
  const model = await chooseModel(ports, { ...call, model: only.model }, undefined);
  await chooseModel(ports, { ...call, model: plan.safety.model }, undefined);
  const { batch } = only;
  const problem = batch === undefined ? undefined : strategyProblem(call, 'batched');
  if (problem !== undefined)
    throw new FermataError('BadPlan', `${only.name} asks in batches, but ${problem}`, { where });
  const schedule = scheduleCall(call, model, ports.queueOf(model.name), 0, undefined);
  return {
    call,
    schedule: { ...schedule, ...(batch === undefined ? {} : { prompts: { kind: 'batched', size: batch } }) },
  };
}
