/** The inputs that the oracle answers before the sample is drawn, and what it said of them. */
import type { CascadeStepInput } from '../../../plans/protocol/activities.js';
import { runObjects } from '../../../plans/protocol/run-plan.js';
import { drawTraining } from '../../../plans/physical/cascade/fitted/training.js';
import { readsSides, stepId, stepPartitionRows } from '../../../plans/physical/cascade/steps.js';
import { type CascadeJob, type CascadePorts, readAnswers } from './files.js';

/** Numbers of the inputs, ascending; none where the proxy is not fitted. */
export async function trainedInputs(
  ports: CascadePorts,
  input: CascadeStepInput,
  { strategy, prepared, seed }: CascadeJob,
): Promise<readonly number[]> {
  if (strategy.fitted === undefined) return [];
  if (!readsSides(strategy)) return drawTraining(prepared.inputs, seed);
  const chosen: number[] = [];
  for (let partition = 0; ; partition += 1) {
    const name = runObjects.inputs(input.runId, input.wave, stepId(input.call, 'train'), partition);
    const bytes = await ports.store.getNamed(name);
    if (bytes === undefined) return chosen;
    chosen.push(...ports.codec.decodeInputs(bytes).map((row) => row.in));
  }
}

/** The oracle's answers to them, by number of the input; failed ones are left out. */
export async function trainingLabels(
  ports: CascadePorts,
  input: CascadeStepInput,
  job: CascadeJob,
): Promise<ReadonlyMap<number, boolean>> {
  const { length: size } = await trainedInputs(ports, input, job);
  const partitions = Math.ceil(size / stepPartitionRows(job.planned.schedule, size));
  const labels = new Map<number, boolean>();
  for (let partition = 0; partition < partitions; partition += 1) {
    for (const row of await readAnswers(ports, input, 'train', partition)) {
      if (row.state === 'ok') labels.set(row.in, row.value === 'true');
    }
  }
  return labels;
}
