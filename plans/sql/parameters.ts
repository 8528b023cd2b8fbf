/** `$name`, `$1` and `?` in a query: their values take their places before anything is planned. */
import { fault } from './fault.js';
import { type Token, tokenize } from './lexer.js';
import type { SqlParser } from './ports.js';
import { findNode, isClass, isNode, mapNodes, nodes, type SqlNode, text } from './tree.js';

/** The literal, as SQL, of each parameter by its name, or by its number from 1; names are told apart as in SQL. */
export type ParameterValues = Readonly<Record<string, string>>;

/** Functions that a literal of a list or struct is written with, and the sign of a number. */
const literalFunctions = new Set(['list_value', 'struct_pack', '-']);

/**
 * The query with constants in the place of its parameters. `sql` is its text. Throws `BadArgument`, with the place, for a
 * parameter without a value, and for a value without a parameter.
 */
export async function withParameters(
  query: SqlNode,
  sql: string,
  values: ParameterValues,
  parser: SqlParser,
): Promise<SqlNode> {
  const tokens = tokenize(sql).filter(({ kind }) => kind === 'parameter');
  const given = new Map(Object.entries(values).map(([name, literal]) => [name.toLowerCase(), literal]));
  const wanted = new Map<string, SqlNode>();
  mapNodes(query, (node) => {
    if (isClass(node, 'PARAMETER')) wanted.set(text(node, 'identifier').toLowerCase(), node);
    return undefined;
  });
  const constants = new Map<string, SqlNode>();
  for (const [name, node] of wanted) {
    const place = placeOf(name, sql, tokens);
    const literal = given.get(name);
    if (literal === undefined) {
      const hint = 'Give it one: --param name=value, or `params` in a program.';
      throw fault('BadArgument', `the parameter ${shownAs(text(node, 'identifier'))} has no value`, place, hint);
    }
    constants.set(name, await constantOf(literal, name, place, parser));
  }
  const stray = [...given.keys()].find((name) => !wanted.has(name));
  if (stray !== undefined) {
    const has = wanted.size === 0 ? 'It has none.' : `It has ${[...wanted.keys()].map(shownAs).join(', ')}.`;
    throw fault('BadArgument', `the query has no parameter ${shownAs(stray)}`, undefined, has);
  }
  return mapNodes(query, (node) => {
    const constant = isClass(node, 'PARAMETER') ? constants.get(text(node, 'identifier').toLowerCase()) : undefined;
    return constant && { ...constant, alias: text(node, 'alias') };
  });
}

function shownAs(name: string): string {
  return `$${name}`;
}

/** DuckDB's tree does not say where a parameter stands. */
function placeOf(name: string, sql: string, tokens: readonly Token[]): number | undefined {
  const spelled = (token: Token): string => sql.slice(token.start, token.end).toLowerCase();
  const marks = tokens.filter((token) => spelled(token) === '?');
  return (tokens.find((token) => spelled(token).slice(1) === name) ?? marks[Number(name) - 1])?.start;
}

/** A literal as a tree; nothing else may come in by a value. */
async function constantOf(
  literal: string,
  name: string,
  place: number | undefined,
  parser: SqlParser,
): Promise<SqlNode> {
  const [statement, second] = await parser.serialize(`SELECT ${literal}`);
  const [constant, other] = nodes(statement ?? {}, 'select_list');
  const isLiteral = (node: SqlNode): boolean =>
    ['CONSTANT', 'CAST'].some((known) => isClass(node, known)) ||
    (isClass(node, 'FUNCTION') && literalFunctions.has(text(node, 'function_name')));
  const strange =
    constant === undefined ||
    second !== undefined ||
    other !== undefined ||
    findNode(constant, (node) => typeof node['class'] === 'string' && !isLiteral(node)) !== undefined;
  if (strange) throw fault('BadArgument', `the value of ${shownAs(name)} is no literal`, place);
  return placedAt(constant, place) as SqlNode;
}

function placedAt(value: SqlNode[string], place: number | undefined): SqlNode[string] {
  if (Array.isArray(value)) return (value as readonly SqlNode[string][]).map((item) => placedAt(item, place));
  if (!isNode(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'query_location');
  const moved = Object.fromEntries(entries.map(([key, item]) => [key, placedAt(item, place)]));
  return place === undefined || !('query_location' in value) ? moved : { ...moved, query_location: place };
}
