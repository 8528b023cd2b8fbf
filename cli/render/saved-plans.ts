/** Plans that are kept, in words. */
import { massesOfLogits } from '../../plans/physical/router/buckets.js';
import type { RoutedImplementation } from '../../plans/physical/routed/plan.js';
import { signedIntent } from '../../plans/physical/routed/signature.js';
import { describeRules } from '../../plans/physical/synthesis/rules.js';
import type { PlanUses } from '../../client/saved-plans.js';
import type { PlanMark, SavedPlan } from '../../plans/protocol/saved-plan.js';
import { type GridColumn, grid } from './grid.js';
import { count, counted, percent, usd } from './numbers.js';
import { oneLine } from './width.js';

const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
export const question = ({ plan }: SavedPlan): string => oneLine(signedIntent(plan.signature) ?? plan.signature);

/** With how often queries have taken it by themselves, and what was said about it. */
export type ListedPlan = SavedPlan & PlanUses & { readonly mark?: PlanMark['mark'] };

const markTexts = { pinned: 'pinned', retired: 'rolled back' } as const;

const columns: readonly GridColumn<ListedPlan>[] = [
  { title: 'plan', text: ({ id }) => id },
  { title: 'saved', text: ({ savedAt }) => instant(savedAt) },
  { title: 'mark', text: ({ mark }) => (mark === undefined ? '' : markTexts[mark]) },
  { title: 'utility', align: 'right', text: ({ measured }) => measured.utility.toFixed(3) },
  { title: 'direct', align: 'right', text: ({ direct }) => direct.utility.toFixed(3) },
  { title: 'quality', align: 'right', text: ({ measured }) => measured.quality.toFixed(3) },
  { title: 'USD a row', align: 'right', text: ({ measured, labelled }) => usd(measured.costUsd / labelled) },
  { title: 'used', align: 'right', text: ({ uses }) => count(uses) },
  { title: 'question', text: question },
];

export function savedPlanLines(plans: readonly ListedPlan[], width: number | undefined): readonly string[] {
  return plans.length === 0 ? ['no plan is kept: fermata optimize finds some'] : grid(plans, columns, width);
}

/** Who answers what, in the order in which rows are asked. */
export function savedPlanText(saved: ListedPlan): string {
  const { plan, direct, measured, labelled, metric } = saved;
  const { implementations, router, thresholds, safety } = plan;
  const shares = massesOfLogits(router.logits);
  const steps = implementations.flatMap((one, at) => [
    `${at + 1}. ${one.name}: ${percent(shares[at] ?? 0)} of the rows${passingOn(thresholds[at] ?? 0)}`,
    ...insides(one).map((line) => `   ${line}`),
  ]);
  return [
    `${saved.id} · ${question(saved)}`,
    `${metric} ${measured.quality.toFixed(3)} instead of ${direct.quality.toFixed(3)}, ${usd(measured.costUsd / labelled)} a row instead of ${usd(direct.costUsd / labelled)}, on ${labelled} labels of run ${saved.runId}`,
    ...madeFor(saved),
    usedText(saved),
    'easiest rows first:',
    ...steps,
    `what fails is answered by ${safety.model}`,
  ].join('\n');
}

function madeFor({ profile }: SavedPlan): readonly string[] {
  if (profile === undefined) return [];
  const kinds = Object.entries(profile.kinds).sort(([, a], [, b]) => b - a);
  const texts = kinds.slice(0, 3).map(([kind, share]) => `${kind} ${percent(share)}`);
  return [
    `made for ${counted(profile.inputs, 'distinct input')}, ${count(profile.profiled)} of them profiled: ${texts.join(', ')}`,
  ];
}

function usedText({ uses, lastUsedAt, mark }: ListedPlan): string {
  if (mark === 'retired') return 'it was rolled back: no query takes it';
  if (mark === 'pinned')
    return `pinned: it answers its question whatever comes after it, ${counted(uses, 'call')} so far`;
  if (lastUsedAt === undefined) return 'no query has taken it by itself';
  return `taken by ${counted(uses, 'call')} of queries with --optimize, last at ${instant(lastUsedAt)}`;
}

function passingOn(threshold: number): string {
  return threshold > 0 ? `, answers less sure than ${threshold.toFixed(2)} go on to the next` : '';
}

function insides(one: RoutedImplementation): readonly string[] {
  if ('program' in one) return describeRules(one.program);
  return 'code' in one ? one.code.split('\n') : [];
}
