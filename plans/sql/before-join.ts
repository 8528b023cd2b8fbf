/** Conditions that are decided on one relation before the join: nested queries whose rows take its place. */
import { conditionsWithin, fromOf, type JoinPart, partsBelow } from './join-parts.js';
import type { BeforeJoin } from './join-placement.js';
import { asTable } from './nested.js';
import { findUnstable } from './refuse.js';
import { rowNumber } from './row-number.js';
import type { Scope } from './scope.js';
import { allOf, baseTable, child, columnRef, nodes, selectNode, type SqlNode, star, text } from './tree.js';

/** Where the relations of a join are read. */
export interface BeforeContext {
  /** Relations that earlier steps have replaced, by the ids of their parts. */
  readonly replaced: ReadonlyMap<string, SqlNode>;
  readonly ctes: SqlNode[string];
  readonly nest: (query: SqlNode) => Promise<string>;
  /** Number of the step: each keeps its row numbers under a name of its own, for NATURAL joins. */
  readonly step: number;
}

/**
 * The relation that takes the place of the one that a step is about. Where the step wants only rows that a part of the join
 * keeps, the relation is numbered first, and the part is joined for the numbers alone: a semi-join, whatever the joins are.
 */
export async function decideBefore(
  { relation, conditions, within }: BeforeJoin,
  { replaced, ctes, nest, step }: BeforeContext,
): Promise<SqlNode> {
  const [alias = ''] = relation.relations;
  const current = fromOf(relation, replaced);
  if (within === undefined) {
    const rows = selectNode({ select: [star], from: current, where: allOf(conditions), ctes });
    return baseTable(await nest(rows), alias);
  }
  const key = `__key${step}`;
  const numbered = selectNode({ select: [{ ...rowNumber, alias: key }, star], from: current, ctes });
  const keyed = baseTable(await nest(asTable(numbered)), alias);
  const kept = selectNode({
    select: [columnRef([alias, key])],
    from: fromOf(within, new Map([...replaced, [relation.id, keyed]])),
    where: allOf(conditionsWithin(within)),
    ctes,
  });
  const rows = selectNode({
    select: [star],
    from: keyed,
    where: allOf([isIn(columnRef([alias, key]), kept), ...conditions]),
    ctes,
  });
  return baseTable(await nest(rows), alias);
}

/** `value IN (query)`. */
export function isIn(value: SqlNode, query: SqlNode): SqlNode {
  return {
    ...{ class: 'SUBQUERY', type: 'SUBQUERY', alias: '', subquery_type: 'ANY', comparison_type: 'COMPARE_EQUAL' },
    subquery: { node: query },
    child: value,
  };
}

/**
 * Whether a part of FROM has the same rows each time that it is read: it joins tables as they stand, by conditions that
 * always say the same.
 */
export function isRepeatable(part: JoinPart, query: SqlNode, scope: Scope): boolean {
  const named = new Set(nodes(child(query, 'cte_map') ?? {}, 'map').map((entry) => text(entry, 'key').toLowerCase()));
  return partsBelow(part).every(({ join, from }) => {
    if (join !== undefined) return findUnstable(from['condition'], scope) === undefined;
    const isTable = text(from, 'type') === 'BASE_TABLE' && child(from, 'sample') === undefined;
    return isTable && !named.has(text(from, 'table_name').toLowerCase());
  });
}
