/** AI_DEDUP in FROM is written as a query of its own, over whose rows the query around it runs. */
import { type ArgumentNames, type CallArguments, sortArguments } from './arguments.js';
import { dedupOptions, dedupUsage } from './dedup-call.js';
import { fault } from './fault.js';
import { listLiteral, stringLiteral } from './literals.js';
import type { TableSchema } from './plan.js';
import { isSemantic, spelledName } from './recognise.js';
import { rowNumber } from './row-number.js';
import { freeName, nameIn, nameOf, placeOf } from './table-arguments.js';
import {
  baseTable,
  child,
  columnRef,
  findNode,
  functionCall,
  integerConstant,
  isClass,
  mapNodes,
  noTable,
  orderBy,
  positionOf,
  selectNode,
  type SqlNode,
  star,
  subquery,
  text,
} from './tree.js';

const names: ArgumentNames = {
  usage: dedupUsage,
  positional: ['table', 'columns', 'instruction'],
  plain: true,
  required: 3,
  options: ['keep', ...dedupOptions],
};

/** Column of ours by which the first row of an entity is told. */
const place = '__place';

/**
 * A copy of the query in which AI_DEDUP in FROM is `SELECT *, <the number of the entity> AS entity FROM table`, cut to the first
 * row of each entity unless `keep` is `all`. Throws `UnsupportedSql` for one elsewhere, and `BadArgument`.
 */
export function withoutDedup(query: SqlNode, tables: readonly TableSchema[]): SqlNode {
  const elsewhere = findNode(
    mapNodes(query, (node) => (tableCall(node) === undefined ? undefined : noTable)),
    isDedup,
  );
  if (elsewhere !== undefined) {
    const hint = "SELECT … FROM AI_DEDUP('customers', ['name', 'city'], 'the same person') AS d";
    throw fault('UnsupportedSql', 'AI_DEDUP stands in FROM', elsewhere, hint);
  }
  return rewrite(query);

  function rewrite<T extends SqlNode[string]>(value: T): T {
    return mapNodes(value, (node) => {
      const call = tableCall(node);
      if (call === undefined) return undefined;
      return subquery(entitiesOf(call), text(node, 'alias') || 'ai_dedup', node);
    });
  }

  function entitiesOf(call: SqlNode): SqlNode {
    const args = sortArguments(call, names);
    const from = relationOf(args);
    const entity = { alias: freeName(text(from, 'table_name'), tables, ['entity', 'dedup_entity']) };
    const number = numberOf(args);
    if (keepsAll(args)) return selectNode({ select: [star, { ...number, ...entity }], from });
    const numbered = selectNode({ select: [{ ...rowNumber, alias: place }, star], from });
    return {
      ...selectNode({
        select: [
          { ...star, exclude_list: [place] },
          { ...number, ...entity },
        ],
        from: subquery(numbered, 'deduplicated'),
      }),
      qualify: isFirst(number),
    };
  }

  /** A table by its name, or a query in parentheses. */
  function relationOf(args: CallArguments): SqlNode {
    const given = args.named.get('table') ?? args.node;
    const inner = isClass(given, 'SUBQUERY') ? child(child(given, 'subquery') ?? {}, 'node') : undefined;
    if (inner !== undefined) return subquery(rewrite(inner), 'deduplicated');
    return { ...baseTable(nameOf(args, 'table', 'to deduplicate', names.usage), ''), ...placeOf(given) };
  }
}

function tableCall(node: SqlNode): SqlNode | undefined {
  const call = text(node, 'type') === 'TABLE_FUNCTION' ? child(node, 'function') : undefined;
  return call !== undefined && isDedup(call) ? call : undefined;
}

function isDedup(node: SqlNode): boolean {
  return isSemantic(node) && /^ai[._]dedup$/.test(spelledName(node));
}

/** The call that gives the number of a row's entity. */
function numberOf({ named, node }: CallArguments): SqlNode {
  const options = dedupOptions.flatMap((name) => {
    const given = named.get(name);
    if (given === undefined) return [];
    return [{ ...(name === 'within' ? columnList(given, 'within') : given), alias: name }];
  });
  const columns = columnList(named.get('columns') ?? node, 'columns');
  return functionCall('ai_dedup', [columns, named.get('instruction') ?? node, ...options], positionOf(node));
}

/** One column or a list of them. */
function columnList(given: SqlNode, what: string): SqlNode {
  const items = listLiteral(given) ?? [given];
  if (items.length === 0) throw fault('BadArgument', `the list of ${what} is empty`, given, names.usage);
  const columns = items.map((item) => {
    const name = nameIn(item);
    if (name === undefined) throw fault('BadArgument', `${what} are names of columns`, item, names.usage);
    return { ...columnRef([name]), ...placeOf(item) };
  });
  return functionCall('list_value', columns, positionOf(given));
}

function keepsAll({ named }: CallArguments): boolean {
  const given = named.get('keep');
  const word = given === undefined ? 'first' : stringLiteral(given);
  if (word === 'first' || word === 'all') return word === 'all';
  throw fault('BadArgument', "keep is 'first' (a row for each entity) or 'all' (every row)", given, names.usage);
}

/** The first row of its entity, and every row that is of none. */
function isFirst(number: SqlNode): SqlNode {
  const row = { ...rowNumber, partitions: [number], orders: [orderBy(columnRef([place]))] };
  return {
    class: 'CONJUNCTION',
    type: 'CONJUNCTION_OR',
    alias: '',
    children: [
      { class: 'OPERATOR', type: 'OPERATOR_IS_NULL', alias: '', children: [number] },
      { class: 'COMPARISON', type: 'COMPARE_EQUAL', alias: '', left: row, right: integerConstant(1) },
    ],
  };
}
