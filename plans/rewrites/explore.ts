import { planHash } from '../algebra/canonical.js';
import type { Operator } from '../algebra/operator.js';
import { operatorsOf } from '../algebra/walk.js';
import { filterPushdown } from './filter-pushdown.js';
import { rules as allRules } from './registry.js';
import type { Rule } from './rule.js';
import { applyRule, type RunnerOptions, toFixpoint } from './runner.js';

/** A plan with the way it came about. */
export interface Explored<O> {
  readonly plan: Operator;
  /** Hash of the canonical form. */
  readonly hash: string;
  readonly origin: O;
  /** Rules that led from the seed to this plan, in order; pushdown is not named. */
  readonly steps: readonly string[];
}

export interface ExploreOptions extends RunnerOptions {
  /** Most plans, seeds among them. */
  readonly limit?: number;
  /** Most rules on the way from a seed. */
  readonly depth?: number;
  /** Largest plan that is made. */
  readonly operators?: number;
  readonly rules?: readonly Rule[];
}

const defaults = { limit: 48, depth: 3, operators: 40 } as const;

/**
 * Expands seeds by rules, breadth first and each rule in its turn, without plans of equal canonical form. Bounded: no
 * rule makes more than a quarter of the plans, so that one with many results leaves room for the others.
 */
export function explore<O>(
  seeds: readonly { readonly plan: Operator; readonly origin: O }[],
  options: ExploreOptions,
): readonly Explored<O>[] {
  const { limit = defaults.limit, depth = defaults.depth, operators = defaults.operators, rules = allRules } = options;
  const found = new Map<string, Explored<O>>();
  const shares = new Map<string, number>();
  const most = Math.max(1, Math.floor(limit / 4));
  const add = (plan: Operator, origin: O, steps: readonly string[]): void => {
    const rule = steps.at(-1);
    if (found.size >= limit || (rule !== undefined && (shares.get(rule) ?? 0) >= most)) return;
    const normal = toFixpoint(plan, filterPushdown, options);
    if (operatorsOf(normal).length > operators) return;
    const hash = planHash(normal);
    if (found.has(hash)) return;
    found.set(hash, { plan: normal, hash, origin, steps });
    if (rule !== undefined) shares.set(rule, (shares.get(rule) ?? 0) + 1);
  };
  for (const { plan, origin } of seeds) add(plan, origin, []);
  // a Map is walked in the order of insertion, entries added meanwhile included: that is the queue
  for (const { plan, origin, steps } of found.values()) {
    if (found.size >= limit) break;
    if (steps.length >= depth) continue;
    for (const rule of rules) {
      if (rule === filterPushdown || (shares.get(rule.name) ?? 0) >= most) continue;
      for (const next of applyRule(plan, rule, options)) add(next, origin, [...steps, rule.name]);
    }
  }
  return [...found.values()];
}
