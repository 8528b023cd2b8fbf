import type { CascadeAsks, CascadeStepInput } from '../../../plans/protocol/activities.js';
import { runObjects } from '../../../plans/protocol/run-plan.js';
import { decide } from '../../../plans/physical/cascade/decide.js';
import type { Draw } from '../../../plans/physical/cascade/draw.js';
import { rejectRare, rejectUntested } from '../../../plans/physical/cascade/rare.js';
import { readsSides, stepPartitionRows } from '../../../plans/physical/cascade/steps.js';
import type { CascadeRecord } from '../../../plans/physical/cascade/record.js';
import { type AskAll, type Cascade, learnThresholds } from '../../../plans/physical/cascade/thresholds.js';
import { beating } from '../../heartbeat.js';
import { publishProgress } from '../../progress.js';
import { type CascadeJob, type CascadePorts, openCascade, readAnswers, writeStep } from './files.js';
import { drawOf, foundFirst, readScores, type Scores } from './scores.js';
import { trainedInputs } from './training.js';

/** Learns from the sample's answers what the proxy may decide, and hands what it may not to the oracle. */
export function createLearnCascade(ports: CascadePorts) {
  return (input: CascadeStepInput): Promise<CascadeAsks> =>
    beating(ports.scope(), async () => {
      const job = await openCascade(ports, input);
      const proxy = await readScores(ports, input, job);
      const draw = await drawOf(ports, input, job, proxy.scores);
      const decision = await learn(ports, input, job, proxy, draw);
      const trained = await trainedInputs(ports, input, job);
      const { record, left } = divide(job, { proxy, draw, decision, trained });
      const asks = await writeStep(ports, input, job, 'rest', { count: record.rest, has: (at) => left[at] === 1 });
      await ports.store.putNamed(
        runObjects.cascade(input.runId, input.wave, input.call),
        new TextEncoder().encode(JSON.stringify(record)),
      );
      await publishProgress(ports, job.plan, 'running');
      return asks;
    });
}

async function learn(
  ports: CascadePorts,
  input: CascadeStepInput,
  job: CascadeJob,
  { inputs, scores }: Scores,
  draw: Draw | AskAll,
): Promise<Cascade | AskAll> {
  if (draw.kind === 'ask-all') return draw;
  const accepted = new Set<number>();
  const { length: size } = draw.plan.indices;
  const partitions = Math.ceil(size / stepPartitionRows(job.planned.schedule, size));
  for (let partition = 0; partition < partitions; partition += 1) {
    for (const row of await readAnswers(ports, input, 'sample', partition))
      if (row.state === 'ok' && row.value === 'true') accepted.add(row.in);
  }
  const labels = draw.plan.indices.map((at) => accepted.has(inputs[at] ?? -1));
  const learned = { scores, plan: draw.plan, labels, targets: job.strategy.targets };
  if (!readsSides(job.strategy)) return learnThresholds(learned);
  if (job.strategy.targets.recall === undefined) return rejectUntested();
  return rejectRare({ ...learned, found: await foundFirst(ports, input, job) });
}

interface Known {
  readonly proxy: Scores;
  readonly draw: Draw | AskAll;
  readonly decision: Cascade | AskAll;
  /** Inputs that were answered before the sample. */
  readonly trained: readonly number[];
}

interface Division {
  readonly record: CascadeRecord;
  /** 1 for an input that is left to ask. */
  readonly left: Uint8Array;
}

/** What the proxy decides, and what is left: inputs between the thresholds, and those that it gave no answer for. */
function divide({ prepared }: CascadeJob, { proxy, draw, decision, trained }: Known): Division {
  const left = new Uint8Array(prepared.inputs).fill(1);
  const counts = { accept: 0, reject: 0, ask: 0 };
  const sampled = draw.kind === 'sample' ? draw.plan.indices : [];
  for (const at of trained) left[at] = 0;
  for (const at of sampled) left[proxy.inputs[at] ?? 0] = 0;
  for (const [at, score] of proxy.scores.entries()) {
    const input = proxy.inputs[at] ?? 0;
    if (left[input] === 0) continue;
    const verdict = decide(decision, score);
    counts[verdict] += 1;
    if (verdict !== 'ask') left[input] = 0;
  }
  const unscored = prepared.inputs - trained.length - proxy.inputs.length;
  const record: CascadeRecord = {
    v: 1,
    inputs: prepared.inputs,
    unscored,
    ...(trained.length === 0 ? {} : { trained: trained.length }),
    sampled: sampled.length,
    accepted: counts.accept,
    rejected: counts.reject,
    rest: counts.ask + unscored,
    decision,
  };
  return { record, left };
}
