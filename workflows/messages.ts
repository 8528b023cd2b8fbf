/** Updates, queries and signals of Fermata's workflows, and the types of their inputs and states. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { CallSchedule, PlannedQuery, Wave } from '../plans/protocol/activities.js';
import type { TakenWay } from '../plans/protocol/operator.js';
import type { RunBudget, RunPhase, RunStatus, StopReason } from '../plans/protocol/run.js';
import type {
  CompiledSearch,
  DrawnSample,
  FinishedTrial,
  LostCandidate,
  PlannedSearch,
  SearchStatus,
  SearchStop,
} from '../plans/protocol/search.js';
import type { SpendLimits } from '../plans/protocol/spend.js';

export const pauseUpdate = defineUpdate<undefined, [reason: string]>('pause');
export const resumeUpdate = defineUpdate<undefined>('resume');
/** Replaces the limits given; the others stay. */
export const setBudgetUpdate = defineUpdate<RunBudget, [budget: RunBudget]>('setBudget');
/** Stops issuing calls; the run finishes with the rows that are decided. */
export const cancelUpdate = defineUpdate<undefined>('cancelGracefully');
export const statusQuery = defineQuery<RunStatus>('status');

/** Ends a search with the best plan that it has; refused before there is one. */
export const acceptUpdate = defineUpdate<undefined>('acceptIncumbent');
export const searchStatusQuery = defineQuery<SearchStatus>('status');

/** From `query` and `optimize` to their `apply` children. */
export interface Control {
  readonly paused: boolean;
  readonly limits: SpendLimits;
  readonly stop?: StopReason;
}
export const controlSignal = defineSignal<[Control]>('control');

export interface QueryInput {
  readonly v: 1;
  readonly runId: string;
  /** Hash of the `RunRequest` object. */
  readonly request: string;
  readonly budget: RunBudget;
  readonly confirmAboveUsd?: number;
  /** Set by continue-as-new only. */
  readonly state?: QueryState;
}

/** All that `query` knows; passed whole through continue-as-new. */
export interface QueryState {
  readonly v: 1;
  phase: RunPhase;
  paused: boolean;
  pauseReason: string;
  budget: RunBudget;
  startedAt: number;
  plan?: PlannedQuery;
  /** Waves whose filters have run, the last one perhaps in part. */
  waves: Wave[];
  /** Index into `plan.calls` of the next call of the current wave, or of the value calls. */
  nextCall: number;
  /** Rows that passed every filter, over the finished waves. */
  passed: number;
  stop?: StopReason;
  /** Partitions by call, for the status query. */
  progress: { id: string; partitions: number; finished: number }[];
}

export interface ApplyInput {
  readonly v: 1;
  readonly runId: string;
  readonly plan: string;
  readonly call: CallSchedule;
  readonly wave: number;
  readonly partitions: number;
  /** Passing rows that are enough, when the run may stop early. */
  readonly enough?: number;
  /** With more unsure inputs than these, no further partition is asked. */
  readonly mostUnsure?: number;
  /** Of `operator`: what the run has left, where it has a limit. */
  readonly secondsLeft?: number;
  readonly control: Control;
  /** Set by continue-as-new, and where the first partitions are left out. */
  readonly state?: ApplyState;
}

/** All that `apply` knows; passed whole through continue-as-new. */
export interface ApplyState {
  readonly v: 1;
  /** First partition that was never started. */
  next: number;
  /** Started partitions that want another pass, with the number of passes they had. */
  again: { partition: number; passes: number }[];
  /** Every partition before it is finished. */
  prefix: number;
  /** Passing rows of the partitions before `prefix`. */
  prefixPassed: number;
  /** Finished partitions at or after `prefix`. */
  ahead: { partition: number; passed: number }[];
  finished: number;
  /** Inputs that are the default model's to answer, of the finished partitions. */
  unsure?: number;
  stop?: StopReason;
}

export interface ApplyResult {
  /** Passing rows of the finished prefix of partitions. */
  readonly passed: number;
  readonly finished: number;
  /** There were more unsure inputs than were let pass. */
  readonly gaveUp?: true;
  /** Of `operator`: how the call is answered from now on. */
  readonly way?: TakenWay;
  readonly stop?: StopReason;
}

export interface EstimateInput {
  readonly v: 1;
  readonly runId: string;
  readonly request: string;
  /** Price it under every placement, too. */
  readonly compare?: boolean;
}

export interface OptimizeInput {
  readonly v: 1;
  readonly runId: string;
  /** Hash of the `SearchRequest` object. */
  readonly request: string;
  /** Of a search within a run: limits of what the whole run spends. */
  readonly budget: RunBudget;
  readonly confirmAboveUsd?: number;
  /** Set for a search within a run: `operator` has planned it. */
  readonly plan?: PlannedSearch;
  /** Set by continue-as-new only. */
  readonly state?: OptimizeState;
}

/** All that `optimize` knows; passed whole through continue-as-new. */
export interface OptimizeState {
  readonly v: 1;
  phase: RunPhase;
  paused: boolean;
  pauseReason: string;
  budget: RunBudget;
  startedAt: number;
  plan?: PlannedSearch;
  sample?: DrawnSample;
  /** Index into `plan.asks` of the next one. */
  nextAsk: number;
  /** Ids of the askings that were finished. */
  asked: string[];
  lost: LostCandidate[];
  search?: CompiledSearch;
  /** Hash of the trials so far. */
  history?: string;
  trials: number;
  /** Trial 0. */
  direct?: FinishedTrial;
  incumbent?: FinishedTrial;
  stop?: SearchStop;
}
