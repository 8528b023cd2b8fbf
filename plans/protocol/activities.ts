/** Arguments and results of activities: ids, counters and names, at most 32 KB; rows never. */
import type { CallRole } from '../operators/call.js';
import type { OptimizeSchedule } from './operator.js';
import type { Estimate, RunBudget, StopReason } from './run.js';
import type { SpendLimits } from './spend.js';
import type { CascadeSchedule, PromptSchedule, RoundsSchedule, RoutedSchedule } from './strategy.js';

/** How one semantic call of a plan is to be run; static for the whole run. */
export interface CallSchedule {
  readonly id: string;
  readonly operator: string;
  readonly role: CallRole;
  readonly model: string;
  readonly queue: string;
  readonly partitionRows: number;
  /** Partitions in flight. */
  readonly window: number;
  /** Further passes over inputs whose calls fail for passing reasons; absent: the default of `workflows/policies.ts`. */
  readonly retries?: number;
  /** Absent: the model is asked about each input directly. */
  readonly strategy?: CascadeSchedule;
  /** How prompts are made of inputs; absent: one prompt an input. */
  readonly prompts?: PromptSchedule;
  /** Set for a call that is answered in rounds. */
  readonly rounds?: RoundsSchedule;
  /** Set for a call that is answered by a routed plan. */
  readonly routed?: RoutedSchedule;
  /** Set while it is open how the call is answered. */
  readonly optimize?: OptimizeSchedule;
  /** Of a step of a routed call: rules or code answer, no model. */
  readonly program?: true;
}

export interface PlanQueryInput {
  readonly runId: string;
  /** Hash of the `RunRequest` object. */
  readonly request: string;
  readonly budget: RunBudget;
  /** Fail with `NeedsConfirmation` when the expected cost is above it. */
  readonly confirmAboveUsd?: number;
  /** Count distinct prompts and cached answers, and price them. */
  readonly estimate: boolean;
  /** Nothing will be run: leave no record of it. */
  readonly dry?: boolean;
  /** With `estimate`: price it under every placement, too. */
  readonly compare?: boolean;
}

export interface PlannedQuery {
  /** Hash of the `RunPlan` object. */
  readonly plan: string;
  readonly calls: readonly CallSchedule[];
  /** Rows that plain SQL lets through. */
  readonly rows: number;
  readonly stopAfter?: number;
  /** With `stopAfter` and one filter: its rows are asked in waves, the first one small. */
  readonly growing?: true;
  readonly estimate?: Estimate;
  /** Blocks of the query that are still to be run behind this one; absent for none. */
  readonly later?: number;
}

/** Ends a nested query and makes its rows a table that the next block reads. */
export interface NextBlockInput {
  readonly runId: string;
  /** Of the block that has been run. */
  readonly plan: string;
  readonly waves: readonly Wave[];
  readonly startedAt: number;
}

/** Rows `[from, to)` in the order of the plan, asked together. One wave holds all rows unless the query may stop early. */
export interface Wave {
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

export interface PrepareCallInput {
  readonly runId: string;
  readonly plan: string;
  readonly call: string;
  readonly wave: Wave;
  /** For a value call: the waves whose filters have run. */
  readonly waves: readonly Wave[];
  readonly partitionRows: number;
}

export interface PreparedCall {
  readonly partitions: number;
  /** Distinct inputs to answer. */
  readonly inputs: number;
  /** Rows that reach the call. */
  readonly rows: number;
}

export interface ApplyPartitionInput {
  readonly runId: string;
  readonly plan: string;
  readonly call: string;
  readonly wave: number;
  readonly partition: number;
  /** Absent: no limit. */
  readonly limits?: SpendLimits;
  /** On the last pass a transient failure is final for its row. */
  readonly last: boolean;
  /** False for the first pass over a partition: calls of later passes count as retries. */
  readonly again: boolean;
  /** A pass of this run has left an answers object: rows that failed for good in it are not asked again. */
  readonly visited?: boolean;
  /** Enough passes were made: an endpoint that was never reached in the run ends it instead of failing row by row. */
  readonly absentIsFatal?: boolean;
}

export interface AppliedPartition {
  readonly answered: number;
  /** For a filter: rows (with multiplicity) that pass. */
  readonly passed: number;
  readonly failed: number;
  /** Inputs that got no answer for a passing reason; worth another pass. */
  readonly transient: number;
  readonly retryAfterMs?: number;
  /** Of a step of a routed call: inputs whose answers are the default model's to give. */
  readonly unsure?: number;
  /** Inputs left alone because the activity was told to stop or a limit was reached. */
  readonly undecided: number;
  readonly limit?: StopReason;
}

/** One routed call over one wave. */
export interface RoutedInput {
  readonly runId: string;
  readonly plan: string;
  readonly call: string;
  readonly wave: number;
}

/** What an implementation is to answer. */
export interface RoutedPart {
  readonly inputs: number;
  /** Behind those that it has been asked before. */
  readonly partitions: number;
  /** So many of the inputs may end in safe mode; with one more, all that are left do. */
  readonly most: number;
}

export interface RoutedInputs {
  /** One for each implementation: its bucket. */
  readonly parts: readonly RoutedPart[];
  /** Implementations that an earlier wave switched off, and why. */
  readonly off: readonly { readonly step: number; readonly why: string }[];
}

/** What one implementation was asked. */
export interface RoutedAsked {
  /** Partitions of its bucket; those from there on hold what came from the implementation before. */
  readonly own: number;
  readonly partitions: number;
  /** Why it was switched off: what it has not answered is the default model's. */
  readonly off?: string;
}

export interface PassOnInput extends RoutedInput {
  /** The implementation that takes what the one before was not sure of; `safe`: the default model, which takes what is its own. */
  readonly to: number | 'safe';
  readonly asked: readonly RoutedAsked[];
}

export interface MergeRoutedInput extends RoutedInput {
  readonly asked: readonly RoutedAsked[];
  /** Partitions that were handed to the default model; 0 when it was not reached. */
  readonly safe: number;
}

/** One call over one wave, and the round that is to be prepared. */
export interface NextRoundInput {
  readonly runId: string;
  readonly plan: string;
  readonly call: string;
  readonly wave: number;
  readonly round: number;
}

export interface NextRound {
  /** Partitions of the round's questions; 0: the rounds are over. */
  readonly partitions: number;
}

export interface MergeRoundsInput extends Omit<NextRoundInput, 'round'> {
  /** Rounds that were asked, the last one perhaps in part. */
  readonly rounds: number;
}

export interface MergedRounds {
  /** Partitions of answers in which every input is decided. */
  readonly finished: number;
}

/** One step of a cascade that is no asking: over one call in one wave. */
export interface CascadeStepInput {
  readonly runId: string;
  readonly plan: string;
  readonly call: string;
  readonly wave: number;
}

/** What the oracle is to be asked about in the next step. */
export interface CascadeAsks {
  readonly inputs: number;
  readonly partitions: number;
}

export interface MergeCascadeInput extends CascadeStepInput {
  /** Partitions that were handed to the oracle; 0 for a step that was not reached. */
  readonly sample: number;
  readonly rest: number;
  /** Of a proxy that is fitted. */
  readonly train?: number;
}

export interface MergedCascade {
  /** Rows (with multiplicity) that pass. */
  readonly passed: number;
  /** Partitions in which every input is decided. */
  readonly finished: number;
}

export interface FinishQueryInput {
  readonly runId: string;
  readonly plan: string;
  readonly waves: readonly Wave[];
  readonly stop: StopReason;
  readonly startedAt: number;
}
