/** Reads routed plans that come from outside: a file that somebody wrote, sent or changed. */
import * as z from 'zod';
import { FermataError } from '../../protocol/errors.js';
import { patterns, type PatternName, type RuleProgram } from '../synthesis/rules.js';
import { staticProblems } from '../synthesis/static-check.js';
import type { Router } from '../router/route.js';
import type { TreeNode } from '../router/scorer.js';
import type { RoutedPlan } from './plan.js';

/** The version that this program writes and reads. */
const version = 1;
/** Most implementations: a plan has at most 15 continuous parameters. */
const mostImplementations = 16;
const mostRules = 1_000;
const mostTerms = 20_000;
const mostLabels = 1_000;
/** A scorer is a small tree; whoever nests deeper wants to break the reader. */
const deepest = 32;

const share = z.number().min(0).max(1);
const name = z.string().min(1).max(200);
const label = z.string().max(10_000);
const column = z.string().regex(/^input\d{1,3}$/, 'an input by its place: input0, input1 …');

const node: z.ZodType<TreeNode> = z.lazy(() =>
  z.union([
    z.strictObject({ score: share }),
    z.strictObject({ feature: name, below: z.number(), yes: node, no: node }),
  ]),
);

const router: z.ZodType<Router> = z.strictObject({
  scorer: z.discriminatedUnion('form', [
    z.strictObject({
      form: z.literal('linear'),
      bias: z.number(),
      terms: z
        .array(z.strictObject({ feature: name, weight: z.number(), mean: z.number(), scale: z.number().positive() }))
        .max(mostTerms),
    }),
    z.strictObject({ form: z.literal('tree'), root: node }),
  ]),
  logits: z.array(z.number()).min(1).max(mostImplementations),
});

const test = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('term'), column, term: z.string().max(10_000) }),
  z.strictObject({ kind: z.literal('pattern'), column, pattern: z.enum(Object.keys(patterns) as [PatternName]) }),
  z.strictObject({ kind: z.literal('longer'), column, than: z.number() }),
]);

const weights = z.strictObject({
  terms: z
    .array(z.strictObject({ term: z.string().max(10_000), rarity: z.number(), weight: z.number() }))
    .max(mostTerms),
  bias: z.number(),
});

const program: z.ZodType<RuleProgram> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('list'),
    rules: z.array(z.strictObject({ test, label, confidence: share })).max(mostRules),
    otherwise: z.strictObject({ label, confidence: share }),
  }),
  z.strictObject({
    kind: z.literal('words'),
    column,
    of: z
      .array(z.strictObject({ label, by: weights }))
      .min(1)
      .max(mostLabels),
  }),
]);

const code = z.string().check(({ value, issues }) => {
  const [message] = staticProblems(value);
  if (message !== undefined) issues.push({ code: 'custom', input: value, message });
});

const price = { usd: z.number().nonnegative(), seconds: z.number().nonnegative() };

const implementation = z.union([
  z.strictObject({ family: z.literal('symbolic'), name, program, ...price }),
  z.strictObject({ family: z.literal('symbolic'), name, code, ...price }),
  z.strictObject({
    family: z.enum(['specialized', 'general']),
    name,
    model: name,
    batch: z.int().min(2).max(200).exactOptional(),
    ...price,
  }),
]);

const planSchema: z.ZodType<RoutedPlan> = z
  .strictObject({
    version: z.literal(version),
    signature: z.string().min(1).max(1_000_000),
    implementations: z.array(implementation).min(1).max(mostImplementations),
    router,
    thresholds: z.array(share),
    safety: z.strictObject({ model: name, margin: share, share: share.gt(0) }),
  })
  .check(({ value, issues }) => {
    for (const message of inconsistencies(value)) issues.push({ code: 'custom', input: value, message });
  });

/** What no plan that was written as a whole has. */
function inconsistencies({ implementations, router: { logits }, thresholds }: RoutedPlan): readonly string[] {
  const count = implementations.length;
  return [
    ...(logits.length === count ? [] : [`${count} implementations, but ${logits.length} logits of the router`]),
    ...(thresholds.length === count ? [] : [`${count} implementations, but ${thresholds.length} thresholds`]),
    ...((thresholds.at(-1) ?? 0) === 0 ? [] : ['the last threshold is not 0, but nothing comes after it']),
    ...(new Set(implementations.map(({ name: one }) => one)).size === count ? [] : ['two implementations of one name']),
  ];
}

/**
 * A routed plan from parsed JSON. `file`: where it came from, for messages.
 *
 * @throws FermataError `BadPlan`: what is wrong, and where
 */
export function readRoutedPlan(value: unknown, file?: string): RoutedPlan {
  const refuse = (problem: string, hint: string): never => {
    const where = file === undefined ? {} : { where: { file } };
    throw new FermataError('BadPlan', `${file ?? 'the plan'} is no routed plan: ${problem}`, { hint, ...where });
  };
  const found = versionOf(value);
  if (found !== undefined && found > version)
    refuse(`it is of version ${found}, this program reads version ${version}`, 'update Fermata, or make the plan anew');
  if (isDeeper(value, deepest)) refuse(`it is nested deeper than ${deepest} levels`, remake);
  const read = planSchema.safeParse(value);
  if (read.success) return read.data;
  return refuse(problemOf(read.error.issues[0]), remake);
}

const remake = 'make the plan anew; a plan that was changed by hand must still fit together';

function versionOf(value: unknown): number | undefined {
  const found = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  return typeof found === 'number' ? found : undefined;
}

/** Looked at level by level: recursion is what deep nesting would break. */
export function isDeeper(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : []));
    if (level.length === 0) return false;
  }
  return true;
}

/** The first thing wrong; of alternatives, what is wrong with the one that fits furthest. */
function problemOf(issue: z.core.$ZodIssue | undefined, path: readonly PropertyKey[] = []): string {
  if (issue === undefined) return 'it is not what a plan looks like';
  const at = [...path, ...issue.path];
  if (issue.code === 'invalid_union') {
    const closest = [...issue.errors].sort((a, b) => depthOf(b) - depthOf(a) || a.length - b.length)[0];
    if (closest?.[0] !== undefined) return problemOf(closest[0], at);
  }
  const place = at.map(String).join('.');
  const message = issue.message.replace(/^Invalid input: /, '');
  return place === '' ? message : `${place}: ${message}`;
}

function depthOf(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map(({ path }) => path.length));
}
