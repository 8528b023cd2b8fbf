import { join, scan } from '../../algebra/build.js';
import { literal } from '../../algebra/expression.js';
import { parseExpression } from '../../algebra/expression-parse.js';
import type { Operator } from '../../algebra/operator.js';
import { FermataError } from '../../protocol/errors.js';
import type { Catalog } from '../../tasks/task.js';
import type { Instance } from '../instance.js';

/** A hand-written pattern that gives first plans for an instance without asking any model. */
export interface Seed {
  readonly name: string;
  /** What the pattern is and whose, as shown beside a plan. */
  readonly why: string;
  /** Its plans; none where the pattern does not fit the instance or the catalog. */
  readonly plans: (instance: Instance, catalog: Catalog) => readonly Operator[];
}

/**
 * The relation that an instance works on: its input, or the pairs of its two inputs.
 *
 * @throws FermataError `BadArgument` for a join predicate that cannot be read, or an instance without an input
 */
export function baseOf({ inputs, on }: Instance): Operator {
  const [left, right] = inputs.map((input) => scan(input.name, input));
  if (left === undefined) throw new FermataError('BadArgument', 'A semantic operator needs a relation.');
  if (right === undefined) return left;
  const predicate = on === undefined ? ({ ok: true, expression: literal(true) } as const) : parseExpression(on);
  if (!predicate.ok) throw new FermataError('BadArgument', `The join predicate cannot be read: ${predicate.error}.`);
  return join(left, right, predicate.expression);
}
