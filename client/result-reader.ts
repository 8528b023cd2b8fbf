/** Rows of a finished run, read from its Arrow IPC stream. */
import { createReadStream } from 'node:fs';
import { AsyncRecordBatchStreamReader, RecordBatchReader, type RecordBatch, Table } from 'apache-arrow';

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

/** Rows as plain objects; nested Arrow values become plain arrays and objects. */
export async function readRows(path: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const rows: Record<string, unknown>[] = [];
  for await (const batch of readBatches(path)) {
    const names = batch.schema.fields.map((field) => field.name);
    for (let at = 0; at < batch.numRows; at += 1) {
      rows.push(Object.fromEntries(names.map((name, column) => [name, plain(batch.getChildAt(column)?.get(at))])));
    }
  }
  return rows;
}

interface ArrowValue {
  toJSON(): unknown;
}

function plain(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Date || value instanceof Uint8Array)
    return value ?? null;
  const json = 'toJSON' in value ? (value as ArrowValue).toJSON() : value;
  if (Array.isArray(json)) return json.map(plain);
  if (json === null || typeof json !== 'object') return json;
  return Object.fromEntries(Object.entries(json).map(([name, item]) => [name, plain(item)]));
}
