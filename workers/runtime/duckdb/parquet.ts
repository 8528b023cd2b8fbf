import { join } from 'node:path';
import { quoteName, quoteText, reserved } from '../../../plans/relation/names.js';
import type { ObjectStore } from '../../../activities/ports.js';
import type { DuckDbSession } from './session.js';

/**
 * Rows in one row group: DuckDB's own default, big enough to compress well and small enough that a session with a few
 * hundred MB can write wide tables.
 */
const rowGroup = 20_480;

/** Writes a query as a Parquet object. */
export async function storeParquet(
  session: DuckDbSession,
  store: ObjectStore,
  sql: string,
): Promise<{ readonly object: string; readonly rows: number }> {
  const path = join(session.workDir, `out-${String(nextFile++)}.parquet`);
  const options = `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${String(rowGroup)}, USE_TMP_FILE false`;
  const [copied] = await session.rows(`COPY (${sql}\n) TO ${quoteText(path)} (${options})`);
  const { hash } = await store.putFile(path);
  return { object: hash, rows: Number(copied?.['Count'] ?? 0) };
}

let nextFile = 0;

/** A query with `__row` put behind its columns: 0, 1 … in the order of its rows. */
export function numbered(sql: string): string {
  return `SELECT *, row_number() OVER () - 1 AS ${quoteName(reserved.row)} FROM (${sql}\n)`;
}

export function parquetScan(path: string): string {
  return `read_parquet(${quoteText(path)})`;
}
