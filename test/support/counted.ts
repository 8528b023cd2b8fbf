import type { Fermata, RunOptions } from '../../client/api.js';
import type { Project } from './project.js';

type Tables = NonNullable<RunOptions['tables']>;

/** Calls of an endpoint, by their kind. */
export const noCalls = { chat: 0, embeddings: 0, embedded: 0, transcriptions: 0 };

/** Runs a query to its end: its rows, what it spent, and the calls that it made at the project's endpoint. */
export async function askCounted(project: Project, fermata: Fermata, sql: string, tables: Tables) {
  const { counts } = project.endpoint;
  const before = { ...counts };
  const run = await fermata.sql(sql, { tables });
  const rows = await run.rows();
  const { spend } = await run.result();
  const made = {
    chat: counts.chat - before.chat,
    embeddings: counts.embeddings - before.embeddings,
    embedded: counts.embedded - before.embedded,
    transcriptions: counts.transcriptions - before.transcriptions,
  };
  return { rows, spend, made };
}
