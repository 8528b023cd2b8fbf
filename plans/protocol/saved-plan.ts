/** Plans that searches found, kept in the store under `plans/`. */
import type { DataProfile } from '../drift/profile.js';
import type { PlanConditions } from '../optimize/conditions.js';
import type { TriedSetting } from '../optimize/settings.js';
import type { RoutedPlan } from '../physical/routed/plan.js';
import type { MeasuredPlan } from './search.js';

export interface SavedPlan {
  readonly v: 1;
  readonly id: string;
  /** The search that found it. */
  readonly runId: string;
  /** Milliseconds since the epoch. */
  readonly savedAt: number;
  readonly metric: string;
  /** Rows that the plan was measured on. */
  readonly labelled: number;
  readonly direct: MeasuredPlan;
  readonly measured: MeasuredPlan;
  readonly plan: RoutedPlan;
  /** Absent for a plan of an older version, which no query takes by itself. */
  readonly conditions?: PlanConditions;
  /** Of the input that it was made for; absent for a plan of an older version. */
  readonly profile?: DataProfile;
  /** The best of what its search tried, the best first: where another search begins. Absent likewise. */
  readonly settings?: readonly TriedSetting[];
}

/** A query took the plan for one of its calls. */
export interface PlanUse {
  readonly v: 1;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What a person, or a schedule, has said about a plan. */
export interface PlanMark {
  readonly v: 1;
  /** `pinned`: it answers its question whatever comes after it. `retired`: it was rolled back, and no query takes it. */
  readonly mark: 'pinned' | 'retired';
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Marks by the id of the plan. */
export type PlanMarks = ReadonlyMap<string, PlanMark>;

export const planObjects = {
  all: 'plans/',
  one: (id: string) => `plans/${id}.json`,
  marks: 'plan-marks/',
  /** A `PlanMark`; absent for most. */
  mark: (id: string) => `plan-marks/${id}.json`,
  /** `PlanUse`s, one a run and call. */
  uses: (id: string) => `plan-uses/${id}/`,
  use: (id: string, runId: string, call: string) => `plan-uses/${id}/${runId}.${call}.json`,
} as const;

/** Of the same plan the same; `hash` is that of its file. */
export function planIdOf(hash: string): string {
  return `p-${hash.slice(0, 10)}`;
}

export function isPlanId(text: string): boolean {
  return /^p-[0-9a-f]{10}$/.test(text);
}
