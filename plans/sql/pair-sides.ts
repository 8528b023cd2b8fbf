/** Which inputs of a call over a join are of which relation. */
import type { PairSides } from '../operators/call.js';
import { isAnswerRef } from './answers.js';
import type { Scope } from './scope.js';
import { isClass, mapNodes, type SqlNode, sameName, texts } from './tree.js';

/** The sides of a call whose inputs are of exactly two relations, each input of one; undefined for any other call. */
export function pairSides(inputs: readonly { readonly node: SqlNode }[], scope: Scope): PairSides | undefined {
  const sides = new Map<string, number[]>();
  for (const [at, { node }] of inputs.entries()) {
    const relation = relationOf(node, scope);
    if (relation === undefined) return undefined;
    sides.set(relation, [...(sides.get(relation) ?? []), at]);
  }
  const [first, second, ...more] = sides.values();
  return first === undefined || second === undefined || more.length > 0 ? undefined : [first, second];
}

/** The one relation whose columns an expression reads. */
function relationOf(expression: SqlNode, scope: Scope): string | undefined {
  const found = new Set<string | undefined>();
  mapNodes(expression, (node) => {
    if (isClass(node, 'COLUMN_REF'))
      found.add(isAnswerRef(node) ? undefined : holder(texts(node, 'column_names'), scope));
    return undefined;
  });
  const [only] = found;
  return found.size === 1 ? only : undefined;
}

/** Inputs are bound: a column is `source.name`, and fields of it behind. */
function holder([source = '', name = '']: readonly string[], { alias, relations = [] }: Scope): string | undefined {
  if (!sameName(source, alias)) return undefined;
  return relations.find(({ columns }) => [...columns.values()].some((held) => sameName(held, name)))?.alias;
}
