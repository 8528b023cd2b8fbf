import type { CascadeAsks, CascadeStepInput } from '../../../plans/protocol/activities.js';
import { beating } from '../../heartbeat.js';
import { publishProgress } from '../../progress.js';
import { type CascadePorts, openCascade, writeStep } from './files.js';
import { fitProxy } from './fit-proxy.js';
import { drawOf, readScores } from './scores.js';

/** Draws the inputs that the oracle is asked about first, by the proxy's scores; none where all will be asked anyway. */
export function createSampleCascade(ports: CascadePorts) {
  return (input: CascadeStepInput): Promise<CascadeAsks> =>
    beating(ports.scope(), async () => {
      const job = await openCascade(ports, input);
      const { fitted } = job.strategy;
      if (fitted === 'embedding' || fitted === 'lexicon') await fitProxy(ports, input, job, fitted);
      const { inputs, scores } = await readScores(ports, input, job);
      const draw = await drawOf(ports, input, job, scores);
      const chosen = new Set(draw.kind === 'sample' ? draw.plan.indices.map((at) => inputs[at] ?? -1) : []);
      const asks = await writeStep(ports, input, job, 'sample', { count: chosen.size, has: (at) => chosen.has(at) });
      await publishProgress(ports, job.plan, 'running');
      return asks;
    });
}
