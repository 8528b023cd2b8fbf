import type { SourceSnapshot, TableSnapshot } from '../../../activities/relation-port.js';
import type { ObjectStore } from '../../../activities/ports.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { isReservedName, quoteName, reserved } from '../../../plans/relation/names.js';
import type { PlanColumn, QueryPlan } from '../../../plans/sql/plan.js';
import { numbered, parquetScan, storeParquet } from './parquet.js';
import type { DuckDbSession } from './session.js';

/** Refuses names that Fermata needs itself. @throws FermataError `BadData` */
export function checkColumnNames(columns: readonly PlanColumn[], table: string): void {
  const clash = columns.find((column) => isReservedName(column.name));
  if (clash === undefined) return;
  throw new FermataError('BadData', `The column name "${clash.name}" is kept for Fermata itself.`, {
    hint: 'Rename the column: names that begin with __row, __pos, __in or __a_ are taken.',
    where: { table, column: clash.name },
  });
}

/** Registers snapshots as views of their names, without `__row`; returns the files that they read. */
export async function registerTables(
  session: DuckDbSession,
  store: ObjectStore,
  tables: readonly TableSnapshot[],
): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const table of tables) {
    const path = await store.localPath(table.object);
    paths.push(path);
    const columns = `* EXCLUDE (${quoteName(reserved.row)})`;
    await session.run(`CREATE VIEW ${quoteName(table.name)} AS SELECT ${columns} FROM ${parquetScan(path)}`);
  }
  return paths;
}

/** The snapshot itself where a plan's source is a table as it stands. */
export function tableAsSource(
  source: QueryPlan['source'],
  tables: readonly TableSnapshot[],
): SourceSnapshot | undefined {
  const table = tables.find((candidate) => candidate.name === source.table);
  return table && { object: table.object, rows: table.rows, columns: table.columns };
}

/** The Parquet object behind a plan's source, made by running its SQL. */
export async function makeSource(
  session: DuckDbSession,
  store: ObjectStore,
  source: QueryPlan['source'],
  tables: readonly TableSnapshot[],
): Promise<SourceSnapshot> {
  await session.lock(await registerTables(session, store, tables));
  const columns = await session.describe(source.sql);
  checkColumnNames(columns, source.alias);
  return { ...(await storeParquet(session, store, numbered(source.sql))), columns };
}

/** `__source`, as the plan's `rows.sql` reads it; returns the files to be let through. */
export async function registerSource(
  session: DuckDbSession,
  store: ObjectStore,
  source: SourceSnapshot,
  tables: readonly TableSnapshot[],
): Promise<readonly string[]> {
  const path = await store.localPath(source.object);
  await session.run(`CREATE VIEW ${quoteName(reserved.source)} AS SELECT * FROM ${parquetScan(path)}`);
  return [path, ...(await registerTables(session, store, tables))];
}

/** (`__row`, `__pos`) of the rows that plain SQL lets through. */
export async function chooseRows(
  session: DuckDbSession,
  store: ObjectStore,
  plan: Pick<QueryPlan, 'rows'>,
  source: SourceSnapshot,
  tables: readonly TableSnapshot[],
): Promise<{ readonly object: string; readonly rows: number }> {
  await session.lock(await registerSource(session, store, source, tables));
  await session.requireSelect(plan.rows.sql);
  const [row, position] = [quoteName(reserved.row), quoteName(reserved.position)];
  const chosen = `SELECT ${row}, row_number() OVER () - 1 AS ${position} FROM (${plan.rows.sql}\n)`;
  return storeParquet(session, store, chosen);
}
