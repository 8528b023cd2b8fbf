/** Semantic calls that fold many rows: where they may stand, what they fold, and how their answers are read. */
import type { Fold } from '../operators/call.js';
import { expressionSql } from './column-names.js';
import { aggregateFunctions } from './duckdb-functions.js';
import { fault } from './fault.js';
import { numberLiteral } from './literals.js';
import type { SqlParser } from './ports.js';
import { isAggregate, isSemantic, shown, spelledName } from './recognise.js';
import { expandAliases, type Scope } from './scope.js';
import { allOf, child, findNode, isClass, nodes, type SqlNode, text } from './tree.js';

/** What one call says of the rows that it folds; trees over the plan's rows. */
export interface FoldDraft {
  readonly distinct: boolean;
  readonly filter?: SqlNode;
  readonly order: readonly SqlNode[];
}

/** DISTINCT, FILTER and ORDER BY of a call of an aggregate; `bind` makes an expression readable over the plan's rows. */
export function readFold(node: SqlNode, bind: (expression: SqlNode) => SqlNode): FoldDraft {
  const filter = child(node, 'filter');
  const orders = nodes(child(node, 'order_bys') ?? {}, 'orders');
  return {
    distinct: node['distinct'] === true,
    ...(filter === undefined ? {} : { filter: bind(filter) }),
    order: orders.map((order) => ({ ...order, expression: bind(child(order, 'expression') ?? {}) })),
  };
}

/** The answer of a group, which each of its rows carries. */
export function anyAnswer(answer: SqlNode, alias: string): SqlNode {
  return {
    ...{ class: 'FUNCTION', type: 'FUNCTION', alias, function_name: 'any_value', schema: '', catalog: '' },
    ...{ children: [answer], filter: null, distinct: false, is_operator: false, export_state: false },
    order_bys: { type: 'ORDER_MODIFIER', orders: [] },
  };
}

/** Throws `UnsupportedSql` for aggregates where SQL has none, inside other calls, and with grouping sets. */
export function refuseAggregates(query: SqlNode): void {
  const call = findNode(query, isAggregate);
  if (call === undefined) return;
  const sets = query['group_sets'];
  if (Array.isArray(sets) && sets.length > 1) {
    const hint = 'GROUP BY one list of keys, one query for each list.';
    throw misplaced(call, 'with GROUPING SETS, ROLLUP or CUBE', hint);
  }
  const inWhere = findNode(query['where_clause'], isAggregate);
  if (inWhere !== undefined) throw misplaced(inWhere, 'in WHERE', 'A condition on a group stands in HAVING.');
  const inKeys = findNode(query['group_expressions'], isAggregate);
  if (inKeys !== undefined) throw misplaced(inKeys, 'in GROUP BY', 'Group by columns or by answers about single rows.');
  const around = findNode(query, (node) => takesRows(node) && findNode(partsOf(node), isAggregate) !== undefined);
  if (around !== undefined) {
    const inner = findNode(partsOf(around), isAggregate) ?? around;
    const hint = 'Make the groups first: FROM (SELECT key, AI_AGG(…) AS said FROM … GROUP BY key) AS g.';
    throw misplaced(inner, `inside ${shown(spelledName(around))}`, hint);
  }
}

/** Functions whose arguments are values of single rows. */
function takesRows(node: SqlNode): boolean {
  return isSemantic(node) || isPlainAggregate(node);
}

function isPlainAggregate(node: SqlNode): boolean {
  return isClass(node, 'FUNCTION') && aggregateFunctions.has(text(node, 'function_name').toLowerCase());
}

function partsOf(node: SqlNode): SqlNode[string] {
  return [node['children'] ?? null, node['filter'] ?? null, node['order_bys'] ?? null];
}

function misplaced(call: SqlNode, place: string, hint: string): Error {
  return fault('UnsupportedSql', `${shown(spelledName(call))} ${place} is not supported`, call, hint);
}

/** The expressions that rows are grouped by: positions and aliases resolved, `GROUP BY ALL` written out. */
export function groupKeys(query: SqlNode, items: readonly SqlNode[], scope: Scope): readonly SqlNode[] {
  const folds = (node: SqlNode): boolean => isAggregate(node) || isPlainAggregate(node);
  const keys =
    query['aggregate_handling'] === 'FORCE_AGGREGATES'
      ? items.filter((item) => findNode(item, folds) === undefined)
      : nodes(query, 'group_expressions').map((key) => items[(numberLiteral(key) ?? 0) - 1] ?? key);
  return keys.map((key) => ({ ...expandAliases(scope, key), alias: '' }));
}

/** The rows of one call as SQL. `conditions`: what WHERE leaves open until all answers are there. */
export async function finishFold(
  draft: FoldDraft,
  { keys, conditions }: { readonly keys: readonly SqlNode[]; readonly conditions: readonly SqlNode[] },
  parser: SqlParser,
): Promise<Fold> {
  const where = allOf([...conditions, ...(draft.filter === undefined ? [] : [draft.filter])]);
  const groups: string[] = [];
  for (const key of keys) groups.push(await expressionSql(key, parser));
  const order: string[] = [];
  for (const term of draft.order) {
    const { type, null_order: nulls } = term;
    const sql = await expressionSql(child(term, 'expression') ?? {}, parser);
    const direction = type === 'DESCENDING' ? ' DESC' : '';
    const place = typeof nulls === 'string' && nulls !== 'ORDER_DEFAULT' ? ` ${nulls.replace('_', ' ')}` : '';
    order.push(`(${sql})${direction}${place}`);
  }
  return {
    groups,
    ...(where === null ? {} : { where: await expressionSql(where, parser) }),
    order,
    distinct: draft.distinct,
  };
}
