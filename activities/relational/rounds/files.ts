/** The files of a call that is answered in rounds: its inputs, and the questions, answers and states of its rounds. */
import { hash } from 'node:crypto';
import type { SemanticCall } from '../../../plans/operators/call.js';
import type { NextRoundInput } from '../../../plans/protocol/activities.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { type JsonValue, parseJson } from '../../../plans/protocol/json.js';
import { type PlannedCall, type PreparedCalls, type RunPlan, runObjects } from '../../../plans/protocol/run-plan.js';
import type { RoundsSchedule } from '../../../plans/protocol/strategy.js';
import { questionsId, roundId } from '../../../plans/physical/rounds/steps.js';
import type { AnswerRow, InputRow, PartitionCodec } from '../../ports.js';
import { readPrepared, recordPrepared } from '../../prepared-calls.js';
import { loadPlan, plannedCall } from '../../run-plans.js';
import type { RelationalPorts } from '../prepare-call.js';

export interface RoundsPorts extends RelationalPorts {
  readonly codec: PartitionCodec;
}

/** A question of a round and what became of it. */
export interface Asked {
  /** Number of the question in its round, from 0. */
  readonly question: number;
  /** The inputs of the round's call, then whatever the method noted. */
  readonly values: readonly string[];
  /** Absent: not asked. */
  readonly answer?: AnswerRow;
}

/** One call over one wave. */
export interface RoundsJob {
  readonly plan: RunPlan;
  readonly planned: PlannedCall;
  readonly schedule: RoundsSchedule;
  readonly prepared: PreparedCalls['calls'][number];
  /** The same for the same question over the same wave in every run, so that a rerun asks what is paid for. */
  readonly seed: number;
  /** All inputs of the call, in order. */
  readonly inputs: () => AsyncIterable<InputRow>;
  /** The questions of a round that was prepared, in order. */
  readonly asked: (round: number) => AsyncIterable<Asked>;
  readonly readState: (round: number) => Promise<JsonValue>;
  /** Undefined: the round was not reached. */
  readonly findState: (round: number) => Promise<JsonValue | undefined>;
  readonly writeState: (round: number, state: JsonValue) => Promise<void>;
}

export async function openRounds(ports: RoundsPorts, input: Omit<NextRoundInput, 'round'>): Promise<RoundsJob> {
  const { runId, wave } = input;
  const plan = await loadPlan(ports.store, input.plan);
  const planned = plannedCall(plan, input.call);
  const schedule = planned.schedule.rounds;
  const { calls } = await readPrepared(ports.store, runId, ports.clock.now());
  const prepared = calls.find((entry) => entry.call === input.call && entry.wave === wave);
  if (schedule === undefined || prepared === undefined) {
    throw new FermataError('Internal', `call ${input.call} is not prepared for rounds in wave ${wave}`);
  }
  const { call } = planned;
  const question = JSON.stringify([call.template, call.inputs, call.parameters, schedule, wave]);
  const stateName = (round: number): string => runObjects.roundState(runId, wave, roundId(call.id, round));
  return {
    plan,
    planned,
    schedule,
    prepared,
    seed: Number.parseInt(hash('sha256', question).slice(0, 8), 16),
    async *inputs() {
      for (let partition = 0; partition < prepared.partitions; partition += 1) {
        yield* ports.codec.decodeInputs(await read(ports, runObjects.inputs(runId, wave, call.id, partition)));
      }
    },
    asked: (round) => askedIn(ports, { runId, wave, step: roundId(call.id, round) }),
    readState: async (round) => jsonOf(await read(ports, stateName(round)), stateName(round)),
    async findState(round) {
      const bytes = await ports.store.getNamed(stateName(round));
      return bytes === undefined ? undefined : jsonOf(bytes, stateName(round));
    },
    writeState: (round, state) =>
      ports.store.putNamed(stateName(round), new TextEncoder().encode(JSON.stringify(state))),
  };
}

async function* askedIn(
  ports: RoundsPorts,
  { runId, wave, step }: { readonly runId: string; readonly wave: number; readonly step: string },
): AsyncGenerator<Asked> {
  for (let partition = 0; ; partition += 1) {
    const bytes = await ports.store.getNamed(runObjects.inputs(runId, wave, step, partition));
    const rows = bytes === undefined ? [] : ports.codec.decodeInputs(bytes);
    // an empty partition ends a round
    if (rows.length === 0) return;
    const answered = await ports.store.getNamed(runObjects.answers(runId, wave, step, partition));
    const answers = new Map(
      answered === undefined ? [] : ports.codec.decodeAnswers(answered).map((row) => [row.in, row] as const),
    );
    for (const { in: question, values } of rows) {
      const answer = answers.get(question);
      yield { question, values, ...(answer === undefined ? {} : { answer }) };
    }
  }
}

export interface Questions {
  readonly call: SemanticCall;
  /** The values of each question: as many as `arity`. */
  readonly rows: AsyncIterable<readonly string[]> | Iterable<readonly string[]>;
  readonly arity: number;
  /** Questions of a partition. */
  readonly size: number;
  /** They are no questions of the call's own, and are not counted among them. */
  readonly apart?: true;
}

/** Writes the questions of a round. Returns the number of partitions. */
export async function writeRound(ports: RoundsPorts, input: NextRoundInput, questions: Questions): Promise<number> {
  const { runId, wave, round } = input;
  const step = roundId(input.call, round);
  let waiting: InputRow[] = [];
  let partitions = 0;
  let count = 0;
  const flush = async (): Promise<void> => {
    const name = runObjects.inputs(runId, wave, step, partitions);
    await ports.store.putNamed(name, ports.codec.encodeInputs(waiting, questions.arity));
    partitions += waiting.length === 0 ? 0 : 1;
    waiting = [];
  };
  const call = new TextEncoder().encode(JSON.stringify(questions.call));
  await ports.store.putNamed(runObjects.roundCall(runId, wave, step), call);
  for await (const values of questions.rows) {
    waiting.push({ in: count, n: 1, values });
    count += 1;
    if (waiting.length >= questions.size) await flush();
  }
  if (waiting.length > 0) await flush();
  await flush();
  if (questions.apart !== true) await countQuestions(ports, input, count);
  return partitions;
}

/** The prepared record counts the questions of all rounds so far. */
async function countQuestions(ports: RoundsPorts, input: NextRoundInput, added: number): Promise<void> {
  const { runId, wave, round } = input;
  const id = questionsId(input.call);
  const at = ports.clock.now();
  const { calls } = await readPrepared(ports.store, runId, at);
  const known = calls.find((entry) => entry.call === id && entry.wave === wave);
  // rows: the round that was counted last, so that a repeated activity counts nothing twice
  const before = known === undefined || round === 0 ? 0 : known.rows > round ? known.inputs - added : known.inputs;
  const sizes = { inputs: before + added, partitions: 0, rows: round + 1, mapping: '', at: known?.at ?? at };
  await recordPrepared(ports.store, runId, { ...sizes, call: id, wave }, at);
}

async function read(ports: RoundsPorts, name: string): Promise<Uint8Array> {
  const bytes = await ports.store.getNamed(name);
  if (bytes !== undefined) return bytes;
  throw new FermataError('ObjectMissing', `${name} is not in the store`, { hint: 'start the query again' });
}

function jsonOf(bytes: Uint8Array, name: string): JsonValue {
  const parsed = parseJson(new TextDecoder().decode(bytes));
  if (parsed.ok) return parsed.value;
  throw new FermataError('BadData', `the record ${name} is damaged`, { hint: 'start the query again' });
}
