import type { CascadeAsks, CascadeStepInput } from '../../../plans/protocol/activities.js';
import { drawTraining } from '../../../plans/physical/cascade/fitted/training.js';
import { beating } from '../../heartbeat.js';
import { publishProgress } from '../../progress.js';
import { type CascadePorts, openCascade, writeStep } from './files.js';
import { scoreNearPairs } from './near-pairs.js';

/** Draws the inputs that the oracle answers for the proxy to be fitted to; of pairs, those that are most alike. */
export function createTrainCascade(ports: CascadePorts) {
  return (input: CascadeStepInput): Promise<CascadeAsks> =>
    beating(ports.scope(), async () => {
      const job = await openCascade(ports, input);
      const chosen =
        job.strategy.fitted === 'nearness'
          ? await scoreNearPairs(ports, input, job)
          : new Set(drawTraining(job.prepared.inputs, job.seed));
      const asks = await writeStep(ports, input, job, 'train', { count: chosen.size, has: (at) => chosen.has(at) });
      await publishProgress(ports, job.plan, 'running');
      return asks;
    });
}
