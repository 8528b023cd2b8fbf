/** Tables that were read before: the same bytes, read in the same way, need not be read again. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { ObjectStore } from '../../../activities/ports.js';
import type { TableSnapshot } from '../../../activities/relation-port.js';
import { type JsonValue, parseJson } from '../../../plans/protocol/json.js';
import type { TableInput } from '../../../plans/protocol/run.js';

/** To be raised when a reader makes other rows or types of the same bytes. */
const readersVersion = 1;

/**
 * Name of the record of one table; undefined for a table that is more than its own bytes: a media column of paths or URLs
 * names files that may change.
 */
function recordName(input: TableInput): string | undefined {
  if (input.image !== undefined || input.audio !== undefined) return undefined;
  // The rows of a folder hold paths within it.
  const place = input.format === 'folder' ? input.path : '';
  const key = JSON.stringify([readersVersion, input.object, input.format, input.inner ?? '', place]);
  return `tables/${createHash('sha256').update(key).digest('hex')}.json`;
}

/** The snapshot that an earlier run made, as long as its object is in the store and has its size. */
export async function knownTable(store: ObjectStore, input: TableInput): Promise<TableSnapshot | undefined> {
  const name = recordName(input);
  const bytes = name === undefined ? undefined : await store.getNamed(name);
  const parsed = parseJson(bytes === undefined ? 'null' : new TextDecoder().decode(bytes));
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  const { object, rows, columns, size } = parsed.value;
  const whole = (await store.has(object)) && (await sizeOf(store, object)) === size;
  return whole ? { name: input.name, object, rows, columns } : undefined;
}

export async function rememberTable(store: ObjectStore, input: TableInput, table: TableSnapshot): Promise<void> {
  const name = recordName(input);
  if (name === undefined) return;
  const record: TableRecord = { ...table, size: await sizeOf(store, table.object) };
  await store.putNamed(name, new TextEncoder().encode(JSON.stringify(record)));
}

interface TableRecord extends TableSnapshot {
  /** Bytes of the object. */
  readonly size: number;
}

/** Of the copy on this machine, which the query reads anyway. */
async function sizeOf(store: ObjectStore, object: string): Promise<number> {
  return (await stat(await store.localPath(object))).size;
}

/** Whether a record is whole; what is in it was written by this module. */
function isRecord(value: unknown): value is JsonValue & TableRecord {
  const { object, rows, columns, size } = (value ?? {}) as Partial<TableRecord>;
  const numbers = typeof rows === 'number' && typeof size === 'number';
  return numbers && typeof object === 'string' && /^[0-9a-f]{64}$/.test(object) && Array.isArray(columns);
}
