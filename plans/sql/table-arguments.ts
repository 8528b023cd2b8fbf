/** Arguments of functions that stand in FROM: names of tables and columns. */
import type { CallArguments } from './arguments.js';
import { fault } from './fault.js';
import { stringLiteral } from './literals.js';
import type { TableSchema } from './plan.js';
import { isClass, positionOf, sameName, type SqlNode, texts } from './tree.js';

/** A name as a literal, or bare; undefined for anything else. */
export function nameIn(node: SqlNode): string | undefined {
  const parts = isClass(node, 'COLUMN_REF') ? texts(node, 'column_names') : [];
  const written = stringLiteral(node) ?? (parts.length === 1 ? parts[0] : undefined);
  return written === undefined || written.trim() === '' ? undefined : written;
}

/** The name that an argument gives; `what` ends the sentence about one that is none. Throws `BadArgument`. */
export function nameOf({ named, node }: CallArguments, name: string, what: string, usage: string): string {
  const given = named.get(name) ?? node;
  const found = nameIn(given);
  if (found !== undefined) return found;
  throw fault('BadArgument', `the ${name} ${what} must be a name`, given, usage);
}

/** The place of an argument, for nodes that stand in its stead. */
export function placeOf(node: SqlNode): { readonly query_location: number | null } {
  return { query_location: positionOf(node) ?? null };
}

/** The first name that no column of the table has. */
export function freeName(
  table: string,
  tables: readonly TableSchema[],
  [wanted, otherwise]: readonly [string, string],
): string {
  const schema = tables.find(({ name }) => sameName(name, table));
  return schema?.columns.some(({ name }) => sameName(name, wanted)) === true ? otherwise : wanted;
}
