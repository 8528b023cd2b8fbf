import type { Operator } from '../algebra/operator.js';
import type { PlanContext } from '../algebra/verify/context.js';
import type { PlanIssue } from '../algebra/verify/issue.js';
import { verifyOperator } from '../algebra/verify/verify-plan.js';
import { explore, type ExploreOptions } from '../rewrites/explore.js';
import { rules } from '../rewrites/registry.js';
import { FermataError } from '../protocol/errors.js';
import type { Catalog } from '../tasks/task.js';
import { type Instance, outputOf } from './instance.js';
import { direct } from './seeds/direct.js';
import { pipelineRewrite } from './seeds/pipeline-rewrite.js';
import { proxyCascade } from './seeds/proxy-cascade.js';
import { reducedContext } from './seeds/reduced-context.js';
import type { Seed } from './seeds/seed.js';

/** The four patterns of the literature (CADENZA Figure 2): plans that need no planner model. */
export const seeds: readonly Seed[] = [direct, proxyCascade, reducedContext, pipelineRewrite];

/** Where a candidate comes from. */
export interface Origin {
  /** Name of a hand-written seed, or `draft 1` and so on. */
  readonly seed: string;
  readonly why: string;
}

export interface Candidate {
  readonly plan: Operator;
  /** Hash of the canonical form. */
  readonly hash: string;
  readonly origin: Origin;
  /** Rules that made it of its seed, in order, each with its reason. */
  readonly steps: readonly { readonly rule: string; readonly why: string }[];
}

export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** Plans that the verifier refused: a fault of ours, kept so that it is seen. */
  readonly refused: readonly {
    readonly origin: Origin;
    readonly steps: readonly string[];
    readonly issues: readonly PlanIssue[];
  }[];
}

export interface CandidateOptions extends Omit<ExploreOptions, 'catalog' | 'rules'> {
  /** Plans that a planner model drafted, with where each comes from. */
  readonly drafts?: readonly { readonly plan: Operator; readonly origin: Origin }[];
}

/**
 * Candidate plans of an instance: hand-written seeds and drafts, expanded by rules, none twice by canonical form, each
 * clean by the verifier.
 *
 * @throws FermataError `BadArgument` for an empty or overlong intent, an instance without an input, or a join predicate that
 * cannot be read
 */
export function candidatesFor(instance: Instance, catalog: Catalog, options: CandidateOptions = {}): Candidates {
  checkIntent(instance);
  const { drafts = [], ...exploring } = options;
  const written = seeds.flatMap(({ name, why, plans }) =>
    plans(instance, catalog).map((plan) => ({ plan, origin: { seed: name, why } })),
  );
  const context = contextOf(instance, catalog);
  const reasons = new Map(rules.map(({ name, why }) => [name, why]));
  const candidates: Candidate[] = [];
  const refused: Candidates['refused'][number][] = [];
  for (const { plan, hash, origin, steps } of explore([...drafts, ...written], { ...exploring, catalog })) {
    const verdict = verifyOperator(plan, context);
    if (verdict.ok)
      candidates.push({ plan, hash, origin, steps: steps.map((rule) => ({ rule, why: reasons.get(rule) ?? '' })) });
    else refused.push({ origin, steps, issues: verdict.issues });
  }
  return { candidates, refused };
}

/** Longest intent, in UTF-16 units; it is repeated in every prompt. */
const longestIntent = 10_000;

function checkIntent({ intent }: Instance): void {
  if (intent.trim() === '')
    throw new FermataError('BadArgument', 'The intent is empty.', {
      hint: 'Say what is wanted, as in: The review {text} is positive.',
    });
  if (intent.length <= longestIntent) return;
  throw new FermataError(
    'BadArgument',
    `The intent has ${intent.length} characters, and at most ${longestIntent} are read.`,
    { hint: 'Long material belongs into a column.' },
  );
}

/** What plans of an instance are checked against. */
export function contextOf(instance: Instance, catalog: Catalog): PlanContext {
  const relations = Object.fromEntries(instance.inputs.map(({ name, schema, key }) => [name, { schema, key }]));
  return { relations, catalog, output: outputOf(instance) };
}
