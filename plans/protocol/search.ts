/** What travels about one search for a plan (`fermata optimize`). Small: rows, answers and the table of a search never. */
import type { PlanConditions } from '../optimize/conditions.js';
import type { Interval } from '../physical/cascade/bounds/clopper-pearson.js';
import type { RoutedImplementation } from '../physical/routed/plan.js';
import type { Weights } from '../tuning/objective/objective.js';
import type { CallSchedule, Wave } from './activities.js';
import type { OperatorProgress, RunBudget, RunRequest, RunResult, RunStatus, StopReason } from './run.js';

export interface SearchSettings {
  /** Its answers are the labels; absent: the default model of the query. */
  readonly teacher?: string;
  /** Models to try beside the default one; absent: all that are configured and can answer. */
  readonly candidates?: readonly string[];
  /** Plans that are tried, at most, the default model asked directly among them; at least 1. */
  readonly trials: number;
  /** Inputs that are labelled; at least `leastSample`. */
  readonly sample: number;
  readonly seed: number;
  readonly weights: Weights;
}

export const leastSample = 10;
export const usualSearch = { trials: 30, sample: 50, seed: 1 } as const;
/** ε: a plan takes the place of the best one so far when its utility is higher by more than this. */
export const replacementMargin = 0.01;

/** Stored as an object; the workflow carries its hash. */
export interface SearchRequest {
  readonly v: 1;
  readonly query: RunRequest;
  readonly search: SearchSettings;
}

export interface PlanSearchInput {
  readonly runId: string;
  /** Hash of the `SearchRequest`. */
  readonly request: string;
}

export interface PlannedSearch {
  /** Hash of a `RunPlan` whose calls are the one of the query and, under names of their own, each asking of the sample. */
  readonly plan: string;
  /** The call whose distinct inputs are the ones to draw from. */
  readonly call: CallSchedule;
  /** Rows that plain SQL lets through. */
  readonly rows: number;
  /** Askings of the sample, in order: the teacher, the default model, the other candidates. */
  readonly asks: readonly [CallSchedule, CallSchedule, ...CallSchedule[]];
  readonly trials: number;
  /** Set for a call of a query that goes on: its inputs have been prepared. */
  readonly prepared?: { readonly wave: number; readonly partitions: number };
}

export interface DrawSampleInput {
  readonly runId: string;
  readonly request: string;
  readonly plan: string;
  /** Of the call: partitions of all its distinct inputs. */
  readonly partitions: number;
  /** Default 0. */
  readonly wave?: number;
  readonly budget: RunBudget;
  readonly confirmAboveUsd?: number;
}

export interface DrawnSample {
  readonly inputs: number;
  readonly partitions: number;
}

/** A candidate that is no part of the search, and why. */
export interface LostCandidate {
  readonly name: string;
  readonly reason: string;
}

export interface CompileSearchInput {
  readonly runId: string;
  readonly request: string;
  readonly plan: string;
  /** Of the sample. */
  readonly partitions: number;
  /** Ids of the askings that were finished, the teacher's and the default model's among them. */
  readonly asked: readonly string[];
  readonly lost: readonly LostCandidate[];
}

export interface CompiledSearch {
  /** Hash of a `SearchTable`. */
  readonly table: string;
  /** Rows of the sample that have a label. */
  readonly labelled: number;
  readonly implementations: number;
  readonly lost: readonly LostCandidate[];
  readonly notes: readonly string[];
  /** Absent in searches that an older version began. */
  readonly conditions?: PlanConditions;
}

export interface RunTrialInput {
  readonly table: string;
  /** Hash of the `TrialHistory` before it; absent for trial 0. */
  readonly history?: string;
}

export interface FinishedTrial {
  readonly trial: number;
  readonly utility: number;
  readonly quality: number;
  readonly latencySeconds: number;
  readonly costUsd: number;
}

/** Absent `done`: there is nothing left to try. */
export interface RanTrial {
  readonly done?: { readonly history: string; readonly trial: FinishedTrial };
}

/**
 * `complete`: all trials were run, or there was nothing left to try. `accepted`: the user took the best plan so far. The others
 * as in a query; what was measured until then counts.
 */
export type SearchStop = StopReason | 'accepted';

/** Answer of the `status` query of a search. */
export interface SearchStatus extends RunStatus {
  readonly trials: number;
  /** Absent before trial 0. */
  readonly direct?: FinishedTrial;
  readonly incumbent?: FinishedTrial;
}

export interface FinishSearchInput {
  readonly runId: string;
  readonly plan: string;
  readonly search: CompiledSearch;
  readonly history: string;
  /** Number of the trial. */
  readonly incumbent: number;
  readonly stop: SearchStop;
  readonly startedAt: number;
  /** The run goes on behind the search. */
  readonly within?: true;
}

export interface TriedPlan extends FinishedTrial {
  /** Shares of rows that go to each implementation first, in the order of the result's. */
  readonly shares: readonly number[];
}

/** A plan as it was measured on the sample. */
export interface MeasuredPlan extends FinishedTrial {
  readonly interval: Interval;
}

export interface ReportedImplementation {
  readonly name: string;
  readonly family: RoutedImplementation['family'];
  /** Of the rows of the sample, asked alone. */
  readonly quality: number;
  /** A row. */
  readonly usd: number;
  readonly seconds: number;
  /** Share of rows that the chosen plan sends to it first. */
  readonly share: number;
}

/** Result of the `optimize` workflow. */
export interface SearchResult {
  readonly v: 1;
  readonly runId: string;
  readonly stop: SearchStop;
  /** Hash of the `RoutedPlan`, as JSON. */
  readonly plan: string;
  /** Id under which it is kept; absent where the default model is best, or the search was cancelled. */
  readonly saved?: string;
  /** Hash of the `SearchTable`: everything that trials were computed from. */
  readonly table: string;
  /** Hash of the `TrialHistory`: everything that was tried. */
  readonly history: string;
  /** Hash of the list of `TriedPlan`s, trial by trial. */
  readonly tried: string;
  readonly direct: MeasuredPlan;
  readonly incumbent: MeasuredPlan;
  readonly trials: number;
  readonly labelled: number;
  readonly metric: string;
  readonly implementations: readonly ReportedImplementation[];
  readonly lost: readonly LostCandidate[];
  readonly operators: readonly OperatorProgress[];
  readonly spend: RunResult['spend'];
  readonly ms: number;
  readonly notes: readonly string[];
}

/** All rows at once: a search looks at inputs, not at results. */
export function everyRow(rows: number): Wave {
  return { index: 0, from: 0, to: rows };
}
