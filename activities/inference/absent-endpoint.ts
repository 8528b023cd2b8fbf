/** A model that was never reached in a run is told from one that is away for a while: only the latter is waited for. */
import type { SemanticCall } from '../../plans/operators/call.js';
import { cascadeSteps, stepId, stepSchedule } from '../../plans/physical/cascade/steps.js';
import { routedId, routedSchedule, stepsOf } from '../../plans/physical/routed/steps.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { allCalls, type PlannedCall, type RunPlan } from '../../plans/protocol/run-plan.js';
import type { Ledger, Model } from '../ports.js';
import type { Outcome } from './outcome.js';

/** What went wrong when calls were made in a pass and nobody was there for any of them; else undefined. */
function absence(outcomes: readonly Outcome[]): string | undefined {
  let message: string | undefined;
  for (const outcome of outcomes) {
    if (outcome.state === 'transient' && outcome.absent === true) message ??= outcome.message;
    else if (outcome.state === 'transient' || (outcome.state === 'ok' && !outcome.cached)) return undefined;
  }
  return message;
}

interface Pass {
  readonly ledger: Ledger;
  readonly plan: RunPlan;
  readonly call: SemanticCall;
  readonly model: Model;
  readonly outcomes: readonly Outcome[];
}

/**
 * Every reply is in the ledger with its tokens, whichever process had it: no tokens means no reply, ever.
 *
 * @throws FermataError `EndpointUnreachable` when nobody was there in this pass, nor in any call of the run to that model
 */
export async function requirePresence({ ledger, plan, call, model, outcomes }: Pass): Promise<void> {
  const message = absence(outcomes);
  if (message === undefined) return;
  const replied = async (operator?: string): Promise<number> => {
    const { inputTokens, outputTokens } = await ledger.spend(plan.runId, operator);
    return inputTokens + outputTokens;
  };
  const elsewhere = await Promise.all(
    allCalls(plan)
      .flatMap((planned) => askingOthers(planned, model.name))
      .map(replied),
  );
  const own = (await replied()) - elsewhere.reduce((sum, tokens) => sum + tokens, 0);
  if (own > 0) return;
  throw new FermataError(
    'EndpointUnreachable',
    `model ${model.name} was never reached${model.endpoint === undefined ? '' : ` at ${model.endpoint}`}: ${message}`,
    {
      where: { operator: call.id },
      hint: 'start the endpoint, or correct its address: baseUrl in fermata.yaml, or OPENAI_BASE_URL (fermata doctor)',
    },
  );
}

/** Ids under which a call spends on other models. */
function askingOthers({ call, schedule }: PlannedCall, model: string): readonly string[] {
  const { routed } = schedule;
  if (routed !== undefined) {
    const others = stepsOf(routed).filter((step) => routedSchedule(schedule, step).model !== model);
    return others.map((step) => routedId(call.id, step));
  }
  if (schedule.strategy === undefined) return schedule.model === model ? [] : [call.id];
  return cascadeSteps
    .filter((step) => stepSchedule(schedule, step).model !== model)
    .map((step) => stepId(call.id, step));
}
