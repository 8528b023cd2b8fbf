/** Rows of a finished run, read from its Arrow IPC stream. */
import { createReadStream } from 'node:fs';
import { AsyncRecordBatchStreamReader, RecordBatchReader, type RecordBatch, Table } from 'apache-arrow';
import { plainValue, typeOf } from './plain-value.js';

/** Batches of the Arrow IPC stream file at `path`, one at a time in memory. */
export async function* readBatches(path: string): AsyncGenerator<RecordBatch> {
  const reader = await RecordBatchReader.from(createReadStream(path));
  await (reader as AsyncRecordBatchStreamReader).open();
  for await (const batch of reader) yield batch;
}

export async function readTable(path: string): Promise<Table> {
  const batches: RecordBatch[] = [];
  for await (const batch of readBatches(path)) batches.push(batch);
  return new Table(batches);
}

/** Rows as plain objects: each value as `plainValue` has it. */
export async function readRows(path: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const rows: Record<string, unknown>[] = [];
  for await (const batch of readBatches(path)) {
    const columns = batch.schema.fields.map((field, at) => ({
      ...{ name: field.name, type: typeOf(field) },
      values: batch.getChildAt(at),
    }));
    for (let at = 0; at < batch.numRows; at += 1) {
      rows.push(Object.fromEntries(columns.map(({ name, type, values }) => [name, plainValue(values?.get(at), type)])));
    }
  }
  return rows;
}
