/** Sizes that the placement goes by, counted in DuckDB over the tables of the run: plain SQL, no calls. */
import type { JoinColumn } from './join-columns.js';
import { type JoinSizes, type Operators, operatorIds, relationOf } from './join-operators.js';
import { conditionsWithin, type JoinPart, partsBelow } from './join-parts.js';
import type { MeasureJoin } from './join-placement.js';
import { namesRead } from './join-names.js';
import type { MeasureSql, SqlParser } from './ports.js';
import { resolveColumn, type Scope } from './scope.js';
import { allOf, selectNode, type SqlNode, star } from './tree.js';

/** One number about rows of one part that meet some conditions. */
interface Wanted {
  /** The operator. */
  readonly id: string;
  readonly from: SqlNode;
  readonly where: readonly SqlNode[];
  /** The call whose distinct prompts are counted, and the columns that they are made of; without it, rows. */
  readonly prompts?: { readonly call: string; readonly read: readonly JoinColumn[] };
}

export interface Measuring {
  readonly parser: SqlParser;
  readonly measure: MeasureSql;
  readonly ctes: SqlNode[string];
  readonly columns: readonly JoinColumn[];
}

/** Rows of every part, and distinct prompts of every condition on each part that it may be decided on: all of one part in one pass. */
export function createJoinMeasure({ parser, measure, ctes, columns }: Measuring): MeasureJoin {
  function readBy(call: SqlNode, scope: Scope): readonly JoinColumn[] | undefined {
    const held = namesRead(call, scope).map((parts) => resolveColumn(scope, parts)?.column.name);
    const read = columns.filter((column) => held.includes(column.held));
    // a merged column is one only beside the join that merges it
    return read.length === 0 || read.some(({ relation }) => relation === undefined) ? undefined : read;
  }

  function wantedOf({ join, filters, scope }: Operators): readonly Wanted[] {
    const wanted: Wanted[] = [];
    for (const part of partsBelow(join.root)) {
      const { from } = part;
      const within = conditionsWithin(part);
      const below = within.filter((condition) => !part.own.includes(condition));
      wanted.push({ id: operatorIds.plain(part.id), from, where: within });
      if (part.own.length > 0) wanted.push({ id: part.id, from, where: below });
      for (const { id: call, node } of filters) {
        const relation = relationOf(node, scope);
        const places = relation === undefined ? part === join.root : part.relations.includes(relation);
        const read = places ? readBy(node, scope) : undefined;
        if (read === undefined) continue;
        for (const [id, where] of promptPlaces(part, part === join.root, within, below)) {
          wanted.push({ id, from, where, prompts: { call, read } });
        }
      }
    }
    return wanted;
  }

  /** The numbers that are wanted of the same rows, as the columns of one query. */
  async function sqlOf(rows: readonly Wanted[]): Promise<{ readonly sql: string; readonly at: readonly number[] }> {
    const [{ from, where } = { from: {}, where: [] }] = rows;
    const read = [...new Set(rows.flatMap(({ prompts }) => prompts?.read ?? []))];
    const names = new Map(read.map((column, index) => [column, `c${index}`]));
    const select =
      read.length === 0 ? [star] : read.map((column) => ({ ...column.ref, alias: names.get(column) ?? '' }));
    const counts = rows.map(({ prompts }) =>
      prompts === undefined ? 'count(*)' : distinctOf(prompts.read.map((column) => names.get(column) ?? '')),
    );
    const distinct = [...new Set(counts)];
    const inner = await parser.deserialize(selectNode({ select, from, where: allOf(where), ctes }));
    return {
      sql: `SELECT ${distinct.join(', ')} FROM (${inner}) AS counted`,
      at: counts.map((count) => distinct.indexOf(count)),
    };
  }

  return async (operators) => {
    const groups = [...sameRows(wantedOf(operators))];
    const queries = await Promise.all(groups.map(sqlOf));
    const found = await measure(queries.map(({ sql }) => sql));
    const rows = new Map<string, number>();
    const counts: Record<string, Record<string, number>> = {};
    groups.forEach((wanted, group) =>
      wanted.forEach(({ id, prompts }, index) => {
        const count = found[group]?.[queries[group]?.at[index] ?? -1];
        if (count === undefined) return;
        if (prompts === undefined) rows.set(id, count);
        else counts[id] = { ...counts[id], [prompts.call]: count };
      }),
    );
    return { rows: partRows(operators, rows), counts };
  };
}

function sameRows(wanted: readonly Wanted[]): Iterable<readonly Wanted[]> {
  const groups = new Map<string, Wanted[]>();
  for (const one of wanted) {
    const key = JSON.stringify([one.from, one.where]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups.values();
}

/** A prompt with a NULL in it is not asked; `count(DISTINCT x)` leaves NULLs out, but not tuples that hold one. */
function distinctOf(names: readonly string[]): string {
  const [only, ...others] = names;
  if (others.length === 0) return `count(DISTINCT ${only})`;
  const known = names.map((name) => `${name} IS NOT NULL`).join(' AND ');
  return `count(DISTINCT CASE WHEN ${known} THEN (${names.join(', ')}) END)`;
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
