import { join } from 'node:path';
import type { ObjectStore } from '../../../activities/ports.js';
import type { ResultRelation } from '../../../activities/relation-port.js';
import { writeResultStream } from '../arrow/result-stream.js';
import type { AttachedRows } from './attach-answers.js';
import type { DuckDbSession } from './session.js';

/** Runs the rest of a query over `__rows` and stores its rows and its list of failed ones. Needs `attachAnswers` before it. */
export async function runFinal(
  session: DuckDbSession,
  store: ObjectStore,
  sql: string,
  attached: AttachedRows,
): Promise<ResultRelation> {
  return {
    rows: await storeResult(session, store, sql, 'rows'),
    errors: await storeResult(session, store, attached.errorsSql, 'errors'),
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
