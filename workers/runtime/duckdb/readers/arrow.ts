import { open } from 'node:fs/promises';
import { DuckDBDataChunk, type DuckDBAppender, type DuckDBType } from '@duckdb/node-api';
import { type DataType, type RecordBatch, RecordBatchReader } from 'apache-arrow';
import { FermataError } from '../../../../plans/protocol/errors.js';
import { quoteName } from '../../../../plans/relation/names.js';
import { duckDbType, duckDbValues } from '../../arrow/to-duckdb.js';
import type { DuckDbSession } from '../session.js';
import type { Reader, ReaderContext } from './reader.js';

const chunkRows = 2048;

/** Loads an Arrow IPC file or stream into a new table, batch by batch. */
export async function loadArrow(session: DuckDbSession, path: string, table: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    const reader = await RecordBatchReader.from(file);
    await reader.open();
    const { fields } = reader.schema;
    const types = fields.map((field) => duckDbType(field.type as DataType));
    const names = uniqueNames(fields.map((field) => field.name));
    if (names.length === 0) throw new FermataError('BadData', 'The Arrow data has no columns.');
    const columns = names.map((name, index) => `${quoteName(name)} ${String(types[index])}`);
    await session.run(`CREATE TABLE ${quoteName(table)} (${columns.join(', ')})`);
    const appender = await session.connection.createAppender(table);
    for await (const batch of reader) appendBatch(appender, types, batch);
    appender.closeSync();
  } finally {
    await file.close();
  }
}

function appendBatch(appender: DuckDBAppender, types: readonly DuckDBType[], batch: RecordBatch): void {
  for (let from = 0; from < batch.numRows; from += chunkRows) {
    const to = Math.min(from + chunkRows, batch.numRows);
    const chunk = DuckDBDataChunk.create(types, to - from);
    chunk.setColumns(batch.data.children.map((data) => duckDbValues(data, from, to)));
    appender.appendDataChunk(chunk);
  }
}

/** DuckDB's own rule for names that differ in case only or not at all: `a`, `a_1`. */
function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name === '' ? 'column' : name;
    for (let count = 1; taken.has(unique.toLowerCase()); count += 1) unique = `${name}_${String(count)}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}

async function read({ session, path, input }: ReaderContext): Promise<string> {
  await loadArrow(session, path, '__arrow').catch((error: unknown) => {
    if (FermataError.is(error)) throw error;
    const compressed = /compressed but codec not found/.test((error as Error).message);
    throw new FermataError('BadData', `${input.path} cannot be read as Arrow: ${(error as Error).message}`, {
      hint: compressed
        ? 'Write the file without compression, or as Parquet.'
        : 'Copy or write the file again; both the file and the stream form of Arrow IPC are read.',
      where: { file: input.path, table: input.name },
      cause: error,
    });
  });
  return 'SELECT * FROM __arrow';
}

/** Arrow IPC, file and stream. */
export const arrowReader: Reader = { read };
