/** FROM as a tree of relations and joins, each with the plain conditions of WHERE that its rows meet. */
import type { Column } from '../placement/condition.js';
import { barrier } from '../placement/crossing.js';
import type { JoinKind, NodeId, PlanNode } from '../placement/tree.js';
import { namesRead, relationsRead } from './join-names.js';
import { isJoin, relationAlias, visibleRelations } from './join-tree.js';
import { findSemantic } from './recognise.js';
import { findSubquery, findUnstable } from './refuse.js';
import { resolveColumn, type Scope } from './scope.js';
import { child, conjuncts, type SqlNode, text, texts, sameName } from './tree.js';

export interface JoinPart {
  /** A relation goes by its alias. */
  readonly id: NodeId;
  readonly from: SqlNode;
  /** Aliases that expressions beside this part can read. */
  readonly relations: readonly string[];
  readonly columns: readonly Column[];
  /** Plain conditions that its rows meet, beyond those of the parts below. */
  readonly own: readonly SqlNode[];
  /** Set for a join. */
  readonly join?: {
    readonly kind: JoinKind;
    readonly left: JoinPart;
    readonly right: JoinPart;
    /** Columns of its condition, and of `own` where that is part of an inner join's. */
    readonly reads: readonly Column[];
  };
  /** Why no condition on the rows of this part may be decided before what is above it. */
  readonly fence?: string;
}

export interface PartedJoin {
  readonly root: JoinPart;
  /** Plain conditions that only the whole join can meet. */
  readonly rest: readonly SqlNode[];
}

/** Whether a condition gives the same value wherever it is decided on rows of what it reads. */
export function isSteady(condition: SqlNode, scope: Scope): boolean {
  return (findSubquery(condition) ?? findUnstable(condition, scope)) === undefined;
}

/** `where` holds all conditions that rows of the join must meet, semantic ones too. */
export function joinParts(from: SqlNode, where: readonly SqlNode[], scope: Scope): PartedJoin {
  const bare = bareParts(from, scope, new Set());
  const plain = where.filter((one) => findSemantic(one) === undefined);
  const places = new Map<NodeId, SqlNode[]>();
  const rest: SqlNode[] = [];
  for (const condition of plain) {
    const part = isSteady(condition, scope) ? lowest(bare, [...relationsRead(condition, scope)]) : undefined;
    if (part === undefined || part.fence !== undefined) rest.push(condition);
    else places.set(part.id, [...(places.get(part.id) ?? []), condition]);
  }
  return { root: withConditions(bare, places, scope), rest };
}

/** Every part, those below before those above. */
export function partsBelow(part: JoinPart): readonly JoinPart[] {
  const { join } = part;
  return [...(join === undefined ? [] : [join.left, join.right].flatMap(partsBelow)), part];
}

/** The FROM clause of a part with relations replaced, by the ids of their parts. */
export function fromOf(part: JoinPart, replaced: ReadonlyMap<NodeId, SqlNode>): SqlNode {
  const { join } = part;
  if (join === undefined) return replaced.get(part.id) ?? part.from;
  return { ...part.from, left: fromOf(join.left, replaced), right: fromOf(join.right, replaced) };
}

/** All plain conditions that the rows of a part meet. */
export function conditionsWithin(part: JoinPart): readonly SqlNode[] {
  return partsBelow(part).flatMap(({ own }) => own);
}

/** The lowest part whose rows a condition on these relations may be decided on; undefined for one that reads none. */
function lowest(part: JoinPart, relations: readonly string[]): JoinPart | undefined {
  if (relations.length === 0) return undefined;
  const { join } = part;
  if (join === undefined || part.fence !== undefined) return part;
  const side = [join.left, join.right].findIndex(
    (input, at) =>
      input.fence === undefined &&
      relations.every((name) => input.relations.includes(name)) &&
      barrier(asNode(part), at, []) === undefined,
  );
  const input = [join.left, join.right][side];
  return input === undefined ? part : lowest(input, relations);
}

/** What the rules of crossing look at. */
function asNode({ id, join }: JoinPart): PlanNode {
  const nothing: PlanNode = { kind: 'relation', id: '', relation: '', rows: 0, columns: [] };
  return { kind: 'join', id, join: join?.kind ?? 'inner', left: nothing, right: nothing, reads: [], rows: 0 };
}

function withConditions(part: JoinPart, places: ReadonlyMap<NodeId, readonly SqlNode[]>, scope: Scope): JoinPart {
  const own = places.get(part.id) ?? [];
  const { join } = part;
  if (join === undefined) return { ...part, own };
  const merged = join.kind === 'inner' || join.kind === 'cross' ? own : [];
  const reads = [...new Set([...join.reads, ...merged.flatMap((one) => columnsIn(one, scope))])];
  const kind = join.kind === 'cross' && reads.length > 0 ? 'inner' : join.kind;
  const [left, right] = [join.left, join.right].map((side) => withConditions(side, places, scope));
  return { ...part, own, join: { kind, reads, left: left ?? join.left, right: right ?? join.right } };
}

const kinds: Readonly<Partial<Record<string, JoinKind>>> = {
  INNER: 'inner',
  LEFT: 'left',
  RIGHT: 'right',
  FULL: 'full',
  OUTER: 'full',
  SEMI: 'semi',
  ANTI: 'anti',
};

function bareParts(from: SqlNode, scope: Scope, used: Set<NodeId>): JoinPart {
  if (!isJoin(from)) return relationPart(from, scope, used);
  const left = bareParts(child(from, 'left') ?? {}, scope, used);
  const right = bareParts(child(from, 'right') ?? {}, scope, used);
  const kind = kinds[text(from, 'join_type')];
  const usual = ['REGULAR', 'CROSS', 'NATURAL'].includes(text(from, 'ref_type'));
  const reads = joinReads(from, left, right, scope);
  const hidden = kind === 'semi' || kind === 'anti';
  return {
    id: fresh('join', used),
    from,
    relations: visibleRelations(from),
    columns: [...left.columns, ...(hidden ? [] : right.columns)],
    own: [],
    join: { kind: kind === 'inner' && reads.length === 0 ? 'cross' : (kind ?? 'full'), left, right, reads },
    ...(kind === undefined || !usual ? { fence: 'a join of a kind of its own' } : {}),
  };
}

function relationPart(from: SqlNode, scope: Scope, used: Set<NodeId>): JoinPart {
  const alias = relationAlias(from);
  const known = scope.relations?.find((relation) => sameName(relation.alias, alias));
  return {
    id: fresh(alias, used),
    from,
    relations: [alias],
    columns: [wholeOf(alias), ...(known?.columns.values() ?? [])].filter(isFirst),
    own: [],
    ...(text(from, 'type') === 'BASE_TABLE'
      ? {}
      : { fence: 'a subquery or function may read the relations before it' }),
  };
}

/** A relation that only a semi join sees may have the name of another. */
function fresh(name: string, used: Set<NodeId>): NodeId {
  let id = name;
  for (let i = 2; used.has(id); i++) id = `${name}#${i}`;
  used.add(id);
  return id;
}

const isFirst = <T>(item: T, at: number, all: readonly T[]): boolean => all.indexOf(item) === at;

/** A column that stands for those of a relation that are not told apart. */
function wholeOf(alias: string): Column {
  return `${alias}.*`;
}

/** Columns of the placement tree that an expression reads. */
export function columnsIn(expression: SqlNode, scope: Scope): readonly Column[] {
  const own = (scope.relations ?? []).flatMap(({ columns }) => [...columns.values()]);
  const found = namesRead(expression, scope).flatMap((parts) => resolveColumn(scope, parts)?.column.name ?? []);
  const columns = found.filter((name) => own.includes(name));
  const holders = (scope.relations ?? []).filter((relation) =>
    [...relation.columns.values()].some((held) => columns.includes(held)),
  );
  const read = [...relationsRead(expression, scope)].filter((alias) => !holders.some((one) => one.alias === alias));
  return [...columns, ...read.map(wholeOf)].filter(isFirst);
}

function joinReads(from: SqlNode, left: JoinPart, right: JoinPart, scope: Scope): readonly Column[] {
  const present = [...left.columns, ...right.columns];
  const wholes = [left, right].flatMap(({ columns }) => columns.slice(0, 1));
  const condition = child(from, 'condition');
  if (condition !== undefined) {
    const reads = conjuncts(condition).flatMap((one) => columnsIn(one, scope));
    const known = reads.filter((column) => present.includes(column)).filter(isFirst);
    return known.length === 0 ? wholes : known;
  }
  const names = texts(from, 'using_columns');
  if (names.length === 0) return text(from, 'ref_type') === 'NATURAL' ? wholes : [];
  return names.flatMap((name) => mergedColumns(name, [left, right], scope)).filter(isFirst);
}

function mergedColumns(name: string, sides: readonly JoinPart[], scope: Scope): readonly Column[] {
  return sides.flatMap(({ relations, columns }) => {
    const holder = relations.find((alias) => heldBy(alias, name, scope) !== undefined);
    const held = holder === undefined ? undefined : heldBy(holder, name, scope);
    return held !== undefined && columns.includes(held) ? [held] : columns.slice(0, 1);
  });
}

function heldBy(alias: string, name: string, scope: Scope): string | undefined {
  return scope.relations?.find((one) => sameName(one.alias, alias))?.columns.get(name.toLowerCase());
}
