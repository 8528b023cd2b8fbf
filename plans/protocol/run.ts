/** What travels between client, workflows and activities about one run. Small: rows never. */
import type { SerializedError } from './errors.js';
import type { LogicalRun } from './logical-run.js';
import type { OptimizeRequest } from './operator.js';
import type { Placement } from './placement.js';
import type { StrategyKind, StrategyRequest } from './strategy.js';

export const onErrorModes = ['fail', 'null', 'skip'] as const;
/** What a row does whose call failed for good: end the run, answer NULL, or leave the result. */
export type OnError = (typeof onErrorModes)[number];

export interface RunBudget {
  readonly usd?: number;
  readonly calls?: number;
  readonly tokens?: number;
  /** Wall-clock seconds from the start of the run; time spent paused counts. */
  readonly seconds?: number;
}

/** A table handed to a run: a content-addressed snapshot of the user's file. */
export interface TableInput {
  readonly name: string;
  readonly format: DataFormat;
  /** The raw bytes, or for a folder the manifest of its files. */
  readonly object: string;
  /** As the user named it, for messages. */
  readonly path: string;
  /** For a DuckDB file: the table inside it. */
  readonly inner?: string;
  readonly image?: readonly string[];
  readonly audio?: readonly string[];
}

export const dataFormats = ['csv', 'tsv', 'json', 'parquet', 'arrow', 'duckdb', 'folder'] as const;
export type DataFormat = (typeof dataFormats)[number];

/** Stored as an object; the workflow carries its hash. */
export interface RunRequest {
  readonly v: 1;
  readonly sql: string;
  readonly tables: readonly TableInput[];
  readonly onError: OnError;
  /** Share of asked rows that may fail before the run counts as finished with row errors. */
  readonly maxErrorRatio: number;
  /** False leaves the ledger of earlier runs unread. */
  readonly cache: boolean;
  /** Model for calls that name none. */
  readonly model?: string;
  /** Absent: direct. */
  readonly strategy?: StrategyRequest;
  /** Calls that can be are answered by a plan, kept or searched for, where that is worth its while. */
  readonly optimize?: OptimizeRequest;
  /** Absent: pullup. */
  readonly placement?: Placement;
  /** Set for a run of a logical plan: `sql` is then its intent. */
  readonly logical?: LogicalRun;
  /** Literals of the query's parameters, as SQL, by name or by number from 1. */
  readonly parameters?: Readonly<Record<string, string>>;
}

export interface Range {
  readonly low: number;
  readonly expected: number;
  readonly high: number;
}

export interface CallEstimate {
  readonly id: string;
  readonly operator: string;
  readonly intent: string;
  readonly model: string;
  /** Rows that plain SQL lets through to it. */
  readonly rows: number;
  /** Distinct prompts among them. */
  readonly distinct: number;
  /** Distinct prompts that the ledger has answered. */
  readonly cached: number;
  readonly calls: Range;
  readonly tokens: Range;
  /** Absent: the price is not known. */
  readonly usd?: Range;
}

export interface Estimate {
  readonly calls: readonly CallEstimate[];
  /** What was taken but has no effect, one sentence each. */
  readonly notes?: readonly string[];
  readonly total: { readonly calls: Range; readonly tokens: Range; readonly usd?: Range };
  /** Hash of a `PlacementComparison` object, where one was asked for. */
  readonly comparison?: string;
}

export const runPhases = ['planning', 'running', 'paused', 'finishing', 'done'] as const;
export type RunPhase = (typeof runPhases)[number];

export interface OperatorProgress {
  readonly id: string;
  readonly operator: string;
  readonly intent: string;
  readonly model: string;
  /** Offset of the call in the query. */
  readonly position?: number;
  /** Distinct inputs that need an answer; grows while earlier filters still run. */
  readonly inputs: number;
  readonly answered: number;
  readonly calls: number;
  readonly cached: number;
  readonly retries: number;
  readonly failed: number;
  readonly usd: number;
  readonly unpriced: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Images and clips in the inputs that a model has answered, each as often as it was sent; absent for text alone. */
  readonly images?: number;
  readonly clips?: number;
  /** Milliseconds since the operator began. */
  readonly ms: number;
  /** Set for an operator that is run by other means than directly: one entry each step. */
  readonly strategy?: StrategyKind;
  /** The step of the strategy, e.g. `proxy`. */
  readonly step?: string;
  /** Share of the operator's inputs that this step decides, in [0,1]; absent until it is known. */
  readonly share?: number;
}

/** The progress record in the store: `runs/<id>/progress.json`. */
export interface RunProgress {
  readonly v: 1;
  readonly runId: string;
  readonly phase: RunPhase;
  readonly operators: readonly OperatorProgress[];
  readonly startedAt: number;
  readonly updatedAt: number;
}

export const stopReasons = [
  'complete',
  'budget-usd',
  'budget-calls',
  'budget-tokens',
  'budget-seconds',
  'cancelled',
] as const;
export type StopReason = (typeof stopReasons)[number];

/** Result of the `query` workflow. */
export interface RunResult {
  readonly v: 1;
  readonly runId: string;
  readonly stop: StopReason;
  /** Rows as one Arrow IPC stream object. */
  readonly rows: {
    readonly object: string;
    readonly count: number;
    readonly columns: readonly { readonly name: string; readonly type: string }[];
  };
  /** Rows whose call failed: an Arrow IPC stream object of (row, operator, code, message). */
  readonly errors: { readonly object: string; readonly count: number; readonly ratio: number };
  /** Rows that were not decided when the run stopped. */
  readonly undecided: number;
  readonly operators: readonly OperatorProgress[];
  readonly spend: {
    readonly calls: number;
    readonly answered: number;
    readonly cached: number;
    readonly retries: number;
    readonly failed: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly usd: number;
    readonly unpriced: number;
    readonly savedUsd: number;
  };
  readonly ms: number;
  /** What the query asked for and did not get, e.g. options without effect; one sentence each. */
  readonly notes?: readonly string[];
}

export interface RunSummary {
  readonly runId: string;
  readonly state: 'running' | 'paused' | 'done' | 'failed' | 'cancelled';
  readonly sql: string;
  readonly startedAt: number;
  readonly closedAt?: number;
}

/** Answer of the `status` query. */
export interface RunStatus {
  readonly phase: RunPhase;
  readonly paused: boolean;
  readonly budget: RunBudget;
  readonly waiting: string;
  readonly operators: readonly { readonly id: string; readonly partitions: number; readonly finished: number }[];
  readonly error?: SerializedError;
}
