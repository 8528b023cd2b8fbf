/** What travels about the step that chooses how one call of a query is answered (`--optimize`). */
import type { CallSchedule } from './activities.js';
import type { PlannedSearch, SearchSettings } from './search.js';
import type { SpendLimits } from './spend.js';

/** As a user asks for it. */
export interface OptimizeRequest {
  /** With no more distinct inputs than these nothing is searched: the default model answers. */
  readonly above: number;
  readonly search: SearchSettings;
}

/** τ of CADENZA: inputs up to which a search is not worth its while. */
export const usualAbove = 300;

/** A call whose way is still to be chosen. */
export interface OptimizeSchedule {
  /** Hash of a `SearchRequest`. */
  readonly request: string;
  readonly above: number;
}

export interface ChooseWayInput {
  readonly runId: string;
  readonly plan: string;
  readonly call: string;
  readonly wave: number;
  /** Of the whole run. */
  readonly limits: SpendLimits;
}

/** `why` is what people are told, without the name of the call. */
export type ChosenWay =
  | { readonly way: 'direct'; readonly why: string; readonly again?: true }
  /** `plan`: hash of its `RoutedPlan`. */
  | { readonly way: 'kept'; readonly id: string; readonly plan: string; readonly why: string }
  | {
      readonly way: 'search';
      readonly search: PlannedSearch;
      /** The part of the run's limits that the search may use, with what the run has spent. */
      readonly limits: SpendLimits;
      /** Why no kept plan answers, where there are some for the question. */
      readonly missed?: string;
      readonly why: string;
    };

export interface TakeWayInput {
  readonly runId: string;
  readonly plan: string;
  readonly call: string;
  readonly why: string;
  /** Hash of the `RoutedPlan` that answers; absent: the default model does. */
  readonly routed?: string;
  /** Id of the kept plan that it is. */
  readonly kept?: string;
  /** Hash of the plan of a search: what it asked counts as asked by the run. */
  readonly search?: string;
  /** More rows of the call may change the choice. */
  readonly again?: true;
}

/** The run's plan from now on, and the call in it. */
export interface TakenWay {
  readonly plan: string;
  readonly call: CallSchedule;
}

/** Share of what is left of each limit of a run that a search within it may use. */
export const searchShare = 0.25;

/** The schedule of a call whose way is chosen. */
export function withoutChoice(schedule: CallSchedule): CallSchedule {
  const chosen: { -readonly [Key in keyof CallSchedule]: CallSchedule[Key] } = { ...schedule };
  delete chosen.optimize;
  return chosen;
}
