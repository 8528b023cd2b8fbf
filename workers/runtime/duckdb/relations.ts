import type { ObjectStore } from '../../../activities/ports.js';
import type { RelationStore } from '../../../activities/relation-port.js';
import { createMediaFetch } from '../media/fetch-media.js';
import { attachAnswers } from './attach-answers.js';
import { runFinal, runNested } from './final.js';
import { writeItems } from './items.js';
import { writeInputs } from './inputs.js';
import { knownTable } from './known-tables.js';
import { measure } from './measure.js';
import { type DuckDbOptions, type DuckDbSession, openDuckDb } from './session.js';
import { snapshotTable } from './snapshot.js';
import type { DuckDbSessions } from './spare-session.js';
import { chooseRows, makeSource, tableAsSource } from './tables.js';

export interface RelationOptions extends DuckDbOptions {
  readonly store: ObjectStore;
  /** Hosts (`host` or `host:port`) at private addresses that URLs in image and audio columns may name. */
  readonly mediaHosts?: readonly string[];
  /** Opened ahead; default: each when it is needed. */
  readonly sessions?: Pick<DuckDbSessions, 'open'>;
}

/**
 * Relational work by DuckDB: a session of its own for every call, so that calls may run in any process.
 *
 * @example const relations = createRelations({ store, tempDir: path.join(home, 'tmp'), memoryLimit: '1GB' });
 */
export function createRelations(options: RelationOptions): RelationStore {
  const { store } = options;
  const fetchUrl = createMediaFetch({ privateHosts: options.mediaHosts ?? [] });
  const { open } = options.sessions ?? { open: () => openDuckDb(options) };
  const withSession = async <T>(work: (session: DuckDbSession) => Promise<T>): Promise<T> => {
    const session = await open();
    try {
      return await work(session);
    } finally {
      await session.close();
    }
  };
  return {
    snapshotTable: async (input, { baseDir } = {}) => {
      const given = { fetchUrl, ...(baseDir === undefined ? {} : { baseDir }) };
      return (await knownTable(store, input)) ?? withSession((session) => snapshotTable(session, store, input, given));
    },
    makeSource: async (source, tables) =>
      tableAsSource(source, tables) ?? withSession((session) => makeSource(session, store, source, tables)),
    chooseRows: (plan, source, tables) => withSession((session) => chooseRows(session, store, plan, source, tables)),
    measure: (tables, queries) => withSession((session) => measure(session, store, tables, queries)),
    writeInputs: (state, call, partitionRows, sink, pairs) =>
      withSession(async (session) => {
        await attachAnswers(session, store, state, call.role);
        const { fold } = call;
        const options = { call, alias: state.alias, partitionRows };
        return fold === undefined
          ? writeInputs(session, store, { ...options, ...(pairs === undefined ? {} : { pairs }) }, sink)
          : writeItems(session, store, { ...options, fold }, sink);
      }),
    runFinal: (state, sql) =>
      withSession(async (session) =>
        runFinal(session, store, sql, await attachAnswers(session, store, state, 'final')),
      ),
    runNested: (state, sql, name) =>
      withSession(async (session) =>
        runNested(session, store, { sql, name }, await attachAnswers(session, store, state, 'final')),
      ),
  };
}
