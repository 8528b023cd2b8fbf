import type { SemanticCall } from '../operators/call.js';
import type { TriedSetting } from '../optimize/settings.js';
import type { SourceSnapshot, TableSnapshot } from '../relation/snapshot.js';
import type { QueryBlock, QueryPlan } from '../sql/plan.js';
import type { CallSchedule, PreparedCall } from './activities.js';
import type { BlockOrder } from './block-order.js';
import type { CodeCall, RunningPlan } from './logical-run.js';
import type { OnError } from './run.js';

/** Everything that is fixed for a run once it is planned; stored as an object, named by its hash. */
export interface RunPlan {
  readonly v: 1;
  readonly runId: string;
  readonly query: QueryPlan;
  /** Index into `query.before` of the nested query that this plan runs; absent for the query itself. */
  readonly nested?: number;
  /** Set where some nested queries may run in any order. */
  readonly order?: BlockOrder;
  /** What the whole run asks, in its order; absent where that is `calls`. */
  readonly all?: readonly PlannedCall[];
  /** Set for a run of a logical plan: its blocks are the query's. */
  readonly logical?: RunningPlan;
  /** What became of the nested queries that have been run. */
  readonly done?: readonly NestedResult[];
  /** Those of the user, and the results of nested queries. */
  readonly tables: readonly TableSnapshot[];
  readonly source: SourceSnapshot;
  /** Parquet object of the rows that plain SQL lets through, in the order in which they are asked. */
  readonly chosen: string;
  readonly calls: readonly PlannedCall[];
  readonly onError: OnError;
  readonly maxErrorRatio: number;
  /** How calls are answered whose way was chosen while the query ran, and why; by the id of the call. */
  readonly ways?: Readonly<Record<string, string>>;
  /** Of a search: what earlier searches for the question found best, tried first. */
  readonly settings?: readonly TriedSetting[];
  /** False: answers of other runs are not read. */
  readonly cache: boolean;
}

/** A nested query that has been run; its rows are a table of its name. */
export interface NestedResult {
  readonly table: TableSnapshot;
  /** Parquet object of (`row` from 1, `operator`, `code`, `message`). */
  readonly errors: { readonly object: string; readonly count: number };
  /** Rows, times calls, that were asked. */
  readonly asked: number;
  /** Rows that left because a call was not decided. */
  readonly undecided: number;
}

/** The part of the query that a plan runs. */
export function blockOf({ query, nested }: Pick<RunPlan, 'query' | 'nested'>): QueryBlock {
  return (nested === undefined ? undefined : query.before?.[nested]?.block) ?? query;
}

/** Every call of a run, those of other blocks included. */
export function allCalls(plan: Pick<RunPlan, 'calls' | 'all'>): readonly PlannedCall[] {
  return plan.all ?? plan.calls;
}

export interface PlannedCall {
  readonly call: SemanticCall;
  readonly schedule: CallSchedule;
  /** Set for a task that code does: no model is asked. */
  readonly code?: CodeCall;
  /** Of what a search within a run asks: how lists name it. */
  readonly step?: 'labels' | 'candidate';
}

/** Names of a run's objects in the store. */
export const runObjects = {
  progress: (runId: string) => `runs/${runId}/progress.json`,
  /** A `RunRecord`. */
  record: (runId: string) => `runs/${runId}/record.json`,
  /** A `PreparedCalls` record: what has been prepared so far. */
  prepared: (runId: string) => `runs/${runId}/prepared.json`,
  inputs: (runId: string, wave: number, call: string, partition: number) =>
    `runs/${runId}/w${wave}/${call}/in/${partition}.arrow`,
  answers: (runId: string, wave: number, call: string, partition: number) =>
    `runs/${runId}/w${wave}/${call}/out/${partition}.arrow`,
  /** A `CascadeRecord`: what a cascade learned, and whom it asked. */
  cascade: (runId: string, wave: number, call: string) => `runs/${runId}/w${wave}/${call}/cascade.json`,
  /** A `RoutedRecord`: which implementation has how much of a routed call. */
  routed: (runId: string, wave: number, call: string) => `runs/${runId}/w${wave}/${call}/routed.json`,
  /** The `SemanticCall` that the questions of a round are of. */
  roundCall: (runId: string, wave: number, step: string) => `runs/${runId}/w${wave}/${step}/call.json`,
  /** What a method of rounds knows after the answers of the rounds before. */
  roundState: (runId: string, wave: number, step: string) => `runs/${runId}/w${wave}/${step}/state.json`,
  all: (runId: string) => `runs/${runId}/`,
} as const;

/** Sizes of the calls that have been prepared, by call and wave; written by one activity at a time. */
export interface PreparedCalls {
  readonly v: 1;
  readonly startedAt: number;
  readonly calls: readonly (PreparedCall & {
    readonly call: string;
    readonly wave: number;
    /** Parquet object that maps rows to inputs. */
    readonly mapping: string;
    /** Milliseconds since the epoch. */
    readonly at: number;
  })[];
}
