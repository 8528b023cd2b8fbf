import type { CascadeAsks, CascadeStepInput } from '../../../plans/protocol/activities.js';
import { beating } from '../../heartbeat.js';
import { publishProgress } from '../../progress.js';
import { type CascadePorts, openCascade } from './files.js';
import { writeSides } from './near-pairs.js';

/** Takes the values of both sides of a join apart, for the embedding model to read each once. */
export function createEmbedSides(ports: CascadePorts) {
  return (input: CascadeStepInput): Promise<CascadeAsks> =>
    beating(ports.scope(), async () => {
      const job = await openCascade(ports, input);
      const asks = await writeSides(ports, input, job);
      await publishProgress(ports, job.plan, 'running');
      return asks;
    });
}
