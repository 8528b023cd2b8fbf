import type { CascadeAsks, CascadeStepInput } from '../../../plans/protocol/activities.js';
import { beating } from '../../heartbeat.js';
import { publishProgress } from '../../progress.js';
import { type CascadePorts, openCascade } from './files.js';
import { writeSides } from './pair-values.js';

/** Takes the values of both sides of a join apart, for a model to read each once: to embed it, or to name its keys. */
export function createEmbedSides(ports: CascadePorts) {
  return (input: CascadeStepInput): Promise<CascadeAsks> =>
    beating(ports.scope(), async () => {
      const job = await openCascade(ports, input);
      const asks = await writeSides(ports, input, job);
      await publishProgress(ports, job.plan, 'running');
      return asks;
    });
}
