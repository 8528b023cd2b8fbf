import { FermataError } from '../../../../plans/protocol/errors.js';
import { quoteName, quoteText } from '../../../../plans/relation/names.js';
import { didYouMean } from '../../../../plans/sql/nearest.js';
import type { Reader, ReaderContext } from './reader.js';

async function read({ session, path, input }: ReaderContext): Promise<string> {
  await session.run(`ATTACH ${quoteText(path)} AS attached (READ_ONLY)`);
  const found = await session.rows(
    `SELECT schema_name, table_name AS name FROM duckdb_tables() WHERE database_name = 'attached' UNION ALL ` +
      `SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = 'attached' AND NOT internal ORDER BY ALL`,
  );
  const names = found.map(({ schema_name: schema, name }) => ({ schema: String(schema), name: String(name) }));
  const spelt = names.map(({ schema, name }) => (schema === 'main' ? name : `${schema}.${name}`));
  const wanted = input.inner ?? (names.length === 1 ? spelt[0] : undefined);
  const at = spelt.findIndex((name) => name.toLowerCase() === wanted?.toLowerCase());
  const table = names[at];
  if (table !== undefined) return `SELECT * FROM attached.${quoteName(table.schema)}.${quoteName(table.name)}`;
  const problem = wanted === undefined ? 'Say which table' : `There is no table "${wanted}"`;
  const list = spelt.length === 0 ? 'it has none' : `it has ${spelt.join(', ')}`;
  throw new FermataError('UnknownTable', `${problem} in ${input.path}: ${list}.`, {
    hint: [wanted === undefined ? '' : didYouMean(wanted, spelt), 'Name it as file.duckdb#table.'].join(' ').trim(),
    where: { file: input.path, table: input.inner ?? input.name },
  });
}

export const duckDbFileReader: Reader = {
  // a file that was closed properly has no log, but DuckDB looks for one
  alsoReads: (path) => [`${path}.wal`],
  read,
  explain: (_, message) =>
    Promise.resolve({
      problem: `cannot be read as a DuckDB file: ${
        message
          .split('\n')[0]
          ?.replace(/^.*Error: /, '')
          .replace(/"[^"]*"/, 'the file') ?? ''
      }`,
      hint: 'Close the program that writes it, and run CHECKPOINT, before it is read.',
    }),
};
