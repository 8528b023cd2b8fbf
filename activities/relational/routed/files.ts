/** The files of one routed call over one wave: inputs and answers of its steps, partition by partition. */
import type { RoutedAsked, RoutedInput } from '../../../plans/protocol/activities.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { type PlannedCall, type PreparedCalls, type RunPlan, runObjects } from '../../../plans/protocol/run-plan.js';
import type { RoutedSchedule } from '../../../plans/protocol/strategy.js';
import { stepPartitionRows } from '../../../plans/physical/cascade/steps.js';
import { routedId, routedSchedule, type RoutedStep } from '../../../plans/physical/routed/steps.js';
import type { AnswerRow, InputRow, PartitionCodec } from '../../ports.js';
import { readPrepared, recordPrepared } from '../../prepared-calls.js';
import { loadPlan, plannedCall } from '../../run-plans.js';
import type { RelationalPorts } from '../prepare-call.js';

export interface RoutedPorts extends RelationalPorts {
  readonly codec: PartitionCodec;
}

export interface RoutedJob {
  readonly at: RoutedInput;
  readonly plan: RunPlan;
  readonly planned: PlannedCall;
  readonly routed: RoutedSchedule;
  readonly prepared: PreparedCalls['calls'][number];
}

export async function openRouted(ports: RoutedPorts, at: RoutedInput): Promise<RoutedJob> {
  const plan = await loadPlan(ports.store, at.plan);
  const planned = plannedCall(plan, at.call);
  const { routed } = planned.schedule;
  const { calls } = await readPrepared(ports.store, at.runId, ports.clock.now());
  const prepared = calls.find((entry) => entry.call === at.call && entry.wave === at.wave);
  if (routed === undefined || prepared === undefined) {
    throw new FermataError('Internal', `call ${at.call} is not prepared as routed in wave ${at.wave}`);
  }
  return { at, plan, planned, routed, prepared };
}

/** Inputs of one partition of the whole call, or of a step of it. */
export async function readInputs(
  ports: RoutedPorts,
  { runId, wave, call }: RoutedInput,
  partition: number,
  step?: RoutedStep,
): Promise<readonly InputRow[]> {
  const name = runObjects.inputs(runId, wave, step === undefined ? call : routedId(call, step), partition);
  const bytes = await ports.store.getNamed(name);
  if (bytes !== undefined) return ports.codec.decodeInputs(bytes);
  throw new FermataError('ObjectMissing', `partition ${name} is not in the store`, { hint: 'start the query again' });
}

/** Answers of one partition of a step; none when it was not asked. */
export async function readAnswers(
  ports: RoutedPorts,
  { runId, wave, call }: RoutedInput,
  partition: number,
  step: RoutedStep,
): Promise<readonly AnswerRow[]> {
  const bytes = await ports.store.getNamed(runObjects.answers(runId, wave, routedId(call, step), partition));
  return bytes === undefined ? [] : ports.codec.decodeAnswers(bytes);
}

/** A run of partitions of a step in which inputs ascend. */
export interface Stretch {
  readonly step: RoutedStep;
  readonly from: number;
  readonly to: number;
}

/** What an implementation was asked: its bucket, and what came from the one before. */
export function stretchesOf({ own, partitions }: RoutedAsked, step: RoutedStep): readonly Stretch[] {
  return [
    { step, from: 0, to: own },
    { step, from: own, to: partitions },
  ];
}

/** Cuts inputs into the partitions of a step, from the `first` one on; `count`: how many inputs will come. */
export class PartWriter {
  private readonly rows: number;
  private waiting: InputRow[] = [];
  private written = 0;
  private readonly ports: RoutedPorts;
  private readonly job: RoutedJob;
  private readonly to: { readonly step: RoutedStep; readonly first: number; readonly count: number };

  constructor(ports: RoutedPorts, job: RoutedJob, to: PartWriter['to']) {
    [this.ports, this.job, this.to] = [ports, job, to];
    this.rows = partitionRows(job, to.step, to.count);
  }

  async add(row: InputRow): Promise<void> {
    this.waiting.push(row);
    if (this.waiting.length === this.rows) await this.flush();
  }

  /** Writes what is left. Returns the number of partitions. */
  async close(): Promise<number> {
    if (this.waiting.length > 0) await this.flush();
    return this.written;
  }

  private async flush(): Promise<void> {
    const { at, planned } = this.job;
    const { step, first } = this.to;
    const bytes = this.ports.codec.encodeInputs(this.waiting, planned.call.inputs.length);
    const name = runObjects.inputs(at.runId, at.wave, routedId(at.call, step), first + this.written);
    await this.ports.store.putNamed(name, bytes);
    this.waiting = [];
    this.written += 1;
  }
}

/** Partitions hold whole batches; programs are not asked side by side for the sake of a few rows. */
function partitionRows({ planned: { schedule } }: RoutedJob, step: RoutedStep, count: number): number {
  const own = routedSchedule(schedule, step);
  if (own.program === true) return own.partitionRows;
  const rows = stepPartitionRows(own, count);
  return own.prompts?.kind === 'batched' ? own.prompts.size * Math.ceil(rows / own.prompts.size) : rows;
}

/** Says how many inputs a step has by now, for reports. */
export async function recordStep(
  ports: RoutedPorts,
  { at, prepared }: RoutedJob,
  step: RoutedStep,
  sizes: { readonly inputs: number; readonly partitions: number },
): Promise<void> {
  const now = ports.clock.now();
  await recordPrepared(
    ports.store,
    at.runId,
    { ...sizes, rows: sizes.inputs, mapping: prepared.mapping, call: routedId(at.call, step), wave: at.wave, at: now },
    now,
  );
}
