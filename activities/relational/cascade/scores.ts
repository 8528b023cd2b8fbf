import type { CascadeStepInput } from '../../../plans/protocol/activities.js';
import type { AnswerRow } from '../../ports.js';
import { type Draw, drawSample } from '../../../plans/physical/cascade/draw.js';
import { drawNone, drawRare } from '../../../plans/physical/cascade/rare.js';
import { type AskAll, refuse } from '../../../plans/physical/cascade/thresholds.js';
import { readsSides, scoringStep } from '../../../plans/physical/cascade/steps.js';
import { type CascadeJob, type CascadePorts, readAnswers } from './files.js';
import { trainingLabels } from './training.js';

/** The proxy's word on the inputs of a wave that it has answered, in their order. */
export interface Scores {
  /** Numbers of the inputs. */
  readonly inputs: Int32Array;
  /** Probability in [0,1] that the answer is true. */
  readonly scores: Float64Array;
}

/** Probability that an answer of the proxy's gives to "true"; a proxy that does not say how sure it is, is sure. */
export function scoreOf(row: AnswerRow | undefined): number | undefined {
  if (row?.state !== 'ok' || (row.value !== 'true' && row.value !== 'false')) return undefined;
  const sure = Math.min(1, Math.max(0, row.confidence ?? 1));
  return row.value === 'true' ? sure : 1 - sure;
}

/** Reads the proxy's answers partition by partition: 12 bytes an input are kept. */
export async function readScores(ports: CascadePorts, input: CascadeStepInput, job: CascadeJob): Promise<Scores> {
  const inputs = new Int32Array(job.prepared.inputs);
  const scores = new Float64Array(job.prepared.inputs);
  let count = 0;
  for (let partition = 0; partition < job.prepared.partitions; partition += 1) {
    for (const row of await readAnswers(ports, input, scoringStep(job.strategy), partition)) {
      const score = scoreOf(row);
      if (score === undefined) continue;
      inputs[count] = row.in;
      scores[count] = score;
      count += 1;
    }
  }
  return { inputs: inputs.subarray(0, count), scores: scores.subarray(0, count) };
}

/** The sample of a cascade, or why all is asked; the same in every activity of it. */
export async function drawOf(
  ports: CascadePorts,
  input: CascadeStepInput,
  job: CascadeJob,
  scores: Float64Array,
): Promise<Draw | AskAll> {
  const { strategy, seed } = job;
  const { targets } = strategy;
  // keys that drop no pair, or are not tested, need no sample
  if (strategy.fitted === 'keys' && (scores.length === 0 || targets.recall === undefined))
    return drawNone(scores, seed);
  if (strategy.fitted !== undefined && scores.length === 0) return refuse('nothing-to-fit');
  if (!readsSides(strategy)) return drawSample(scores, targets, seed);
  return drawRare({ scores, found: await foundFirst(ports, input, job), targets, seed });
}

/** True pairs among those that were asked about first. */
export async function foundFirst(ports: CascadePorts, input: CascadeStepInput, job: CascadeJob): Promise<number> {
  const labels = await trainingLabels(ports, input, job);
  return Array.from(labels.values()).filter(Boolean).length;
}
