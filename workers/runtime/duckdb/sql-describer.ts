import type { DuckDBConnection } from '@duckdb/node-api';
import { type ErrorCode, FermataError } from '../../../plans/protocol/errors.js';
import type { TableSchema } from '../../../plans/sql/plan.js';
import type { DeclareTable, DescribeSql } from '../../../plans/sql/ports.js';

/**
 * Makes an empty table for each schema on a connection of its own (an in-memory database that nothing else uses) and
 * returns the binder over them, and a way to add more. Nothing is executed but the creation of the tables.
 */
export async function createSqlDescriber(
  connection: DuckDBConnection,
  tables: readonly TableSchema[],
): Promise<{ readonly describe: DescribeSql; readonly declare: DeclareTable }> {
  const declare: DeclareTable = async (table) => {
    const columns = table.columns.map((column) => `${quoted(column.name)} ${column.type}`);
    await connection.run(`CREATE OR REPLACE TABLE ${quoted(table.name)} (${columns.join(', ')})`);
  };
  for (const table of tables) await declare(table);
  const describe: DescribeSql = async (sql) => {
    try {
      const reader = await connection.runAndReadAll(`DESCRIBE ${sql}`);
      return reader.getRows().map((row) => ({ name: String(row[0]), type: String(row[1]) }));
    } catch (error) {
      throw bindingError((error as Error).message);
    }
  };
  return { describe, declare };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

interface BinderMessage {
  readonly pattern: RegExp;
  readonly code: ErrorCode;
  readonly place?: 'column' | 'table' | 'operator';
}

/** DuckDB's messages about binding, most telling first; the first group is the name that it could not find. */
const binderMessages: readonly BinderMessage[] = [
  { pattern: /Referenced column "(.*?)" not found/, code: 'UnknownColumn', place: 'column' },
  { pattern: /does not have a column named "(.*?)"/, code: 'UnknownColumn', place: 'column' },
  { pattern: /Column "(.*?)" in (?:EXCLUDE|REPLACE|RENAME) list not found/, code: 'UnknownColumn', place: 'column' },
  { pattern: /Could not find key "(.*?)" in struct/, code: 'UnknownColumn', place: 'column' },
  { pattern: /Referenced table "(.*?)" not found/, code: 'UnknownTable', place: 'table' },
  { pattern: /Table with name (.*?) does not exist/, code: 'UnknownTable', place: 'table' },
  { pattern: /Function with name "?(.*?)"? does not exist/, code: 'UnknownFunction', place: 'operator' },
  { pattern: /No function matches .*? '([^'(]*)\(/, code: 'TypeMismatch', place: 'operator' },
  { pattern: /No function matches|Cannot compare|Could not convert|Conversion Error|Cannot mix/, code: 'TypeMismatch' },
  { pattern: /Unimplemented type for cast|Type .* can't be cast|Cannot cast/, code: 'TypeMismatch' },
];

function bindingError(message: string): FermataError {
  // the line that DuckDB quotes is of the rewritten query, which the user has never seen
  const [head = message] = message.split(/\n+LINE \d+:/);
  const [first = head, ...rest] = head.trim().split('\n');
  const known = binderMessages.find(({ pattern }) => pattern.test(head));
  const name = known?.pattern.exec(head)?.[1];
  const hint = rest.join(' ').trim();
  return new FermataError(known?.code ?? 'SqlSyntax', first.replace(/^(?:\w+ )+Error: /, ''), {
    ...(hint === '' ? {} : { hint }),
    where: known?.place === undefined || name === undefined ? {} : { [known.place]: name },
  });
}
