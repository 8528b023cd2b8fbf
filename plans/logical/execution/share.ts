import { planHash } from '../../algebra/canonical.js';
import type { Operator } from '../../algebra/operator.js';
import { mapPlan } from '../../algebra/walk.js';

/** The plan with parts of one canonical form held once, so that they are computed once. */
export function shareEqual(root: Operator): Operator {
  const known = new Map<string, Operator>();
  return mapPlan(root, (operator) => {
    const hash = planHash(operator);
    const same = known.get(hash) ?? operator;
    known.set(hash, same);
    return same;
  });
}
