import { DuckDBDataChunk, VARCHAR, DuckDBBlobValue, type DuckDBValue } from '@duckdb/node-api';
import { FermataError } from '../../../plans/protocol/errors.js';
import { quoteName, reserved } from '../../../plans/relation/names.js';
import type { PlanColumn } from '../../../plans/sql/plan.js';
import { type MediaSourceOptions, type StoredMedia, storeMediaBytes, storeMediaText } from '../media/media-source.js';
import type { DuckDbSession } from './session.js';

/** Files read or fetched at once. */
const parallel = 8;

/** One `(key, ref)` row for each distinct value: the text itself, or the SHA-256 of a BLOB. */
const mapTypes = [VARCHAR, VARCHAR];

/**
 * Stores everything that a media column of `relation` (with `__row`) names, and returns the expression of its references.
 *
 * @throws FermataError `BadMedia` with the first row whose file is missing or broken, `TypeMismatch` for a column that
 * holds neither text nor BLOB
 */
export async function storeMediaColumn(
  session: DuckDbSession,
  relation: string,
  column: PlanColumn,
  options: MediaSourceOptions & { readonly table: string },
): Promise<string> {
  const blob = column.type === 'BLOB';
  if (!blob && column.type !== 'VARCHAR') {
    throw new FermataError('TypeMismatch', `The ${options.modality} column "${column.name}" holds ${column.type}.`, {
      hint: 'Such a column holds paths or URLs as text, or the files themselves as BLOB.',
      where: { table: options.table, column: column.name },
    });
  }
  const name = quoteName(column.name);
  const key = blob ? `sha256(${name})` : name;
  const map = `__media_${String(nextMap++)}`;
  await session.run(`CREATE TABLE ${map} (key VARCHAR, ref VARCHAR)`);
  const values = blob ? `, any_value(${name}) AS value` : `, ${key} AS value`;
  const query = `SELECT ${key} AS key, min(${quoteName(reserved.row)}) AS first${values} FROM ${relation} WHERE ${name} IS NOT NULL GROUP BY ALL`;
  const distinct = `SELECT key, first, value FROM (${blob ? query.replace('GROUP BY ALL', 'GROUP BY key') : query}) ORDER BY first`;
  const result = await session.stream(distinct);
  const appender = await session.connection.createAppender(map);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    const [keys = [], firsts = [], cells = []] = chunk.getColumns();
    const refs: string[] = [];
    for (let from = 0; from < cells.length; from += parallel) {
      const stored = await Promise.all(cells.slice(from, from + parallel).map((cell) => storeCell(cell, options)));
      stored.forEach((media, index) => {
        if (!media.ok) throw badMedia(cells[from + index], firsts[from + index], media.problem, column, options.table);
        refs.push(media.ref);
      });
    }
    const mapped = DuckDBDataChunk.create(mapTypes, refs.length);
    mapped.setColumns([keys, refs]);
    appender.appendDataChunk(mapped);
  }
  appender.closeSync();
  return `(SELECT ref FROM ${map} WHERE key = ${blob ? `sha256(t.${name})` : `t.${name}`})`;
}

let nextMap = 0;

function storeCell(cell: DuckDBValue | undefined, options: MediaSourceOptions): Promise<StoredMedia> {
  if (cell instanceof DuckDBBlobValue) return storeMediaBytes(cell.bytes, options);
  return storeMediaText(String(cell), options);
}

function badMedia(
  cell: DuckDBValue | undefined,
  first: DuckDBValue | undefined,
  problem: string,
  column: PlanColumn,
  table: string,
): FermataError {
  const row = Number(first ?? 0) + 1;
  const what = typeof cell === 'string' ? `"${cell}"` : 'the value';
  return new FermataError('BadMedia', `Row ${String(row)}, column "${column.name}" of ${table}: ${what} ${problem}.`, {
    hint: 'Correct the file or set the value to NULL; relative paths start from the folder of the data file.',
    where: { table, column: column.name, row },
  });
}
