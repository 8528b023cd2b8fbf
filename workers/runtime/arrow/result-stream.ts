import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DuckDBResult } from '@duckdb/node-api';
import { type RecordBatch, Schema } from 'apache-arrow';
import { recordBatch } from './columns.js';
import { arrowData, arrowField } from './from-duckdb.js';
import { arrowStream } from './stream-writer.js';

/**
 * Writes a streamed DuckDB result as an Arrow IPC stream file, one batch a chunk, and returns the number of rows.
 * `columns` are the names and DuckDB types of the result, in order; names may repeat.
 */
export async function writeResultStream(
  result: DuckDBResult,
  columns: readonly { readonly name: string; readonly type: string }[],
  path: string,
): Promise<number> {
  const types = result.columnTypes();
  const schema = new Schema(
    types.map((type, index) => arrowField(columns[index]?.name ?? '', type, columns[index]?.type ?? String(type))),
  );
  let rows = 0;
  async function* batches(): AsyncGenerator<RecordBatch> {
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return;
      rows += chunk.rowCount;
      const data = types.map((type, index) => arrowData(type, chunk.getColumnValues(index)));
      yield recordBatch(schema, data, chunk.rowCount);
    }
  }
  await pipeline(Readable.from(arrowStream(schema, batches())), createWriteStream(path));
  return rows;
}
