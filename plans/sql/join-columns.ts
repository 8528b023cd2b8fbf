/** The columns of a join, each under a name of its own. */
import { fault } from './fault.js';
import { visibleColumns, visibleRelations } from './join-tree.js';
import { locating } from './locate.js';
import type { PlanColumn } from './plan.js';
import type { DescribeSql, SqlParser } from './ports.js';
import type { JoinedRelation } from './scope.js';
import { child, selectNode, type SqlNode, star, sameName } from './tree.js';

/** Name of the relation that a join becomes. */
export const joinedAlias = '__joined';

export interface JoinColumn {
  /** Absent for a column that USING has merged. */
  readonly relation?: string;
  readonly name: string;
  readonly type: string;
  /** Reference beside the join. */
  readonly ref: SqlNode;
  /** Its name in the joined relation. */
  readonly held: string;
  /** Its place in `SELECT *`; absent where that does not show it. */
  readonly place?: number;
}

/** Every column that an expression beside the join can name. */
export async function joinColumns(
  query: SqlNode,
  parser: SqlParser,
  describe: DescribeSql,
): Promise<readonly JoinColumn[]> {
  const from = child(query, 'from_table') ?? {};
  const relations = visibleRelations(from);
  const twice = relations.find((name, i) => relations.slice(0, i).some((other) => sameName(name, other)));
  if (twice !== undefined) {
    const hint = `Give each its own alias: FROM ${twice} AS a JOIN ${twice} AS b.`;
    throw fault('UnsupportedSql', `the join reads two relations named "${twice}"`, from, hint);
  }
  const described = new Map<string, readonly PlanColumn[]>();
  for (const relation of relations) {
    const every = selectNode({
      select: [{ ...star, relation_name: relation }],
      from,
      ctes: query['cte_map'] ?? { map: [] },
    });
    const sql = await parser.deserialize(every);
    described.set(relation, await locating(query, () => describe(sql)));
  }
  const shown = visibleColumns(from, (relation) => (described.get(relation) ?? []).map(({ name }) => name));
  const merged = shown.filter(({ relation }) => relation === undefined);
  const own = relations.flatMap((relation) =>
    visibleColumns({ alias: relation }, () => (described.get(relation) ?? []).map(({ name }) => name)),
  );
  const used = new Set<string>();
  return [...merged, ...own].map((column) => {
    const { relation, name } = column;
    const alone = shown.filter((other) => sameName(other.name, name)).length === 1;
    const place = shown.findIndex((other) => other.relation === relation && sameName(other.name, name));
    const wanted = place >= 0 && alone ? name : `${relation ?? ''}.${name}`;
    let held = wanted;
    for (let i = 2; used.has(held.toLowerCase()); i++) held = `${wanted}_${i}`;
    used.add(held.toLowerCase());
    const holder = relation ?? relations.find((one) => described.get(one)?.some((other) => sameName(other.name, name)));
    const type = described.get(holder ?? '')?.find((other) => sameName(other.name, name))?.type ?? 'VARCHAR';
    return { ...column, held, type, ...(place < 0 ? {} : { place }) };
  });
}

/** What each relation of the join calls the columns. */
export function relationsOf(from: SqlNode, columns: readonly JoinColumn[]): readonly JoinedRelation[] {
  return visibleRelations(from).map((alias) => {
    const own = columns.filter(({ relation }) => relation !== undefined && sameName(relation, alias));
    return { alias, columns: new Map(own.map(({ name, held }) => [name.toLowerCase(), held])) };
  });
}
