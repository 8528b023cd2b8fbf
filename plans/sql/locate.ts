/** Finds the place in the user's SQL that an error of DuckDB's binder is about. */
import { FermataError } from '../protocol/errors.js';
import { findNode, positionOf, type SqlNode, text, texts } from './tree.js';

/** First node of a query that has a place in the text. */
export function nodeBeside(query: SqlNode): SqlNode | undefined {
  return findNode(query, (node) => positionOf(node) !== undefined);
}

/** Runs a binding step; an error that names a column, table or function gets its position in the user's query. */
export async function locating<T>(query: SqlNode, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!FermataError.is(error) || error.where.position !== undefined) throw error;
    const position = placeOf(error, query);
    throw new FermataError(error.code, error.message, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      where: { ...error.where, ...(position === undefined ? {} : { position }) },
      cause: error,
    });
  }
}

function placeOf({ where }: FermataError, query: SqlNode): number | undefined {
  const same = (a: string | undefined, b: string): boolean => a?.toLowerCase() === b.toLowerCase();
  const found = findNode(query, (node) => {
    if (positionOf(node) === undefined) return false;
    if (texts(node, 'column_names').some((part) => same(where.column, part) || same(where.table, part))) return true;
    return same(where.table, text(node, 'table_name')) || same(where.operator, text(node, 'function_name'));
  });
  return found === undefined ? undefined : positionOf(found);
}
