import type { Join, Operator } from '../algebra/operator.js';
import { schemaOf } from '../algebra/walk.js';
import { type Attribute, attributeOf } from '../relation/schema.js';
import { type Verdict, verdictOf } from './shape.js';

/** A semantic join as plans have it first: σ Answer = 'yes' over a task that compares the two sides of a join. */
export interface PairVerdict {
  readonly verdict: Verdict;
  readonly join: Join;
  readonly left: Attribute;
  readonly right: Attribute;
}

/** The join that an operator decides pair by pair, or undefined. */
export function pairVerdictOf(operator: Operator): PairVerdict | undefined {
  const verdict = verdictOf(operator);
  if (verdict === undefined || verdict.apply.input.kind !== 'join' || verdict.apply.input.how !== 'inner')
    return undefined;
  const join = verdict.apply.input;
  const bound = Object.values(verdict.apply.bind).flatMap((binding) =>
    'attribute' in binding ? [binding.attribute] : [],
  );
  const on = (side: Operator): readonly Attribute[] => bound.flatMap((name) => attributeOf(schemaOf(side), name) ?? []);
  const [left] = on(join.left);
  const [right] = on(join.right);
  return left === undefined || right === undefined ? undefined : { verdict, join, left, right };
}
