/** Where the conditions of a query over a join are decided: beside the join, or on one relation before it. */
import type { Placement } from '../protocol/placement.js';
import { isJoin, relationAlias } from './join-tree.js';
import { nameParts, placeholderNames } from './placeholders.js';
import { findSemantic, isSemantic } from './recognise.js';
import { findSubquery, findUnstable } from './refuse.js';
import { lambdaParameters, resolveColumn, type Scope } from './scope.js';
import { child, conjuncts, isClass, mapNodes, type SqlNode, text, texts, sameName } from './tree.js';

export interface PlacedConditions {
  /** By relation: semantic conditions, and the plain ones that narrow what they are asked about. */
  readonly before: ReadonlyMap<string, readonly SqlNode[]>;
  readonly behind: readonly SqlNode[];
}

/** `where` holds all conditions that rows of the join must meet. */
export function placeConditions(
  from: SqlNode,
  where: readonly SqlNode[],
  scope: Scope,
  placement: Placement,
): PlacedConditions {
  const movable = keptRelations(from).filter(
    (relation) => placement === 'pushdown' || isAlone(relation, from, where, scope),
  );
  const before = new Map<string, readonly SqlNode[]>();
  for (const relation of movable) {
    const own = where.filter((condition) => isMovable(condition, relation, scope));
    if (own.some((condition) => findSemantic(condition) !== undefined)) before.set(relation, own);
  }
  const moved = new Set([...before.values()].flat());
  return { before, behind: where.filter((condition) => !moved.has(condition)) };
}

function isMovable(condition: SqlNode, relation: string, scope: Scope): boolean {
  const read = relationsRead(condition, scope);
  return (
    read.size === 1 && read.has(relation) && (findSubquery(condition) ?? findUnstable(condition, scope)) === undefined
  );
}

/** Relations of which a row that fails a condition of WHERE is never needed by the join. */
function keptRelations(from: SqlNode): readonly string[] {
  // a subquery or function in FROM may read the relations before it
  if (!isJoin(from)) return text(from, 'type') === 'BASE_TABLE' ? [relationAlias(from)] : [];
  if (!['REGULAR', 'CROSS', 'NATURAL'].includes(text(from, 'ref_type'))) return [];
  const [left, right] = [child(from, 'left'), child(from, 'right')].map((side) => keptRelations(side ?? {}));
  const kept: Readonly<Partial<Record<string, readonly (readonly string[] | undefined)[]>>> = {
    INNER: [left, right],
    LEFT: [left],
    RIGHT: [right],
    SEMI: [left],
    ANTI: [left],
  };
  return (kept[text(from, 'join_type')] ?? []).flatMap((side) => side ?? []);
}

/** Whether no plain condition, USING or outer join ties a relation to another one. */
function isAlone(relation: string, from: SqlNode, where: readonly SqlNode[], scope: Scope): boolean {
  const ties = [
    ...joinTies(from, scope),
    ...where.filter((one) => findSemantic(one) === undefined).map((one) => relationsRead(one, scope)),
  ];
  return ties.every((tie) => tie.size < 2 || !tie.has(relation));
}

function joinTies(from: SqlNode, scope: Scope): readonly ReadonlySet<string>[] {
  if (!isJoin(from)) return [];
  const sides = [child(from, 'left') ?? {}, child(from, 'right') ?? {}];
  const inner = sides.flatMap((side) => joinTies(side, scope));
  const bound = text(from, 'ref_type') === 'NATURAL' || texts(from, 'using_columns').length > 0;
  if (bound || text(from, 'join_type') !== 'INNER') return [...inner, new Set(sides.flatMap(allRelations))];
  return [...inner, ...conjuncts(child(from, 'condition')).map((one) => relationsRead(one, scope))];
}

function allRelations(from: SqlNode): readonly string[] {
  if (!isJoin(from)) return [relationAlias(from)];
  return [child(from, 'left'), child(from, 'right')].flatMap((side) => allRelations(side ?? {}));
}

/** Relations whose columns an expression, or a placeholder of its prompts, reads; a merged column counts as all of them. */
export function relationsRead(expression: SqlNode, scope: Scope): ReadonlySet<string> {
  const read = new Set<string>();
  const hidden = new Set(lambdaParameters(expression));
  for (const parts of namesRead(expression, scope)) {
    if (parts.length === 1 && hidden.has(parts[0]?.toLowerCase() ?? '')) continue;
    const found = resolveColumn(scope, parts);
    const holders = (scope.relations ?? []).filter(({ columns }) =>
      [...columns.values()].some((held) => held === found?.column.name),
    );
    const all = found === undefined || holders.length === 0 ? (scope.relations ?? []) : holders;
    for (const { alias } of all) read.add(alias);
  }
  return read;
}

/** Dotted names of columns in an expression and in the placeholders of its prompts. */
export function namesRead(expression: SqlNode, scope: Scope): readonly (readonly string[])[] {
  const names: (readonly string[])[] = [];
  const visit = (value: SqlNode, inCall: boolean): void => {
    mapNodes(value, (node) => {
      if (isClass(node, 'COLUMN_REF')) names.push(texts(node, 'column_names'));
      if (inCall) names.push(...placeholderNames(node).map((name) => dotted(name, scope)));
      if (inCall || !isSemantic(node)) return undefined;
      visit({ children: node['children'] ?? [] }, true);
      // of an aggregate
      visit({ filter: node['filter'] ?? null, order: node['order_bys'] ?? null }, false);
      return node;
    });
  };
  visit(expression, false);
  return names;
}

/** A placeholder is the name of a column as it stands before its dots mean anything. */
function dotted(name: string, scope: Scope): readonly string[] {
  return resolveColumn(scope, [name]) === undefined ? nameParts(name) : [name];
}

/** The FROM clause with relations replaced. */
export function replaceRelations(from: SqlNode, replaced: ReadonlyMap<string, SqlNode>): SqlNode {
  if (!isJoin(from)) return replaced.get(relationAlias(from)) ?? from;
  const side = (key: 'left' | 'right') => replaceRelations(child(from, key) ?? {}, replaced);
  return { ...from, left: side('left'), right: side('right') };
}

/** The relation that an alias names. */
export function relationNamed(from: SqlNode, alias: string): SqlNode | undefined {
  if (!isJoin(from)) return sameName(relationAlias(from), alias) ? from : undefined;
  return relationNamed(child(from, 'left') ?? {}, alias) ?? relationNamed(child(from, 'right') ?? {}, alias);
}
