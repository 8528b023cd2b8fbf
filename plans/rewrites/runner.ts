import type { Operator } from '../algebra/operator.js';
import { operatorsOf, readersOf, replaceOperator, schemaOf } from '../algebra/walk.js';
import { sameSchema } from '../relation/schema.js';
import type { Catalog } from '../tasks/task.js';
import type { Rule, RuleContext } from './rule.js';

/** What happened when a rule was tried on a plan. */
export interface RuleEvent {
  readonly rule: string;
  readonly outcome: 'changed' | 'schema-changed' | 'failed';
  /** Why it failed. */
  readonly reason?: string;
}

/** How rules are run; every setting goes by the rule's name. */
export interface RunnerOptions {
  readonly catalog: Catalog;
  /** Rules that are left out. */
  readonly off?: ReadonlySet<string>;
  /** Told of every change, and of every replacement that was refused. */
  readonly observe?: (event: RuleEvent) => void;
  /** Runs a rule and may measure it: plans have no clock of their own. */
  readonly timed?: <T>(rule: string, run: () => T) => T;
}

/**
 * The plans that one use of a rule makes of a plan. A replacement whose attributes differ from those of what it replaces
 * is refused, and a rule that throws is skipped; the observer is told of both. Stops after the `most` plans wanted.
 */
export function applyRule(plan: Operator, rule: Rule, options: RunnerOptions, most = Infinity): readonly Operator[] {
  if (options.off?.has(rule.name) === true) return [];
  const run = (): readonly Operator[] => replacements(plan, rule, options, most);
  return options.timed === undefined ? run() : options.timed(rule.name, run);
}

function replacements(plan: Operator, rule: Rule, options: RunnerOptions, most: number): readonly Operator[] {
  const readers = readersOf(plan);
  const context: RuleContext = { catalog: options.catalog, isShared: (operator) => (readers.get(operator) ?? 0) > 1 };
  const found: Operator[] = [];
  for (const operator of operatorsOf(plan)) {
    if (found.length >= most) break;
    if (!rule.matches.includes(operator.kind)) continue;
    for (const replacement of attempt(operator, rule, context, options)) {
      const same = sameSchema(schemaOf(operator), schemaOf(replacement));
      options.observe?.({ rule: rule.name, outcome: same ? 'changed' : 'schema-changed' });
      if (same) found.push(replaceOperator(plan, operator, replacement));
    }
  }
  return found;
}

function attempt(
  operator: Operator,
  rule: Rule,
  context: RuleContext,
  { observe }: RunnerOptions,
): readonly Operator[] {
  try {
    return rule.apply(operator, context);
  } catch (error) {
    observe?.({ rule: rule.name, outcome: 'failed', reason: error instanceof Error ? error.message : String(error) });
    return [];
  }
}

/** Most uses of one rule on the way to its fixpoint. */
const mostSteps = 400;

/** Uses a rule until it changes nothing any more. */
export function toFixpoint(plan: Operator, rule: Rule, options: RunnerOptions): Operator {
  let at = plan;
  for (let step = 0; step < mostSteps; step += 1) {
    const [next] = applyRule(at, rule, options, 1);
    if (next === undefined) return at;
    at = next;
  }
  return at;
}
