/** AI_SEARCH in FROM is written as a query of its own, over whose rows the query around it runs. */
import { type ArgumentNames, type CallArguments, sortArguments } from './arguments.js';
import { freeName, nameOf } from './table-arguments.js';
import { fault } from './fault.js';
import { numberLiteral, stringLiteral } from './literals.js';
import type { TableSchema } from './plan.js';
import { isSemantic, spelledName } from './recognise.js';
import { similarity } from './similarity.js';
import {
  baseTable,
  child,
  columnRef,
  findNode,
  mapNodes,
  positionOf,
  selectNode,
  type SqlNode,
  star,
  subquery,
  text,
} from './tree.js';

const names: ArgumentNames = {
  usage: "AI_SEARCH('table', 'column', 'query', k [, {model}])",
  positional: ['table', 'column', 'query', 'k'],
  plain: true,
  required: 4,
  options: ['model'],
};

/**
 * A copy of the query in which AI_SEARCH in FROM is `SELECT *, AI_SIMILARITY(column, query) AS score FROM table
 * ORDER BY score DESC LIMIT k`. Throws `UnsupportedSql` for one elsewhere, and `BadArgument`.
 */
export function withoutSearch(query: SqlNode, tables: readonly TableSchema[]): SqlNode {
  const found = mapNodes(query, (node) => {
    const call = text(node, 'type') === 'TABLE_FUNCTION' ? child(node, 'function') : undefined;
    return call !== undefined && isSearch(call) ? searchRelation(node, call, tables) : undefined;
  });
  const other = findNode(found, isSearch);
  if (other === undefined) return found;
  const hint = "SELECT … FROM AI_SEARCH('docs', 'text', 'what to look for', 5) AS s";
  throw fault('UnsupportedSql', 'AI_SEARCH stands in FROM', other, hint);
}

function searchRelation(from: SqlNode, call: SqlNode, tables: readonly TableSchema[]): SqlNode {
  return subquery(searchOf(call, tables), text(from, 'alias') || 'ai_search', from);
}

function isSearch(node: SqlNode): boolean {
  return isSemantic(node) && /^ai[._]search$/.test(spelledName(node));
}

function searchOf(call: SqlNode, tables: readonly TableSchema[]): SqlNode {
  const args = sortArguments(call, names);
  const table = nameOf(args, 'table', 'to search', names.usage);
  const target = args.named.get('column');
  const column = {
    ...columnRef([nameOf(args, 'column', 'to search', names.usage)]),
    ...(target === undefined ? {} : { query_location: positionOf(target) ?? null }),
  };
  const query = args.named.get('query') ?? call;
  if (stringLiteral(query) === undefined)
    throw fault('BadArgument', 'what to search for must be a text literal', query);
  const score = similarity([column, query], args.named.get('model'), positionOf(call));
  const isThere = { class: 'OPERATOR', type: 'OPERATOR_IS_NOT_NULL', alias: '', children: [column] };
  return selectNode({
    select: [star, { ...score, alias: freeName(table, tables, ['score', 'search_score']) }],
    from: { ...baseTable(table, ''), query_location: positionOf(args.named.get('table') ?? call) ?? null },
    where: isThere,
    modifiers: [
      { type: 'ORDER_MODIFIER', orders: [{ type: 'DESCENDING', null_order: 'NULLS_LAST', expression: score }] },
      { type: 'LIMIT_MODIFIER', limit: countOf(args), offset: null },
    ],
  });
}

function countOf({ named, node }: CallArguments): SqlNode {
  const given = named.get('k') ?? node;
  const k = numberLiteral(given);
  if (k === undefined || !Number.isSafeInteger(k) || k < 0) {
    throw fault('BadArgument', 'k is how many rows to find: a whole number of at least 0', given, names.usage);
  }
  return given;
}
