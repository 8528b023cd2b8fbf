/** A query over a join becomes one over a single relation, whose rows are those of the join. */
import type { Placed } from '../placement/strategies.js';
import type { Placement } from '../protocol/placement.js';
import { decideInAnyOrder } from './any-order.js';
import { decideBefore, isRepeatable } from './before-join.js';
import { expressionSql, nameItems } from './column-names.js';
import { type JoinColumn, joinColumns, joinedAlias, relationsOf } from './join-columns.js';
import { createJoinMeasure } from './join-measures.js';
import { namesRead } from './join-names.js';
import { fromOf } from './join-parts.js';
import { placeConditions } from './join-placement.js';
import { isJoin, takeJoinConditions } from './join-tree.js';
import type { NestedBlock } from './plan.js';
import type { DescribeSql, MeasureSql, SqlParser } from './ports.js';
import { findSemantic } from './recognise.js';
import {
  aliasesOf,
  expandAliases,
  type JoinedRelation,
  lambdaParameters,
  resolveColumn,
  type Scope,
  sourceRef,
  unknownColumn,
  withoutMethodCalls,
} from './scope.js';
import { findUnstable, wholeRow } from './refuse.js';
import { isAggregated } from './row-order.js';
import { expandStars } from './stars.js';
import {
  allOf,
  child,
  conjuncts,
  isClass,
  isQuery,
  mapNodes,
  nodes,
  sameName,
  selectNode,
  type SqlNode,
  subquery,
  text,
  texts,
} from './tree.js';

export interface JoinedQuery {
  /** Reads one subquery, which joins by plain SQL and meets the plain conditions of WHERE. */
  readonly query: SqlNode;
  /** Absent where the query reads one relation anyhow. */
  readonly relations?: readonly JoinedRelation[];
  /** The aliases that the user gave to select items, over the new relation. */
  readonly aliases: ReadonlyMap<string, SqlNode>;
}

export interface JoinTools {
  readonly parser: SqlParser;
  readonly describe: DescribeSql;
  readonly placement: Placement;
  /** Plans a query that runs before this one; returns the table of its rows. */
  readonly nest: (query: SqlNode) => Promise<string>;
  /** Plans a query whose rows take the place of a table of `nest`, or a pilot; returns its index among the nested queries. */
  readonly narrow: (
    table: string,
    query: SqlNode,
    as: Required<Pick<NestedBlock, 'group'>> & Pick<NestedBlock, 'pilotOf'>,
  ) => Promise<number>;
  /** Counts over the tables of the run; absent: estimates do without. */
  readonly measure?: MeasureSql;
  /** Hears how the conditions of each join were placed. */
  readonly onPlaced?: (placed: Placed) => void;
}

/**
 * Puts a join into a subquery that gives every column a name of its own: only the columns that are read, since the pairs of
 * a cross product are many. Throws `UnsupportedSql` for a semantic condition of an outer join, `UnknownColumn` for an
 * ambiguous name.
 */
export async function joinRelations(query: SqlNode, tools: JoinTools): Promise<JoinedQuery> {
  const { parser, describe, placement } = tools;
  const written = child(query, 'from_table');
  const select = nodes(query, 'select_list');
  if (!isJoin(written)) return { query, aliases: aliasesOf(select) };
  const { from, conditions } = takeJoinConditions(written);
  const columns = await joinColumns({ ...query, from_table: from }, parser, describe);
  const scope: Scope = {
    alias: joinedAlias,
    columns: columns.map(({ held, type }) => ({ name: held, type })),
    aliases: aliasesOf(select),
    relations: relationsOf(from, columns),
  };
  const items = await namedItems(select, scope, columns, parser);
  const names = new Set(items.map(({ alias }) => alias.toLowerCase()));
  const where = [...conditions, ...conjuncts(child(query, 'where_clause'))].map((one) => expandAliases(scope, one));
  const ctes = query['cte_map'] ?? { map: [] };
  const placed = await placeConditions(
    {
      ...{ from, where, scope, select },
      isRepeatable: (part) => isRepeatable(part, query, scope),
      stopsEarly: stopsEarly(query),
    },
    placement,
    parser,
    tools.measure === undefined ? undefined : createJoinMeasure({ parser, measure: tools.measure, ctes, columns }),
  );
  tools.onPlaced?.(placed.placed);
  const before = new Map<string, SqlNode>(await decideInAnyOrder(placed.anyOrder, placed.root, { ...tools, ctes }));
  for (const [step, one] of placed.before.entries()) {
    before.set(one.relation.id, await decideBefore(one, { replaced: before, ctes, nest: tools.nest, step }));
  }
  const plain = placed.behind.filter((condition) => findSemantic(condition) === undefined);
  const rebound = {
    select_list: items.map(({ item, alias }) => ({ ...rebind(item, scope), alias })),
    where_clause: allOf(placed.behind.filter((one) => !plain.includes(one)).map((one) => rebind(one, scope))),
    group_expressions: nodes(query, 'group_expressions').map((one) => rebind(one, scope)),
    having: rebindOptional(child(query, 'having'), scope),
    qualify: rebindOptional(child(query, 'qualify'), scope),
    modifiers: nodes(query, 'modifiers').map((modifier) => rebindModifier(modifier, scope, names)),
  };
  const read = columnsRead(rebound, scope);
  const kept = columns.filter(({ held }) => read.has(held));
  // a relation has at least one column; which one is nothing to the query
  const given = kept.length > 0 ? kept : columns.slice(0, 1);
  const inner = selectNode({
    select: given.map(({ ref, held }) => ({ ...ref, alias: held })),
    from: fromOf(placed.root, before),
    where: allOf(plain),
  });
  return {
    query: { ...query, ...rebound, from_table: subquery(inner, joinedAlias) },
    relations: scope.relations ?? [],
    aliases: new Map([...scope.aliases].map(([name, item]) => [name, rebind(item, scope)])),
  };
}

/** Whether LIMIT may end the query before all rows have been asked about. */
function stopsEarly(query: SqlNode): boolean {
  const limited = nodes(query, 'modifiers').some((modifier) => text(modifier, 'type').startsWith('LIMIT'));
  return limited && !isAggregated(query);
}

interface NamedItem {
  readonly item: SqlNode;
  readonly alias: string;
}

/** Select items with the names that DuckDB would give their columns. */
async function namedItems(
  select: readonly SqlNode[],
  scope: Scope,
  columns: readonly JoinColumn[],
  parser: SqlParser,
): Promise<readonly NamedItem[]> {
  const items = expandStars(select, scope, (relation) => {
    const known = relation === '' || scope.relations?.some(({ alias }) => sameName(alias, relation)) === true;
    if (!known) return undefined;
    const own = columns.filter((column) => column.relation !== undefined && sameName(column.relation, relation));
    const chosen = relation === '' ? inOrder(columns) : own;
    return chosen.map(({ name, ref }) => ({ name, ref, alias: name }));
  });
  const names = await nameItems(
    items,
    scope.columns.map(({ name }) => name),
    parser,
  );
  return Promise.all(
    items.map(async (item, i) => ({ item, alias: (names[i] ?? '') || (await defaultName(item, parser)) })),
  );
}

function inOrder(columns: readonly JoinColumn[]): readonly JoinColumn[] {
  const shown = columns.filter(({ place }) => place !== undefined);
  return shown.toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0));
}

async function defaultName(item: SqlNode, parser: SqlParser): Promise<string> {
  return isClass(item, 'COLUMN_REF') ? (texts(item, 'column_names').at(-1) ?? '') : expressionSql(item, parser);
}

/** A copy that names the columns of the joined relation. Throws `UnknownColumn` for a name that no relation has, or several. */
function rebind(expression: SqlNode, scope: Scope): SqlNode {
  const hidden = new Set(lambdaParameters(expression));
  return mapNodes(withoutMethodCalls(scope, expression), (node) => {
    if (isQuery(node)) return node;
    const parts = isClass(node, 'COLUMN_REF') ? texts(node, 'column_names') : [];
    const [name = ''] = parts;
    if (parts.length === 0 || hidden.has(name.toLowerCase())) return undefined;
    const found = resolveColumn(scope, parts);
    if (found !== undefined)
      return { ...node, ...sourceRef(scope, found.column.name, found.fields), alias: text(node, 'alias') };
    const isRelation = scope.relations?.some(({ alias }) => sameName(alias, name)) === true;
    if (parts.length > 1) {
      if (isRelation) throw unknownColumn(scope, parts.join('.'), node);
      return undefined;
    }
    // some functions look like columns
    if (scope.aliases.has(name.toLowerCase()) || findUnstable(node, scope) !== undefined) return undefined;
    throw isRelation ? wholeRow(node) : unknownColumn(scope, name, node);
  });
}

function rebindOptional(expression: SqlNode | undefined, scope: Scope): SqlNode | null {
  return expression === undefined ? null : rebind(expression, scope);
}

/** A sort key that is a lone name is a select item first, as in DuckDB. */
function rebindModifier(modifier: SqlNode, scope: Scope, items: ReadonlySet<string>): SqlNode {
  const key = (expression: SqlNode): SqlNode => {
    const parts = isClass(expression, 'COLUMN_REF') ? texts(expression, 'column_names') : [];
    return parts.length === 1 && items.has(parts[0]?.toLowerCase() ?? '') ? expression : rebind(expression, scope);
  };
  const orders = nodes(modifier, 'orders').map((order) => ({
    ...order,
    expression: key(child(order, 'expression') ?? {}),
  }));
  const targets = nodes(modifier, 'distinct_on_targets').map(key);
  return {
    ...modifier,
    ...(orders.length > 0 ? { orders } : {}),
    ...(targets.length > 0 ? { distinct_on_targets: targets } : {}),
  };
}

/** Names, in the joined relation, of the columns that expressions or the placeholders of their prompts read. */
function columnsRead(parts: SqlNode, scope: Scope): ReadonlySet<string> {
  const found = namesRead(parts, scope).map((name) => resolveColumn(scope, name)?.column.name);
  return new Set(found.filter((name) => name !== undefined));
}
