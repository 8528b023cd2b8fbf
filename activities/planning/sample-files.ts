/** The sample of a search in the store: its inputs under each asking's id, and the answers to them. */
import { FermataError } from '../../plans/protocol/errors.js';
import { runObjects } from '../../plans/protocol/run-plan.js';
import type { AnswerRow, InputRow, ObjectStore, PartitionCodec } from '../ports.js';

export interface SamplePorts {
  readonly store: ObjectStore;
  readonly codec: PartitionCodec;
}

/** What a search asks is one wave. */
const searchWave = 0;

/** Partitions of a call's inputs, one after the other from `first` on. */
export async function* inputsOf(
  { store, codec }: SamplePorts,
  runId: string,
  call: string,
  partitions: number,
  wave = searchWave,
  first = 0,
): AsyncGenerator<readonly InputRow[]> {
  for (let partition = first; partition < partitions; partition += 1) {
    const name = runObjects.inputs(runId, wave, call, partition);
    const bytes = await store.getNamed(name);
    if (bytes === undefined)
      throw new FermataError('ObjectMissing', `partition ${name} is not in the store`, { hint: 'start it again' });
    yield codec.decodeInputs(bytes);
  }
}

/** Writes rows as the partitions of a call and returns how many there are. */
export async function writeInputs(
  { store, codec }: SamplePorts,
  runId: string,
  call: string,
  rows: readonly InputRow[],
  size: number,
): Promise<number> {
  const arity = rows[0]?.values.length ?? 0;
  const partitions = Math.ceil(rows.length / size);
  for (let partition = 0; partition < partitions; partition += 1) {
    const part = rows.slice(partition * size, (partition + 1) * size);
    await store.putNamed(runObjects.inputs(runId, searchWave, call, partition), codec.encodeInputs(part, arity));
  }
  return partitions;
}

/** An answer that failed for good; undefined when none did. */
export async function firstFailure(
  { store, codec }: SamplePorts,
  runId: string,
  call: string,
  partitions: number,
): Promise<Extract<AnswerRow, { readonly state: 'error' }> | undefined> {
  for (let partition = 0; partition < partitions; partition += 1) {
    const bytes = await store.getNamed(runObjects.answers(runId, searchWave, call, partition));
    const failed = bytes === undefined ? [] : codec.decodeAnswers(bytes);
    for (const row of failed) if (row.state === 'error') return row;
  }
  return undefined;
}
