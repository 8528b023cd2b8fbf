/** Plans one SELECT over one relation or a join: what is asked of its rows, and the SQL around the answers. */
import type { SemanticCall } from '../operators/call.js';
import { finishFold, groupKeys, refuseAggregates } from './aggregates.js';
import { bindPlan } from './bind-plan.js';
import { type CallDraft, type Collector, createCollector } from './collect.js';
import { expressionSql, nameItems } from './column-names.js';
import { sortConditions } from './conditions.js';
import { relationAlias } from './join-tree.js';
import { joinRelations, type JoinTools } from './joined.js';
import { locating } from './locate.js';
import { pairSides } from './pair-sides.js';
import type { PlannedBlock, QueryBlock, TableSchema } from './plan.js';
import type { SqlParser } from './ports.js';
import { findSemantic } from './recognise.js';
import { refuseShape, refuseUnmovable, refuseWholeRows } from './refuse.js';
import { rowOrder } from './row-order.js';
import type { Scope } from './scope.js';
import { plainTable, sourceSelect, withModalities } from './source.js';
import { expandStars } from './stars.js';
import { topOf } from './top-k.js';
import {
  allOf,
  baseTable,
  child,
  columnRef,
  isClass,
  isNode,
  nodes,
  orderBy,
  selectNode,
  type SqlNode,
} from './tree.js';

/** What planning the blocks of one query shares. */
export interface Tools extends JoinTools {
  readonly text: string;
  /** Those of the user, and the nested queries so far. */
  readonly tables: TableSchema[];
  readonly counts: Record<SemanticCall['role'], number>;
  readonly notes: Set<string>;
}

/** Throws as `planQuery` does. */
export async function planBlock(written: SqlNode, tools: Tools): Promise<PlannedBlock> {
  const { tables, parser, describe, counts } = tools;
  refuseShape(written, findSemantic(written) ?? written);
  refuseAggregates(written);
  const { query, aliases, relations } = await joinRelations(written, tools);
  const bare = await parser.deserialize(sourceSelect(query, null));
  const described = await locating(query, () => describe(bare));
  const alias = relationAlias(child(query, 'from_table') ?? {});
  const scope: Scope = {
    alias,
    columns: withModalities(described, query, tables),
    aliases,
    ...(relations === undefined ? {} : { relations }),
  };
  const collector = createCollector(tools.text, scope, { ...counts });
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
  const planned: QueryBlock = {
    source: { alias, ...(table === undefined ? {} : { table: table.name }), sql: sourceSql },
    rows: { sql: await parser.deserialize(rows) },
    calls: await finishCalls(collector.calls(), { keys, conditions: conditions.final }, { parser, scope }),
    final: { sql: await parser.deserialize({ ...select, modifiers: order.modifiers }) },
    ...(order.stopAfter === undefined ? {} : { stopAfter: order.stopAfter }),
    ...(order.offset === undefined ? {} : { offset: order.offset }),
    ...(top === undefined ? {} : { top }),
  };
  for (const { role } of planned.calls) counts[role] += 1;
  for (const note of notesOf(collector)) tools.notes.add(note);
  return { block: planned, columns: await bindPlan(planned, query, describe, collector.calls()) };
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
  { parser, scope }: { readonly parser: SqlParser; readonly scope: Scope },
): Promise<readonly SemanticCall[]> {
  const calls: SemanticCall[] = [];
  for (const { id, role, parameters, template, output, guidance, model, position, fold, inputs: trees } of drafts) {
    const inputs = [];
    for (const { node, label, modality } of trees) {
      const sql = await expressionSql(node, parser);
      inputs.push({ sql, label: label === '' ? sql : label, modality });
    }
    const pair = parameters.kind === 'filter' ? pairSides(trees, scope) : undefined;
    calls.push({
      ...{ id, role, parameters, template, inputs, output, position },
      ...(guidance === undefined ? {} : { guidance }),
      ...(fold === undefined ? {} : { fold: await finishFold(fold, rows, parser) }),
      ...(model === undefined ? {} : { model }),
      ...(pair === undefined ? {} : { pair }),
    });
  }
  return calls;
}

function notesOf({ ignored }: Collector): readonly string[] {
  return [...ignored].map((option) => `${option} has no effect; models and error limits are options of the run`);
}
