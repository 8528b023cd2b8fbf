import { titleOf } from '../cascade-records.js';
import type { EnteredBlock } from '../relational/enter-block.js';
import { countInputs } from '../relational/estimate-calls.js';
import type { PlanQueryPorts } from '../relational/plan-query.js';
import { wayOf } from './choose-way.js';
import { drawn } from './profile-inputs.js';

/** How each call of the first block would be answered, one sentence each: what `--optimize` would choose now. Asks nobody. */
export async function wayNotes(ports: PlanQueryPorts, { plan, rows }: EnteredBlock): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const planned of plan.calls) {
    if (planned.schedule.optimize === undefined) continue;
    const { distinct, sample } = await countInputs(ports, plan, planned, rows);
    const some = (size: number) => Promise.resolve(drawn(sample, size));
    const { why } = await wayOf(ports, plan, planned, { inputs: distinct, some });
    notes.push(`${titleOf(planned)} ${why}`);
  }
  return notes;
}
