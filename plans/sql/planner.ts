import type { SemanticCall } from '../operators/call.js';
import { finishFold, groupKeys, refuseAggregates } from './aggregates.js';
import { bindPlan } from './bind-plan.js';
import { type CallDraft, type Collector, createCollector } from './collect.js';
import { expressionSql, nameItems } from './column-names.js';
import { sortConditions } from './conditions.js';
import { fault } from './fault.js';
import { tokenize } from './lexer.js';
import { locating } from './locate.js';
import { planPlainQuery } from './plain-query.js';
import type { QueryPlan, TableSchema } from './plan.js';
import type { DescribeSql, SqlParser } from './ports.js';
import { checkFunctions, findSemantic } from './recognise.js';
import { refuseShape, refuseUnmovable, refuseWholeRows } from './refuse.js';
import { normaliseRelations } from './relations.js';
import { rowOrder } from './row-order.js';
import type { Scope } from './scope.js';
import { plainTable, relationAlias, sourceSelect, withModalities } from './source.js';
import { type Search, takeSearch } from './search.js';
import { withoutSimilarity } from './similarity.js';
import { expandStars } from './stars.js';
import { topOf } from './top-k.js';
import { renameReserved } from './tokens.js';
import {
  allOf,
  baseTable,
  child,
  columnRef,
  findNode,
  isClass,
  isNode,
  nodes,
  orderBy,
  selectNode,
  type SqlNode,
  text,
} from './tree.js';

export interface PlanRequest {
  /** As the user wrote it. */
  readonly sql: string;
  /** Every table that the query may read, files under exactly the name in the SQL. */
  readonly tables: readonly TableSchema[];
  readonly parser: SqlParser;
  /** Binds against empty tables of those schemas. */
  readonly describe: DescribeSql;
}

/**
 * Plans a query: checks all of it, semantic calls and plain SQL, before anything is asked. Throws `FermataError` with
 * the position in the user's text: `SqlSyntax`, `UnknownTable`, `UnknownColumn`, `UnknownFunction`, `BadArgument`,
 * `PromptWithoutColumn`, `TypeMismatch`, or `UnsupportedSql` with a way to write it instead.
 *
 * @example
 * const plan = await planQuery({ sql: "SELECT id FROM t WHERE AI_FILTER('Is it spam? {body}')", tables, parser, describe });
 */
export async function planQuery({ sql, tables, parser, describe }: PlanRequest): Promise<QueryPlan> {
  const text = renameReserved(sql);
  const [statement, second] = await parser.serialize(text);
  if (statement === undefined) throw fault('SqlSyntax', 'the query is empty', 0);
  if (second !== undefined) {
    const place = findNode(second, (node) => typeof node['query_location'] === 'number');
    throw fault('UnsupportedSql', 'one query at a time', place, 'Run each statement by itself.');
  }
  if (findNode(statement, (node) => isClass(node, 'PARAMETER')) !== undefined) {
    const place = tokenize(text).find(({ kind }) => kind === 'parameter')?.start;
    throw fault('UnsupportedSql', 'a query cannot have parameters', place, 'Write the value into the SQL text.');
  }
  checkFunctions(statement);
  const written = withoutSimilarity(statement);
  const search = takeSearch(written, tables);
  const query = normaliseRelations(search?.found ?? written, tables);
  const call = findSemantic(query);
  if (call === undefined) return planPlainQuery({ query, tables, parser, describe });
  refuseShape(query, call);
  refuseAggregates(query);
  return planSelect(query, text, { tables, parser, describe, ...(search === undefined ? {} : { search }) });
}

interface Tools extends Omit<PlanRequest, 'sql'> {
  readonly search?: Search;
}

async function planSelect(query: SqlNode, sql: string, tools: Tools): Promise<QueryPlan> {
  const { tables, parser, describe, search } = tools;
  const bare = await parser.deserialize(sourceSelect(query, null));
  const described = await locating(query, () => describe(bare));
  const alias = relationAlias(child(query, 'from_table') ?? {});
  const scope: Scope = {
    alias,
    columns: withModalities(described, query, tables),
    aliases: aliasesOf(nodes(query, 'select_list')),
  };
  const collector = createCollector(sql, scope);
  const conditions = sortConditions(child(query, 'where_clause'), scope, collector);
  const block = await rewriteBlock(query, scope, collector, parser);
  const select = { ...block, where_clause: allOf(conditions.final) };
  const keys = collector.rewrite(groupKeys(query, expandStars(nodes(query, 'select_list'), scope), scope));
  // labels are found among all rows
  const undecided =
    conditions.final.length > 0 || collector.calls().some(({ parameters: { kind } }) => kind === 'group');
  const order = rowOrder({ select, scope, undecided });
  const top = topOf({ select, scope, undecided }, collector.calls());

  const table = conditions.source.length === 0 ? plainTable(query, tables) : undefined;
  const sourceSql = await parser.deserialize(sourceSelect(query, allOf(conditions.source)));
  const rows = selectNode({
    select: [columnRef(['__row'])],
    from: baseTable('__source', alias),
    where: allOf(conditions.rows),
    modifiers: [{ type: 'ORDER_MODIFIER', orders: [...order.keys, orderBy(columnRef([alias, '__row']))] }],
  });
  const found = { ...select, modifiers: order.modifiers };
  const plan: QueryPlan = {
    v: 1,
    source: { alias, ...(table === undefined ? {} : { table: table.name }), sql: sourceSql },
    rows: { sql: await parser.deserialize(rows) },
    calls: await finishCalls(collector.calls(), { keys, conditions: conditions.final }, parser),
    final: { sql: await parser.deserialize(search?.around(found) ?? found) },
    ...(order.stopAfter === undefined ? {} : { stopAfter: order.stopAfter }),
    ...(order.offset === undefined ? {} : { offset: order.offset }),
    ...(top === undefined ? {} : { top }),
    ...notesOf(collector),
  };
  await bindPlan(plan, search?.around(query) ?? query, describe, collector.calls());
  return plan;
}

function aliasesOf(select: readonly SqlNode[]): ReadonlyMap<string, SqlNode> {
  const aliases = new Map<string, SqlNode>();
  for (const item of select) {
    const alias = text(item, 'alias').toLowerCase();
    if (alias !== '' && !aliases.has(alias)) aliases.set(alias, { ...item, alias: '' });
  }
  return aliases;
}

/** The SELECT over `__rows`, without its WHERE: stars written out, calls taken out, unnamed items named. */
async function rewriteBlock(query: SqlNode, scope: Scope, collector: Collector, parser: SqlParser): Promise<SqlNode> {
  const items = expandStars(nodes(query, 'select_list'), scope);
  const names = await nameItems(
    items,
    scope.columns.map(({ name }) => name),
    parser,
  );
  const rest = {
    group_expressions: query['group_expressions'] ?? [],
    having: query['having'] ?? null,
    qualify: query['qualify'] ?? null,
    modifiers: query['modifiers'] ?? [],
  };
  refuseUnmovable([items, ...Object.values(rest)], scope);
  const sortKeys = nodes(query, 'modifiers').flatMap((modifier) =>
    nodes(modifier, 'orders').map((order) => order['expression'] ?? null),
  );
  // ORDER BY ALL is a star over the select list
  const keys = sortKeys.filter((key) => !(isNode(key) && isClass(key, 'STAR')));
  for (const part of [rest.group_expressions, rest.having, rest.qualify, keys]) refuseWholeRows(part, scope);
  return {
    ...query,
    select_list: items.map((item, i) => ({ ...collector.rewrite(item), alias: names[i] ?? '' })),
    from_table: baseTable('__rows', scope.alias),
    cte_map: { map: [] },
    group_expressions: collector.rewrite(rest.group_expressions),
    having: collector.rewrite(rest.having),
    qualify: collector.rewrite(rest.qualify),
    modifiers: collector.rewrite(rest.modifiers),
  };
}

async function finishCalls(
  drafts: readonly CallDraft[],
  rows: Parameters<typeof finishFold>[1],
  parser: SqlParser,
): Promise<readonly SemanticCall[]> {
  const calls: SemanticCall[] = [];
  for (const { id, role, parameters, template, output, guidance, model, position, fold, inputs: trees } of drafts) {
    const inputs = [];
    for (const { node, label, modality } of trees) {
      const sql = await expressionSql(node, parser);
      inputs.push({ sql, label: label === '' ? sql : label, modality });
    }
    calls.push({
      ...{ id, role, parameters, template, inputs, output, position },
      ...(guidance === undefined ? {} : { guidance }),
      ...(fold === undefined ? {} : { fold: await finishFold(fold, rows, parser) }),
      ...(model === undefined ? {} : { model }),
    });
  }
  return calls;
}

function notesOf({ ignored }: Collector): Pick<QueryPlan, 'notes'> {
  if (ignored.size === 0) return {};
  return {
    notes: [...ignored].map((option) => `${option} has no effect; models and error limits are options of the run`),
  };
}
