/** Two plans that are kept, side by side. */
import { describeShifts, driftBetween } from '../../plans/drift/compare.js';
import { changedCondition } from '../../plans/optimize/conditions.js';
import { massesOfLogits } from '../../plans/physical/router/buckets.js';
import { describeRules } from '../../plans/physical/synthesis/rules.js';
import type { SavedPlan } from '../../plans/protocol/saved-plan.js';
import { grid } from './grid.js';
import { count, percent, usd } from './numbers.js';
import { question } from './saved-plans.js';

/** One line of the comparison: the same of both plans. */
export interface PlanDifference {
  readonly what: string;
  readonly a: string;
  readonly b: string;
}

export interface PlanComparison {
  /** Measures and shares; those that are alike, too. */
  readonly rows: readonly PlanDifference[];
  /** What sets the plans apart beside them, a sentence each. */
  readonly notes: readonly string[];
}

export function comparePlans(a: SavedPlan, b: SavedPlan): PlanComparison {
  const row = (what: string, of: (plan: SavedPlan) => string): PlanDifference => ({ what, a: of(a), b: of(b) });
  const names = [...new Set([a, b].flatMap(({ plan }) => plan.implementations.map(({ name }) => name)))];
  return {
    rows: [
      row('saved', ({ savedAt }) => `${new Date(savedAt).toISOString().slice(0, 19)}Z`),
      row('utility', ({ measured }) => measured.utility.toFixed(3)),
      row('quality', ({ measured, metric }) => `${metric} ${measured.quality.toFixed(3)}`),
      row('USD a row', ({ measured, labelled }) => usd(measured.costUsd / labelled)),
      row('labels', ({ labelled }) => count(labelled)),
      ...names.map((name) => row(name, (plan) => bucketText(plan, name))),
      row('what fails', ({ plan }) => plan.safety.model),
    ],
    notes: notesOf(a, b),
  };
}

function bucketText({ plan: { implementations, router, thresholds } }: SavedPlan, name: string): string {
  const at = implementations.findIndex((one) => one.name === name);
  if (at < 0) return '-';
  const threshold = thresholds[at] ?? 0;
  const share = percent(massesOfLogits(router.logits)[at] ?? 0);
  return threshold > 0 ? `${share}, sure from ${threshold.toFixed(2)}` : share;
}

function notesOf(a: SavedPlan, b: SavedPlan): readonly string[] {
  if (a.plan.signature !== b.plan.signature) return [`they answer other questions: ${question(a)} and ${question(b)}`];
  const changed = a.conditions && b.conditions ? changedCondition(a.conditions, b.conditions) : undefined;
  const drift = a.profile && b.profile ? driftBetween(a.profile, b.profile) : undefined;
  return [
    ...(changed === undefined ? [] : [`of ${a.id}: ${changed}`]),
    ...(rulesOf(a) === rulesOf(b) ? [] : ['their rules differ: fermata plans show says how']),
    ...(drift?.drifted === true ? [`they were made for other data: ${describeShifts(drift.shifts)}`] : []),
    ...(drift?.drifted === false ? ['they were made for data that are alike'] : []),
  ];
}

function rulesOf({ plan }: SavedPlan): string {
  return JSON.stringify(
    plan.implementations.map((one) => ('program' in one ? describeRules(one.program) : 'code' in one ? one.code : '')),
  );
}

export function comparisonText(a: SavedPlan, b: SavedPlan, width: number | undefined): string {
  const { rows, notes } = comparePlans(a, b);
  const columns = [
    { title: '', text: ({ what }: PlanDifference) => what },
    { title: a.id, text: (row: PlanDifference) => row.a },
    { title: b.id, text: (row: PlanDifference) => row.b },
  ];
  return [question(a), ...grid(rows, columns, width), ...notes].join('\n');
}
