/** The files of one cascade over one wave: inputs and answers of its steps, read and written partition by partition. */
import { hash } from 'node:crypto';
import type { CascadeAsks, CascadeStepInput } from '../../../plans/protocol/activities.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { type PlannedCall, type PreparedCalls, type RunPlan, runObjects } from '../../../plans/protocol/run-plan.js';
import type { CascadeSchedule } from '../../../plans/protocol/strategy.js';
import { type CascadeStep, stepId, stepPartitionRows } from '../../../plans/physical/cascade/steps.js';
import type { AnswerRow, InputRow, PartitionCodec } from '../../ports.js';
import { readPrepared, recordPrepared } from '../../prepared-calls.js';
import { loadPlan, plannedCall } from '../../run-plans.js';
import type { RelationalPorts } from '../prepare-call.js';

export interface CascadePorts extends RelationalPorts {
  readonly codec: PartitionCodec;
}

export interface CascadeJob {
  readonly plan: RunPlan;
  readonly planned: PlannedCall;
  readonly strategy: CascadeSchedule;
  readonly prepared: PreparedCalls['calls'][number];
  /** The same for the same question over the same wave in every run, so that a rerun samples what is paid for. */
  readonly seed: number;
}

export async function openCascade(ports: CascadePorts, input: CascadeStepInput): Promise<CascadeJob> {
  const plan = await loadPlan(ports.store, input.plan);
  const planned = plannedCall(plan, input.call);
  const { strategy } = planned.schedule;
  const { calls } = await readPrepared(ports.store, input.runId, ports.clock.now());
  const prepared = calls.find((entry) => entry.call === input.call && entry.wave === input.wave);
  if (strategy === undefined || prepared === undefined) {
    throw new FermataError('Internal', `call ${input.call} is not prepared as a cascade in wave ${input.wave}`);
  }
  const question = JSON.stringify([planned.call.template, planned.call.inputs, strategy, input.wave]);
  return { plan, planned, strategy, prepared, seed: Number.parseInt(hash('sha256', question).slice(0, 8), 16) };
}

/** Inputs of one partition of the whole call. */
export async function readInputs(
  ports: CascadePorts,
  { runId, wave, call }: CascadeStepInput,
  partition: number,
): Promise<readonly InputRow[]> {
  const name = runObjects.inputs(runId, wave, call, partition);
  const bytes = await ports.store.getNamed(name);
  if (bytes !== undefined) return ports.codec.decodeInputs(bytes);
  throw new FermataError('ObjectMissing', `partition ${name} is not in the store`, { hint: 'start the query again' });
}

/** Answers of one partition of a step; none when it was not asked. */
export async function readAnswers(
  ports: CascadePorts,
  { runId, wave, call }: CascadeStepInput,
  step: CascadeStep,
  partition: number,
): Promise<readonly AnswerRow[]> {
  const bytes = await ports.store.getNamed(runObjects.answers(runId, wave, stepId(call, step), partition));
  return bytes === undefined ? [] : ports.codec.decodeAnswers(bytes);
}

/** Writes the chosen inputs of a call as the partitions of a step, in their order, and records the sizes. */
export async function writeStep(
  ports: CascadePorts,
  input: CascadeStepInput,
  job: CascadeJob,
  step: CascadeStep,
  chosen: { readonly count: number; readonly has: (input: number) => boolean },
): Promise<CascadeAsks> {
  const { planned, prepared } = job;
  const id = stepId(input.call, step);
  const size = stepPartitionRows(planned.schedule, chosen.count);
  let waiting: InputRow[] = [];
  let partitions = 0;
  const flush = async (rows: readonly InputRow[]): Promise<void> => {
    const bytes = ports.codec.encodeInputs(rows, planned.call.inputs.length);
    await ports.store.putNamed(runObjects.inputs(input.runId, input.wave, id, partitions), bytes);
    partitions += 1;
  };
  for (let partition = 0; chosen.count > 0 && partition < prepared.partitions; partition += 1) {
    for (const row of await readInputs(ports, input, partition)) if (chosen.has(row.in)) waiting.push(row);
    for (; waiting.length >= size; waiting = waiting.slice(size)) await flush(waiting.slice(0, size));
  }
  if (waiting.length > 0) await flush(waiting);
  const at = ports.clock.now();
  const sizes = { inputs: chosen.count, partitions, rows: chosen.count };
  await recordPrepared(
    ports.store,
    input.runId,
    { ...sizes, mapping: prepared.mapping, call: id, wave: input.wave, at },
    at,
  );
  return { inputs: chosen.count, partitions };
}
