/** Conditions on single relations of a join that may be decided in any order, each over what the others have left. */
import { isIn } from './before-join.js';
import { conditionsWithin, fromOf, type JoinPart } from './join-parts.js';
import type { PlacedConditions } from './join-placement.js';
import type { JoinTools } from './joined.js';
import { asTable } from './nested.js';
import { rowNumber } from './row-number.js';
import { allOf, baseTable, columnRef, nodes, selectNode, type SqlNode, star, subquery } from './tree.js';

/** Rows that a pilot asks about. */
export const pilotRows = 16;

interface Narrowed {
  readonly alias: string;
  readonly table: string;
  readonly key: string;
}

/**
 * The relations that take the places of those with conditions. Each is numbered and kept as a table of its own, and each
 * condition is a query that narrows its table to the rows that pass, out of those that the join of all tables as they then are
 * still keeps: a semi-join (Yannakakis), whatever the order.
 */
export async function decideInAnyOrder(
  conditions: PlacedConditions['anyOrder'],
  root: JoinPart,
  { nest, narrow, parser, ctes }: Pick<JoinTools, 'nest' | 'narrow' | 'parser'> & { readonly ctes: SqlNode[string] },
): Promise<ReadonlyMap<string, SqlNode>> {
  const narrowed = new Map<string, Narrowed>();
  for (const { relation } of conditions) {
    if (narrowed.has(relation.id)) continue;
    const [alias = ''] = relation.relations;
    // NATURAL joins match columns of equal name
    const key = `__key${narrowed.size}`;
    const numbered = selectNode({
      select: [{ ...rowNumber, alias: key }, star],
      from: relation.from,
      where: allOf(relation.own),
      ctes,
    });
    narrowed.set(relation.id, { alias, key, table: await nest(asTable(numbered)) });
  }
  const replaced = new Map([...narrowed].map(([id, { table, alias }]) => [id, baseTable(table, alias)]));
  const [group = ''] = [...narrowed.values()].map(({ table }) => table);
  for (const { relation, condition } of conditions) {
    const found = narrowed.get(relation.id);
    if (found === undefined) continue;
    const { alias, key, table } = found;
    const column = columnRef([alias, key]);
    const kept = selectNode({
      select: [column],
      from: fromOf(root, replaced),
      where: allOf(conditionsWithin(root)),
      ctes,
    });
    const from = baseTable(table, alias);
    const rows = { select: [star], from, where: isIn(column, kept), ctes };
    const all = selectNode({ ...rows, where: allOf([rows.where, condition]) });
    const pilotOf = await narrow(table, all, { group });
    const some = selectNode({ ...rows, modifiers: await someRows(parser, key) });
    const pilot = selectNode({ select: [star], from: subquery(some, alias), where: condition, ctes });
    await narrow(`__p${pilotOf}`, pilot, { group, pilotOf });
  }
  return replaced;
}

/** As good as a random sample, but always the same. */
async function someRows(parser: JoinTools['parser'], key: string): Promise<readonly SqlNode[]> {
  const [example] = await parser.serialize(`SELECT 1 FROM t ORDER BY hash(${key}), ${key} LIMIT ${pilotRows}`);
  return nodes(example ?? {}, 'modifiers');
}
