import type { ObjectStore } from '../../../activities/ports.js';
import type { TableSnapshot } from '../../../activities/relation-port.js';
import type { DuckDbSession } from './session.js';
import { registerTables } from './tables.js';

/** Milliseconds for one query, and for all of a query: an estimate is not worth more. */
const longest = { one: 3_000, all: 10_000 };

/**
 * The numbers of the only row that each query gives over the tables; undefined where it takes too long, raises, or reads a table
 * that is not there.
 */
export async function measure(
  session: DuckDbSession,
  store: ObjectStore,
  tables: readonly TableSnapshot[],
  queries: readonly string[],
): Promise<readonly (readonly number[] | undefined)[]> {
  await session.lock(await registerTables(session, store, tables));
  const end = Date.now() + longest.all;
  const found: (readonly number[] | undefined)[] = [];
  for (const sql of queries) {
    const left = Math.min(longest.one, end - Date.now());
    found.push(left <= 0 ? undefined : await within(session, left, () => numbersOf(session, sql)));
  }
  return found;
}

async function numbersOf(session: DuckDbSession, sql: string): Promise<readonly number[] | undefined> {
  await session.requireSelect(sql);
  const [row = {}] = await session.rows(sql);
  const numbers = Object.values(row).map(Number);
  return numbers.every(Number.isFinite) ? numbers : undefined;
}

async function within<T>(session: DuckDbSession, ms: number, work: () => Promise<T>): Promise<T | undefined> {
  const timer = setTimeout(() => session.interrupt(), ms);
  try {
    return await work();
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
