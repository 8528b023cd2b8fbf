/** Values of a query's parameters. */
import { literalSql, type SqlLiteral } from './relation/sql-text.js';

/** By name for `$name`, or in their order for `?`. */
export type QueryParameters = readonly SqlLiteral[] | { readonly [name: string]: SqlLiteral };

/** The literal of each, by name or by number from 1. Throws `BadArgument` for a value that has none. */
export function parameterLiterals(values: QueryParameters): Readonly<Record<string, string>> {
  const named = Array.isArray(values)
    ? (values as readonly SqlLiteral[]).map((value, at) => [String(at + 1), value] as const)
    : Object.entries(values);
  return Object.fromEntries(named.map(([name, value]) => [name, literalSql(value)]));
}
