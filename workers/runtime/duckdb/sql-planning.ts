import type { SqlPlanning } from '../../../activities/relation-port.js';
import { type DuckDbOptions, openDuckDb } from './session.js';
import { createSqlDescriber } from './sql-describer.js';
import { createSqlParser } from './sql-parser.js';

/** DuckDB's parser and binder for the planner: a session of its own that sees empty tables and no files. */
export function createSqlPlanning(options: DuckDbOptions): SqlPlanning {
  return {
    async open(tables) {
      const session = await openDuckDb(options);
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
