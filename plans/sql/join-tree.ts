/** The relations of a FROM clause that joins several, and the names under which the query sees their columns. */
import { fault } from './fault.js';
import { findSemantic, shown, spelledName } from './recognise.js';
import { allOf, child, columnRef, conjuncts, type SqlNode, text, texts } from './tree.js';

export function isJoin(from: SqlNode | undefined): from is SqlNode {
  return from !== undefined && text(from, 'type') === 'JOIN';
}

/** The name by which expressions reach the relation, as DuckDB gives it. */
export function relationAlias(from: SqlNode): string {
  const alias = text(from, 'alias');
  if (alias !== '') return alias;
  const call = child(from, 'function');
  return text(from, 'table_name') || (call === undefined ? '' : text(call, 'function_name')) || 'unnamed_subquery';
}

/** A column as `SELECT *` over a join shows it; without relation where USING or NATURAL has merged two. */
export interface VisibleColumn {
  readonly relation?: string;
  readonly name: string;
  /** Reference that is valid beside the join. */
  readonly ref: SqlNode;
}

/** Aliases of the relations that expressions beside a join can read, from left to right. */
export function visibleRelations(from: SqlNode): readonly string[] {
  if (!isJoin(from)) return [relationAlias(from)];
  const [left, right] = sides(from);
  return hidesRight(from) ? visibleRelations(left) : [...visibleRelations(left), ...visibleRelations(right)];
}

/** Columns in the order of `SELECT *`; `columnsOf` gives those of one relation. */
export function visibleColumns(
  from: SqlNode,
  columnsOf: (relation: string) => readonly string[],
): readonly VisibleColumn[] {
  if (!isJoin(from)) {
    const relation = relationAlias(from);
    return columnsOf(relation).map((name) => ({ relation, name, ref: columnRef([relation, name]) }));
  }
  const [left, right] = sides(from);
  const before = visibleColumns(left, columnsOf);
  if (hidesRight(from)) return before;
  const behind = visibleColumns(right, columnsOf);
  const merged = mergedNames(from, before, behind);
  return [
    ...before.map((column) =>
      merged.has(lower(column)) ? { name: column.name, ref: columnRef([column.name]) } : column,
    ),
    ...behind.filter((column) => !merged.has(lower(column))),
  ];
}

function mergedNames(
  join: SqlNode,
  before: readonly VisibleColumn[],
  behind: readonly VisibleColumn[],
): ReadonlySet<string> {
  if (text(join, 'ref_type') !== 'NATURAL')
    return new Set(texts(join, 'using_columns').map((name) => name.toLowerCase()));
  const right = new Set(behind.map(lower));
  return new Set(before.map(lower).filter((name) => right.has(name)));
}

function lower({ name }: VisibleColumn): string {
  return name.toLowerCase();
}

function sides(join: SqlNode): readonly [SqlNode, SqlNode] {
  return [child(join, 'left') ?? {}, child(join, 'right') ?? {}];
}

function hidesRight(join: SqlNode): boolean {
  return ['SEMI', 'ANTI'].includes(text(join, 'join_type'));
}

export interface PlainJoin {
  /** Without semantic calls. */
  readonly from: SqlNode;
  /** Conditions that inner joins had, to be met by their rows. */
  readonly conditions: readonly SqlNode[];
}

/**
 * Takes the semantic conditions out of the ON clauses of inner joins: what is left joins by plain SQL, and the pairs are then
 * asked about (PLOP §3.3: an inner semantic join is a cross product and a filter). Throws `UnsupportedSql` where a
 * condition decides more than which pairs stay.
 */
export function takeJoinConditions(from: SqlNode): PlainJoin {
  if (!isJoin(from)) return { from, conditions: [] };
  const kind = text(from, 'join_type');
  const [left, right] = sides(from);
  const taken = [left, right].map((side, i) => {
    const keptWhole = kind === 'INNER' || (i === 0 ? kind !== 'RIGHT' && kind !== 'FULL' : kind === 'RIGHT');
    const inner = findSemantic(side);
    if (!keptWhole && inner !== undefined) throw misplaced(inner, kind);
    return takeJoinConditions(side);
  });
  const written = conjuncts(child(from, 'condition'));
  const conditions = written.filter((condition) => findSemantic(condition) !== undefined);
  const [first] = conditions;
  if (first !== undefined && kind !== 'INNER') throw misplaced(findSemantic(first) ?? first, kind);
  const condition = allOf(written.filter((one) => !conditions.includes(one)));
  const isCross = conditions.length > 0 && condition === null;
  return {
    from: {
      ...from,
      left: taken[0]?.from ?? left,
      right: taken[1]?.from ?? right,
      condition,
      ...(isCross ? { ref_type: 'CROSS' } : {}),
    },
    conditions: [...taken.flatMap((side) => side.conditions), ...conditions],
  };
}

function misplaced(call: SqlNode, kind: string): Error {
  const message = `${shown(spelledName(call))} in a ${kind} join is not supported here`;
  return fault('UnsupportedSql', message, call, 'Ask in the ON clause of an inner join, or in WHERE.');
}
