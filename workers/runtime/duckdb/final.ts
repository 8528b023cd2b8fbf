import { join } from 'node:path';
import type { ObjectStore } from '../../../activities/ports.js';
import type { ResultRelation } from '../../../activities/relation-port.js';
import type { NestedResult } from '../../../plans/protocol/run-plan.js';
import { writeResultStream } from '../arrow/result-stream.js';
import type { AttachedRows } from './attach-answers.js';
import { numbered, storeParquet } from './parquet.js';
import type { DuckDbSession } from './session.js';
import { checkColumnNames } from './tables.js';

/** Runs the rest of a query over `__rows` and stores its rows and its list of failed ones. Needs `attachAnswers` before it. */
export async function runFinal(
  session: DuckDbSession,
  store: ObjectStore,
  sql: string,
  attached: AttachedRows,
): Promise<ResultRelation> {
  return {
    rows: await storeResult(session, store, sql, 'rows'),
    errors: await storeResult(session, store, allErrors(attached), 'errors'),
    asked: attached.asked,
    undecided: attached.undecided,
  };
}

function allErrors({ errorsSql, earlierErrorsSql }: AttachedRows): string {
  return [...earlierErrorsSql, errorsSql].map((sql) => `(${sql})`).join(' UNION ALL ');
}

/** Runs the rest of a nested query and stores its rows as a table. Needs `attachAnswers` before it. */
export async function runNested(
  session: DuckDbSession,
  store: ObjectStore,
  { sql, name }: { readonly sql: string; readonly name: string },
  attached: AttachedRows,
): Promise<NestedResult> {
  const relation = `SELECT * FROM (${sql}\n)`;
  const columns = await session.describe(relation);
  checkColumnNames(columns, name);
  const rows = await storeParquet(session, store, numbered(relation));
  const errors = await storeParquet(session, store, attached.errorsSql);
  return {
    table: { name, columns, ...rows },
    errors: { object: errors.object, count: errors.rows },
    asked: attached.asked,
    undecided: attached.undecided,
  };
}

async function storeResult(
  session: DuckDbSession,
  store: ObjectStore,
  sql: string,
  name: string,
): Promise<ResultRelation['rows']> {
  const path = join(session.workDir, `${name}.arrow`);
  const columns = await session.describe(sql);
  const count = await writeResultStream(await session.stream(sql), columns, path);
  return {
    object: (await store.putFile(path)).hash,
    count,
    columns: columns.map(({ name, type }) => ({ name, type })),
  };
}
