/** Conditions on a subquery that asks, `[NOT] EXISTS (…)` and a correlated `[NOT] IN (…)`, as semi and anti joins. */
import { aggregateFunctions } from './duckdb-functions.js';
import { isJoin, relationAlias } from './join-tree.js';
import type { TableSchema } from './plan.js';
import { findSemantic, isAggregate } from './recognise.js';
import {
  allOf,
  child,
  conjuncts,
  findNode,
  isClass,
  mapNodes,
  nodes,
  sameName,
  type SqlNode,
  text,
  texts,
} from './tree.js';

/** What a condition says of one relation: rows that have a partner there stay, or those that have none. */
interface SemiJoin {
  readonly kind: 'SEMI' | 'ANTI';
  readonly right: SqlNode;
  readonly condition: SqlNode | null;
}

/**
 * A copy of one level of a query in which such parts of WHERE are joins. A subquery that reads nothing of the query around it
 * stays in IN, where it runs by itself.
 */
export function withSemiJoins(
  query: SqlNode,
  tables: readonly TableSchema[],
  join: (left: SqlNode, semi: SemiJoin) => SqlNode,
): SqlNode {
  let from = child(query, 'from_table');
  // beside a join it runs by itself, as long as it reads nothing of it
  if (from === undefined || isJoin(from)) return query;
  const outer = relationOf(from, tables);
  const where = conjuncts(child(query, 'where_clause'));
  const kept: SqlNode[] = [];
  for (const condition of where) {
    const semi = exists(condition) ?? isIn(condition, outer, tables);
    if (semi === undefined) kept.push(condition);
    else from = join(from, semi);
  }
  return kept.length === where.length ? query : { ...query, from_table: from, where_clause: allOf(kept) };
}

/** A relation by its name, and its columns as far as they are known here. */
interface Relation {
  readonly alias: string;
  readonly columns: readonly string[] | undefined;
}

function relationOf(from: SqlNode, tables: readonly TableSchema[]): Relation {
  const isTable = text(from, 'type') === 'BASE_TABLE' && texts(from, 'column_name_alias').length === 0;
  const table = isTable ? tables.find(({ name }) => sameName(name, text(from, 'table_name'))) : undefined;
  return { alias: relationAlias(from), columns: table?.columns.map(({ name }) => name) };
}

function exists(condition: SqlNode): SemiJoin | undefined {
  const { negated, node } = withoutNot(condition);
  const inner = subqueryOf(node, 'EXISTS');
  if (inner === undefined) return undefined;
  const [kind, right] = [negated ? 'ANTI' : 'SEMI', child(inner, 'from_table') ?? {}] as const;
  return { kind, right, condition: child(inner, 'where_clause') ?? null };
}

/** `x IN (…)`, and `x > ANY (…)`, whose subquery reads columns of the query around it. */
function isIn(condition: SqlNode, outer: Relation, tables: readonly TableSchema[]): SemiJoin | undefined {
  const { negated, node } = withoutNot(condition);
  const inner = subqueryOf(node, 'ANY');
  const [value, ...others] = inner === undefined ? [] : nodes(inner, 'select_list');
  const asked = child(node, 'child');
  if (inner === undefined || value === undefined || others.length > 0 || asked === undefined) return undefined;
  if (findSemantic(asked) !== undefined) return undefined;
  const right = child(inner, 'from_table') ?? {};
  const own = relationOf(right, tables);
  const within = [...conjuncts(child(inner, 'where_clause')), value].map((part) => qualified(part, own));
  if (!within.some((part) => reads(part, outer, own))) return undefined;
  const compared = {
    ...{ class: 'COMPARISON', type: text(node, 'comparison_type'), alias: '' },
    left: qualified(asked, outer),
    right: { ...within.at(-1), alias: '' },
  };
  // of NOT IN, a row that compares as NULL leaves the answer open, and WHERE keeps what is true
  const meets = negated ? anyOf([compared, isNull(compared.left), isNull(compared.right)]) : compared;
  return { kind: negated ? 'ANTI' : 'SEMI', right, condition: allOf([...within.slice(0, -1), meets]) };
}

function withoutNot(condition: SqlNode): { readonly negated: boolean; readonly node: SqlNode } {
  const negated = text(condition, 'type') === 'OPERATOR_NOT';
  return { negated, node: (negated ? nodes(condition, 'children')[0] : condition) ?? condition };
}

/** The subquery of such a condition that asks and only filters one relation. */
function subqueryOf(node: SqlNode, type: 'EXISTS' | 'ANY'): SqlNode | undefined {
  if (!isClass(node, 'SUBQUERY') || text(node, 'subquery_type') !== type) return undefined;
  const inner = child(child(node, 'subquery') ?? {}, 'node') ?? {};
  const from = child(inner, 'from_table');
  const bare = ['group_expressions', 'modifiers', 'group_sets'].every((key) => nodes(inner, key).length === 0);
  const whole = ['having', 'qualify', 'sample'].every((key) => child(inner, key) === undefined);
  const noNames = nodes(child(inner, 'cte_map') ?? {}, 'map').length === 0;
  const asks = findSemantic(child(inner, 'where_clause')) !== undefined;
  const simple = text(inner, 'type') === 'SELECT_NODE' && from !== undefined && !isJoin(from);
  // an aggregate, a window or a list of rows makes other rows than those that pass
  const shapes = findNode(inner['select_list'], makesRows) !== undefined;
  return simple && bare && whole && noNames && asks && !shapes ? inner : undefined;
}

function makesRows(node: SqlNode): boolean {
  const name = isClass(node, 'FUNCTION') ? text(node, 'function_name').toLowerCase() : '';
  return isClass(node, 'WINDOW') || isAggregate(node) || aggregateFunctions.has(name) || name === 'unnest';
}

/** A copy in which columns of the relation are told from those of others. */
function qualified(value: SqlNode, { alias, columns }: Relation): SqlNode {
  return mapNodes(value, (node) => {
    if (!isClass(node, 'COLUMN_REF')) return undefined;
    const [first = '', ...rest] = texts(node, 'column_names');
    const isOwn = (columns ?? []).some((name) => sameName(name, first)) && !sameName(first, alias);
    return isOwn ? { ...node, column_names: [alias, first, ...rest] } : node;
  });
}

/** Whether a part of the subquery names a column of the relation around it. */
function reads(part: SqlNode, outer: Relation, own: Relation): boolean {
  const found = findNode(part, (node) => {
    const [first = '', ...rest] = isClass(node, 'COLUMN_REF') ? texts(node, 'column_names') : [];
    if (sameName(first, own.alias)) return false;
    const isColumn = own.columns !== undefined && (outer.columns ?? []).some((name) => sameName(name, first));
    return isColumn || (rest.length > 0 && sameName(first, outer.alias));
  });
  return found !== undefined;
}

function isNull(value: SqlNode): SqlNode {
  return { class: 'OPERATOR', type: 'OPERATOR_IS_NULL', alias: '', children: [value] };
}

function anyOf(children: readonly SqlNode[]): SqlNode {
  return { class: 'CONJUNCTION', type: 'CONJUNCTION_OR', alias: '', children };
}
