/** Plans that searches found, kept in the store under `plans/`. */
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
}

export const planObjects = {
  all: 'plans/',
  one: (id: string) => `plans/${id}.json`,
} as const;

/** Of the same plan the same; `hash` is that of its file. */
export function planIdOf(hash: string): string {
  return `p-${hash.slice(0, 10)}`;
}

export function isPlanId(text: string): boolean {
  return /^p-[0-9a-f]{10}$/.test(text);
}
