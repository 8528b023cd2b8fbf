import type { SqlPlanning } from '../../../activities/relation-port.js';
import { type DuckDbOptions, openDuckDb } from './session.js';
import { createSqlDescriber } from './sql-describer.js';
import { createSqlParser } from './sql-parser.js';
import type { DuckDbSessions } from './spare-session.js';

/** DuckDB's parser and binder for the planner: a session of its own that sees empty tables and no files. */
export function createSqlPlanning(
  options: DuckDbOptions & { readonly sessions?: Pick<DuckDbSessions, 'open'> },
): SqlPlanning {
  const { open } = options.sessions ?? { open: () => openDuckDb(options) };
  return {
    async open(tables) {
      const session = await open();
      try {
        const parser = createSqlParser(session.connection);
        const binder = await createSqlDescriber(session.connection, tables);
        await session.lock([]);
        return { parser, ...binder, close: () => session.close() };
      } catch (error) {
        await session.close();
        throw error;
      }
    },
  };
}
