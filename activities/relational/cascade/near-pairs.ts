/** The pairs of a join by how alike their values are: each value is embedded once, whatever the number of its pairs. */
import type { CascadeAsks, CascadeStepInput } from '../../../plans/protocol/activities.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { parseJson } from '../../../plans/protocol/json.js';
import { runObjects } from '../../../plans/protocol/run-plan.js';
import { surestPairs } from '../../../plans/physical/cascade/rare.js';
import { stepId, stepPartitionRows } from '../../../plans/physical/cascade/steps.js';
import { cosineOf, likenessOf, type ValuePairs } from '../../../plans/physical/pairs/likeness.js';
import { recordPrepared } from '../../prepared-calls.js';
import type { AnswerRow } from '../../ports.js';
import { type CascadeJob, type CascadePorts, readAnswers, readInputs } from './files.js';

/** The values of both sides, each text once, and which of them each pair has. */
interface Sides {
  /** Numbers by text, in the order of first occurrence. */
  readonly texts: ReadonlyMap<string, number>;
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** Values of the side that has more. */
  readonly larger: number;
}

async function readSides(ports: CascadePorts, input: CascadeStepInput, job: CascadeJob): Promise<Sides> {
  const { prepared, planned } = job;
  const { pair } = planned.call;
  if (pair === undefined) throw new FermataError('Internal', `call ${input.call} is over no two relations`);
  const texts = new Map<string, number>();
  const [left, right] = [new Int32Array(prepared.inputs), new Int32Array(prepared.inputs)];
  const numberOf = (values: readonly string[], side: 0 | 1): number => {
    const text = pair[side].map((index) => values[index] ?? '').join('\n');
    const known = texts.get(text) ?? texts.size;
    texts.set(text, known);
    return known;
  };
  for (let partition = 0; partition < prepared.partitions; partition += 1) {
    for (const { in: at, values } of await readInputs(ports, input, partition)) {
      left[at] = numberOf(values, 0);
      right[at] = numberOf(values, 1);
    }
  }
  return { texts, left, right, larger: Math.max(new Set(left).size, new Set(right).size) };
}

/** Hands the values to the embedding model. */
export async function writeSides(ports: CascadePorts, input: CascadeStepInput, job: CascadeJob): Promise<CascadeAsks> {
  const id = stepId(input.call, 'sides');
  const { texts } = await readSides(ports, input, job);
  const rows = Array.from(texts, ([text, at]) => ({ in: at, n: 1, values: [text] }));
  const size = stepPartitionRows(job.planned.schedule, rows.length);
  const partitions = Math.ceil(rows.length / size);
  for (let partition = 0; partition < partitions; partition += 1) {
    const bytes = ports.codec.encodeInputs(rows.slice(partition * size, (partition + 1) * size), 1);
    await ports.store.putNamed(runObjects.inputs(input.runId, input.wave, id, partition), bytes);
  }
  const at = ports.clock.now();
  const sizes = { inputs: rows.length, partitions, rows: rows.length, mapping: job.prepared.mapping };
  await recordPrepared(ports.store, input.runId, { ...sizes, call: id, wave: input.wave, at }, at);
  return { inputs: rows.length, partitions };
}

/** Scores all pairs but those that are most alike, and returns these: the model is asked about them first. */
export async function scoreNearPairs(
  ports: CascadePorts,
  input: CascadeStepInput,
  job: CascadeJob,
): Promise<ReadonlySet<number>> {
  const sides = await readSides(ports, input, job);
  const scores = likenessOf(await withCosines(ports, input, job, sides));
  const order = Array.from(scores.keys())
    .filter((at) => !Number.isNaN(scores[at]))
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  const surest = new Set(order.slice(0, surestPairs(order.length, sides.larger)));
  for (let partition = 0; partition < job.prepared.partitions; partition += 1) {
    const rows = (await readInputs(ports, input, partition)).flatMap(({ in: at }): readonly AnswerRow[] => {
      const score = scores[at] ?? Number.NaN;
      return Number.isNaN(score) || surest.has(at) ? [] : [{ in: at, state: 'ok', value: 'true', confidence: score }];
    });
    const name = runObjects.answers(input.runId, input.wave, stepId(input.call, 'score'), partition);
    await ports.store.putNamed(name, ports.codec.encodeAnswers(rows));
  }
  return surest;
}

async function withCosines(
  ports: CascadePorts,
  input: CascadeStepInput,
  job: CascadeJob,
  { texts, left, right }: Sides,
): Promise<ValuePairs> {
  const vectors = new Map<number, Float32Array>();
  const partitions = Math.ceil(texts.size / stepPartitionRows(job.planned.schedule, texts.size));
  for (let partition = 0; partition < partitions; partition += 1) {
    for (const row of await readAnswers(ports, input, 'sides', partition)) {
      const parsed = row.state === 'ok' ? parseJson(row.value) : undefined;
      if (parsed?.ok === true) vectors.set(row.in, Float32Array.from(parsed.value as readonly number[]));
    }
  }
  const cosine = new Float32Array(left.length);
  for (const at of left.keys()) {
    cosine[at] = cosineOf(vectors.get(left[at] ?? -1), vectors.get(right[at] ?? -1));
    // heartbeats are sent in between
    if (at % pause === 0) await new Promise((go) => setImmediate(go));
  }
  return { left, right, cosine };
}

const pause = 20_000;
