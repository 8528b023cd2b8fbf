/** Sorts the conditions of WHERE by where they can be decided. */
import type { Collector } from './collect.js';
import { relationsRead } from './join-names.js';
import { findSemantic, isSemantic } from './recognise.js';
import { findSubquery, findUnstable, refuseUnmovable, refuseWholeRows } from './refuse.js';
import { expandAliases, type Scope } from './scope.js';
import { conjuncts, type SqlNode } from './tree.js';

export interface Conditions {
  /** Decided while the source is made: they read other tables, or would not give the same value twice. */
  readonly source: readonly SqlNode[];
  /** Plain conditions on a row: decided before any call. */
  readonly rows: readonly SqlNode[];
  /** Those that read an answer otherwise than as one filter call: decided after all calls. */
  readonly final: readonly SqlNode[];
}

/** Splits at every AND; a conjunct that is one filter call goes to the collector and nowhere else. */
export function sortConditions(where: SqlNode | undefined, scope: Scope, collector: Collector): Conditions {
  const source: SqlNode[] = [];
  const rows: SqlNode[] = [];
  const semantic: SqlNode[] = [];
  for (const written of conjuncts(where)) {
    const conjunct = expandAliases(scope, written);
    refuseWholeRows(conjunct, scope);
    if (findSemantic(conjunct) !== undefined) semantic.push(conjunct);
    else if (findSubquery(conjunct) ?? findUnstable(conjunct, scope)) source.push(conjunct);
    else rows.push(collector.rewrite(conjunct));
  }
  // every filter first, so that a value call equal to a filter is recognised as answered
  const inOrder = semantic.flatMap(conjuncts).toSorted((a, b) => width(a, scope) - width(b, scope));
  const filters = inOrder.filter((conjunct) => isSemantic(conjunct) && collector.filter(conjunct));
  const rest = semantic.flatMap(conjuncts).filter((conjunct) => !filters.includes(conjunct));
  for (const conjunct of rest) refuseUnmovable(conjunct, scope);
  return { source, rows, final: rest.map((conjunct) => collector.rewrite(conjunct)) };
}

/** A condition on pairs is asked about fewer of them once those on one side have been decided. */
function width(condition: SqlNode, scope: Scope): number {
  return scope.relations === undefined ? 0 : relationsRead(condition, scope).size;
}
