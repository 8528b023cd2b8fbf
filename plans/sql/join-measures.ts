/** Sizes that the placement goes by, counted in DuckDB over the tables of the run: plain SQL, no calls. */
import type { JoinColumn } from './join-columns.js';
import { type JoinSizes, type Operators, operatorIds, relationOf } from './join-operators.js';
import { conditionsWithin, type JoinPart, partsBelow } from './join-parts.js';
import type { MeasureJoin } from './join-placement.js';
import { namesRead } from './join-names.js';
import type { MeasureSql, SqlParser } from './ports.js';
import { resolveColumn, type Scope } from './scope.js';
import { allOf, selectNode, type SqlNode, star } from './tree.js';

interface Wanted {
  /** The operator, and the call whose prompts are counted; without it, rows. */
  readonly id: string;
  readonly call?: string;
  readonly sql: string;
}

export interface Measuring {
  readonly parser: SqlParser;
  readonly measure: MeasureSql;
  readonly ctes: SqlNode[string];
  readonly columns: readonly JoinColumn[];
}

/** Rows of every part, and distinct prompts of every condition on each part that it may be decided on. */
export function createJoinMeasure({ parser, measure, ctes, columns }: Measuring): MeasureJoin {
  const rowsSql = async (from: SqlNode, where: readonly SqlNode[]): Promise<string> =>
    `SELECT count(*) FROM (${await parser.deserialize(selectNode({ select: [star], from, where: allOf(where), ctes }))}) AS counted`;

  /** A prompt with a NULL in it is not asked. */
  const promptsSql = async (
    from: SqlNode,
    where: readonly SqlNode[],
    call: SqlNode,
    scope: Scope,
  ): Promise<string | undefined> => {
    const held = namesRead(call, scope).map((parts) => resolveColumn(scope, parts)?.column.name);
    const read = columns.filter((column) => held.includes(column.held));
    // a merged column is one only beside the join that merges it
    if (read.length === 0 || read.some(({ relation }) => relation === undefined)) return undefined;
    const select = read.map(({ ref }, at) => ({ ...ref, alias: `c${at}` }));
    const modifiers = [{ type: 'DISTINCT_MODIFIER', distinct_on_targets: [] }];
    const sql = await parser.deserialize(selectNode({ select, from, where: allOf(where), ctes, modifiers }));
    const known = select.map(({ alias }) => `${alias} IS NOT NULL`).join(' AND ');
    return `SELECT count(*) FROM (${sql}) AS counted WHERE ${known}`;
  };

  async function queries({ join, filters, scope }: Operators): Promise<readonly Wanted[]> {
    const wanted: Wanted[] = [];
    for (const part of partsBelow(join.root)) {
      const within = conditionsWithin(part);
      const below = within.filter((condition) => !part.own.includes(condition));
      wanted.push({ id: operatorIds.plain(part.id), sql: await rowsSql(part.from, within) });
      if (part.own.length > 0) wanted.push({ id: part.id, sql: await rowsSql(part.from, below) });
      for (const { id: call, node } of filters) {
        const relation = relationOf(node, scope);
        const places = relation === undefined ? part === join.root : part.relations.includes(relation);
        if (!places) continue;
        for (const [id, where] of promptPlaces(part, part === join.root, within, below)) {
          const sql = await promptsSql(part.from, where, node, scope);
          if (sql !== undefined) wanted.push({ id, call, sql });
        }
      }
    }
    return wanted;
  }

  return async (operators) => {
    const wanted = await queries(operators);
    const found = await measure(wanted.map(({ sql }) => sql));
    const rows = new Map<string, number>();
    const counts: Record<string, Record<string, number>> = {};
    wanted.forEach(({ id, call }, at) => {
      const count = found[at];
      if (count === undefined) return;
      if (call === undefined) rows.set(id, count);
      else counts[id] = { ...counts[id], [call]: count };
    });
    return { rows: partRows(operators, rows), counts };
  };
}

/** Operators of one part, with the conditions that their rows meet. */
function promptPlaces(
  part: JoinPart,
  isRoot: boolean,
  within: readonly SqlNode[],
  below: readonly SqlNode[],
): readonly (readonly [string, readonly SqlNode[]])[] {
  const isInner = part.join?.kind === 'inner' || part.join?.kind === 'cross';
  const own: readonly (readonly [string, readonly SqlNode[]])[] =
    part.own.length === 0 || isInner
      ? [[part.id, within]]
      : [
          [part.id, below],
          [operatorIds.plain(part.id), within],
        ];
  return isRoot ? [...own, ...[operatorIds.rest, operatorIds.several].map((id) => [id, within] as const)] : own;
}

function partRows({ join }: Operators, rows: ReadonlyMap<string, number>): JoinSizes['rows'] {
  return new Map(
    partsBelow(join.root).flatMap(({ id }) => {
      const met = rows.get(operatorIds.plain(id));
      return met === undefined ? [] : [[id, { bare: rows.get(id) ?? met, met }] as const];
    }),
  );
}
