import type { Operator, OperatorKind } from '../algebra/operator.js';
import type { Catalog, Task } from '../tasks/task.js';

/**
 * A rewrite rule of logical plans. `structural` rules keep the result, as dependencies and contracts show (CADENZA
 * §4.3.1); `alternative` ones propose a plan that may be cheaper or better, and are judged by measuring (§4.3.2).
 */
export interface Rule {
  readonly name: string;
  readonly kind: 'structural' | 'alternative';
  /** What the rule does and what it is good for, as shown beside a plan that it made. */
  readonly why: string;
  /** Kinds of operators that it looks at. */
  readonly matches: readonly OperatorKind[];
  /** Replacements of one operator, each with the attributes that it has; none where the rule does not apply. */
  readonly apply: (operator: Operator, context: RuleContext) => readonly Operator[];
}

export interface RuleContext {
  readonly catalog: Catalog;
  /** Whether more than one operator of the plan reads this one: what is shared is computed once, so nothing is pushed through it. */
  readonly isShared: (operator: Operator) => boolean;
}

/** The tasks of these names, or undefined when the catalog lacks one. */
export function tasksOf<const N extends readonly string[]>(
  catalog: Catalog,
  ...names: N
): { readonly [I in keyof N]: Task } | undefined {
  const found = names.map((name) => catalog.get(name));
  return found.every((task) => task !== undefined)
    ? (found as unknown as { readonly [I in keyof N]: Task })
    : undefined;
}
