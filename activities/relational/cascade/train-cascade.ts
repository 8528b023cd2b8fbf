import type { CascadeAsks, CascadeStepInput } from '../../../plans/protocol/activities.js';
import { drawTraining } from '../../../plans/physical/cascade/fitted/training.js';
import { beating } from '../../heartbeat.js';
import { publishProgress } from '../../progress.js';
import { type CascadeJob, type CascadePorts, openCascade, writeStep } from './files.js';
import { scoreKeyedPairs } from './keyed-pairs.js';
import { scoreNearPairs } from './near-pairs.js';

/** Draws the inputs that the oracle answers for the proxy to be fitted to; of pairs, those that are most alike or share a key. */
export function createTrainCascade(ports: CascadePorts) {
  return (input: CascadeStepInput): Promise<CascadeAsks> =>
    beating(ports.scope(), async () => {
      const job = await openCascade(ports, input);
      const chosen = await chosenFirst(ports, input, job);
      const asks = await writeStep(ports, input, job, 'train', { count: chosen.size, has: (at) => chosen.has(at) });
      await publishProgress(ports, job.plan, 'running');
      return asks;
    });
}

async function chosenFirst(
  ports: CascadePorts,
  input: CascadeStepInput,
  job: CascadeJob,
): Promise<ReadonlySet<number>> {
  const { fitted } = job.strategy;
  if (fitted === 'nearness') return scoreNearPairs(ports, input, job);
  if (fitted === 'keys') return scoreKeyedPairs(ports, input, job);
  return new Set(drawTraining(job.prepared.inputs, job.seed));
}
