/** How a call is answered by a routed plan. */
import { strategyProblem } from '../../plans/physical/strategies.js';
import { partsAmiss } from '../../plans/physical/routed/misfit.js';
import type { RoutedImplementation, RoutedPlan } from '../../plans/physical/routed/plan.js';
import type { SemanticCall } from '../../plans/operators/call.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { queues } from '../../plans/protocol/queues.js';
import type { PlannedCall } from '../../plans/protocol/run-plan.js';
import type { RoutedBy } from '../../plans/protocol/strategy.js';
import type { ObjectStore } from '../ports.js';
import { chooseModel } from './choose-model.js';
import { routedRows } from './enter-block.js';
import type { StrategyPorts } from './plan-strategy.js';
import { scheduleCall } from './schedule.js';

export interface RoutedPlanPorts extends StrategyPorts {
  readonly store: Pick<ObjectStore, 'put'>;
}

/** Partitions of programs in flight: the sandbox has a few children. */
const programWindow = 4;

/**
 * The call with what the plan says of it. Throws before anything is spent: `BadPlan` for a plan whose parts do not go with the
 * call, `UnknownModel` or `ModalityUnsupported` for a model of it.
 */
export async function withPlan(ports: RoutedPlanPorts, planned: PlannedCall, plan: RoutedPlan): Promise<PlannedCall> {
  const { call, schedule } = planned;
  const [amiss] = partsAmiss(plan, call);
  if (amiss !== undefined) throw badPlan(call, `the plan does not fit its call: ${amiss}`);
  const implementations: RoutedBy[] = [];
  for (const [at, one] of plan.implementations.entries())
    implementations.push({ ...(await answeredBy(ports, call, one)), threshold: plan.thresholds[at] ?? 0 });
  const { model, margin, share } = plan.safety;
  const safe = { name: model, ...(await askedOf(ports, call, model)), threshold: 0 };
  const stored = await ports.store.put(new TextEncoder().encode(JSON.stringify(plan)));
  return { call, schedule: { ...schedule, routed: { plan: stored, implementations, safe, margin, share } } };
}

async function answeredBy(
  ports: StrategyPorts,
  call: SemanticCall,
  one: RoutedImplementation,
): Promise<Omit<RoutedBy, 'threshold'>> {
  const { name } = one;
  if (!('model' in one)) {
    return { name, model: name, queue: queues.cpu, partitionRows: routedRows, window: programWindow, program: true };
  }
  const asked = await askedOf(ports, call, one.model);
  if (one.batch === undefined) return { name, ...asked };
  const problem = strategyProblem(call, 'batched');
  if (problem !== undefined) throw badPlan(call, `${name} asks in batches, but ${problem}`);
  return { name, ...asked, prompts: { kind: 'batched', size: one.batch } };
}

/** A model over a number of inputs that is not known yet: large partitions at most, as many in flight as keep it busy with small ones. */
async function askedOf(
  ports: StrategyPorts,
  call: SemanticCall,
  name: string,
): Promise<Omit<RoutedBy, 'name' | 'threshold'>> {
  const model = await chooseModel(ports, { ...call, model: name }, undefined);
  const queue = ports.queueOf(model.name);
  const { window, retries } = scheduleCall(call, model, queue, 0, undefined);
  const { partitionRows } = scheduleCall(call, model, queue, Infinity, undefined);
  return { model: model.name, queue, partitionRows, window, ...(retries === undefined ? {} : { retries }) };
}

function badPlan({ parameters, position }: SemanticCall, message: string): FermataError {
  return new FermataError('BadPlan', message, { where: { operator: parameters.kind, position } });
}
