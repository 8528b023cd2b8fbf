/** The values of the two sides of a join: each stands in a step once, however many pairs it is in. */
import type { CascadeAsks, CascadeStepInput } from '../../../plans/protocol/activities.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { parseJson, type JsonValue } from '../../../plans/protocol/json.js';
import { runObjects } from '../../../plans/protocol/run-plan.js';
import { stepId, stepPartitionRows } from '../../../plans/physical/cascade/steps.js';
import { sideNames } from '../../../plans/physical/pairs/keys.js';
import { recordPrepared } from '../../prepared-calls.js';
import { type CascadeJob, type CascadePorts, readAnswers, readInputs } from './files.js';

/** The values of both sides, and which of them each pair has. */
export interface Sides {
  /** By number, in the order of first occurrence: the text, behind the name of its side where keys are asked for. */
  readonly values: readonly (readonly string[])[];
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** Values of the side that has more. */
  readonly larger: number;
}

/** Where vectors are compared a text is one value whichever side it is on. */
export async function readSides(ports: CascadePorts, input: CascadeStepInput, job: CascadeJob): Promise<Sides> {
  const { prepared, planned, strategy } = job;
  const { pair } = planned.call;
  if (pair === undefined) throw new FermataError('Internal', `call ${input.call} is over no two relations`);
  const numbers = new Map<string, number>();
  const values: (readonly string[])[] = [];
  const [left, right] = [new Int32Array(prepared.inputs), new Int32Array(prepared.inputs)];
  const numberOf = (cells: readonly string[], side: 0 | 1): number => {
    const text = pair[side].map((index) => cells[index] ?? '').join('\n');
    const value = strategy.fitted === 'keys' ? [sideNames[side], text] : [text];
    const name = value.join('\n');
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, values.length);
    return values.push(value) - 1;
  };
  for (let partition = 0; partition < prepared.partitions; partition += 1) {
    for (const { in: at, values: cells } of await readInputs(ports, input, partition)) {
      left[at] = numberOf(cells, 0);
      right[at] = numberOf(cells, 1);
    }
  }
  return { values, left, right, larger: Math.max(new Set(left).size, new Set(right).size) };
}

/** Hands the values to the model that reads them. */
export async function writeSides(ports: CascadePorts, input: CascadeStepInput, job: CascadeJob): Promise<CascadeAsks> {
  const id = stepId(input.call, 'sides');
  const { values } = await readSides(ports, input, job);
  const rows = values.map((value, at) => ({ in: at, n: 1, values: value }));
  const size = stepPartitionRows(job.planned.schedule, rows.length);
  const partitions = Math.ceil(rows.length / size);
  for (let partition = 0; partition < partitions; partition += 1) {
    const bytes = ports.codec.encodeInputs(
      rows.slice(partition * size, (partition + 1) * size),
      values[0]?.length ?? 1,
    );
    await ports.store.putNamed(runObjects.inputs(input.runId, input.wave, id, partition), bytes);
  }
  const at = ports.clock.now();
  const sizes = { inputs: rows.length, partitions, rows: rows.length, mapping: job.prepared.mapping };
  await recordPrepared(ports.store, input.runId, { ...sizes, call: id, wave: input.wave, at }, at);
  return { inputs: rows.length, partitions };
}

/** What was answered of each value, by its number; failed ones are left out. */
export async function readSideAnswers(
  ports: CascadePorts,
  input: CascadeStepInput,
  job: CascadeJob,
  { values }: Sides,
): Promise<ReadonlyMap<number, JsonValue>> {
  const answers = new Map<number, JsonValue>();
  const partitions = Math.ceil(values.length / stepPartitionRows(job.planned.schedule, values.length));
  for (let partition = 0; partition < partitions; partition += 1) {
    for (const row of await readAnswers(ports, input, 'sides', partition)) {
      const parsed = row.state === 'ok' ? parseJson(row.value) : undefined;
      if (parsed?.ok === true) answers.set(row.in, parsed.value);
    }
  }
  return answers;
}

/** Writes how likely each pair is true, as if a proxy had answered; NaN: it is not known, or the pair is asked first. */
export async function writePairScores(
  ports: CascadePorts,
  input: CascadeStepInput,
  job: CascadeJob,
  scoreOf: (pair: number) => number,
): Promise<void> {
  for (let partition = 0; partition < job.prepared.partitions; partition += 1) {
    const rows = (await readInputs(ports, input, partition)).flatMap(({ in: at }) => {
      const score = scoreOf(at);
      return Number.isNaN(score) ? [] : [{ in: at, state: 'ok', value: 'true', confidence: score } as const];
    });
    const name = runObjects.answers(input.runId, input.wave, stepId(input.call, 'score'), partition);
    await ports.store.putNamed(name, ports.codec.encodeAnswers(rows));
  }
}

/** Calls `visit` for each pair; heartbeats are sent in between. */
export async function eachPair({ left }: Sides, visit: (pair: number) => void): Promise<void> {
  for (const at of left.keys()) {
    visit(at);
    if (at % pause === 0) await new Promise((go) => setImmediate(go));
  }
}

const pause = 20_000;
