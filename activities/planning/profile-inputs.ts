import { type DataProfile, mostProfiled, profileOf } from '../../plans/drift/profile.js';
import { priorityOf } from '../../plans/optimize/sample.js';
import type { Scorer } from '../../plans/physical/router/scorer.js';
import type { InputRow } from '../ports.js';
import { inputsOf, type SamplePorts } from './sample-files.js';

/** Partitions that are read, at most; of more, some that are evenly apart. */
const mostPartitions = 64;
const seed = 1;

export interface PreparedInputs {
  readonly runId: string;
  readonly call: string;
  readonly wave: number;
  readonly partitions: number;
}

/** Some inputs of a call, at most `size`, from all over the input; the same inputs give the same ones. */
export async function someInputs(
  ports: SamplePorts,
  { runId, call, wave, partitions }: PreparedInputs,
  size: number,
): Promise<readonly InputRow[]> {
  const read = Math.min(partitions, mostPartitions);
  const rows: InputRow[] = [];
  for (let at = 0; at < read; at += 1) {
    const partition = Math.floor((at * partitions) / read);
    for await (const part of inputsOf(ports, runId, call, partition + 1, wave, partition)) rows.push(...part);
  }
  return drawn(rows, size);
}

/** So many of the rows, drawn. */
export function drawn(rows: readonly InputRow[], size: number): readonly InputRow[] {
  return rows
    .map((row) => ({ row, priority: priorityOf(row.in, seed) }))
    .sort((a, b) => a.priority - b.priority || a.row.in - b.row.in)
    .slice(0, size)
    .map(({ row }) => row);
}

/** @param some any inputs, of which those that a profile holds are drawn; undefined without any */
export function profileInputs(some: readonly InputRow[], inputs: number, scorer: Scorer): DataProfile | undefined {
  const rows = drawn(some, mostProfiled).map(({ values }) => values);
  return rows.length === 0 ? undefined : profileOf(rows, inputs, scorer);
}
