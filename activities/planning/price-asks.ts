import { type CallFacts, estimateCalls } from '../../plans/cost/index.js';
import type { PlannedCall, RunPlan } from '../../plans/protocol/run-plan.js';
import type { Estimate } from '../../plans/protocol/run.js';
import type { InputRow } from '../ports.js';
import { factsOf } from '../relational/estimate-calls.js';
import type { PlanQueryPorts } from '../relational/plan-query.js';

/** An estimate of each asking of a sample; a model that two of them ask is paid once. */
export async function priceAsks(
  ports: PlanQueryPorts,
  plan: RunPlan,
  asks: readonly PlannedCall[],
  sample: readonly InputRow[],
): Promise<Estimate> {
  const facts: CallFacts[] = [];
  for (const planned of asks) {
    if (facts.some(({ model }) => model === planned.schedule.model)) continue;
    const model = await ports.models.get(planned.schedule.model);
    const counted = { distinct: sample.length, sample, rows: sample.length };
    facts.push({ ...(await factsOf(ports, plan, planned, model, counted)), role: 'value' });
  }
  return estimateCalls(facts);
}
