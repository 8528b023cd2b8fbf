/** The shape of the library. `connect()` gives a `Fermata`. */
import type { RecordBatch, Table } from 'apache-arrow';
import type {
  Estimate,
  OnError,
  RunBudget,
  RunProgress,
  RunRequest,
  RunResult,
  RunStatus,
  RunSummary,
} from '../plans/protocol/run.js';
import type { ExplainedPlan } from '../plans/explain/placement.js';
import type { Instance } from '../plans/logical/instance.js';
import type { Drafts } from '../plans/protocol/drafting.js';
import type { LogicalRun } from '../plans/protocol/logical-run.js';
import type { PlacementComparison } from '../plans/protocol/comparison.js';
import type { Placement } from '../plans/protocol/placement.js';
import type { QueryParameters } from './parameters.js';
import type { SearchResult, SearchStatus, TriedPlan } from '../plans/protocol/search.js';
import type { StrategyRequest } from '../plans/protocol/strategy.js';
import type { WeightPreset, Weights } from '../plans/tuning/objective/objective.js';
import type { Relation } from './relation/relation.js';

export interface TableOptions {
  /** Columns that hold images: a path, URL, object key or BLOB. */
  readonly image?: readonly string[];
  /** Columns that hold audio. */
  readonly audio?: readonly string[];
}

/** A path, or a path with options. `file.duckdb#table` names a table in a DuckDB file. */
export type TableSource = string | (TableOptions & { readonly path: string });

export interface RunOptions {
  /** Tables by name. */
  readonly tables?: Readonly<Record<string, TableSource>>;
  /** Values of `$name` by name, or of `?` in their order. They become literals: text is text, whatever is in it. */
  readonly params?: QueryParameters;
  readonly budget?: RunBudget;
  readonly onError?: OnError;
  readonly maxErrorRatio?: number;
  /** False leaves the answers of earlier runs unread. */
  readonly cache?: boolean;
  /** Model for calls that name none. */
  readonly model?: string;
  /** How calls are answered, for those that have the strategy; default: the model answers each input directly. */
  readonly strategy?: StrategyRequest;
  /** Runs this logical plan in the place of SQL; the text is then its intent, and only `tables` are read. */
  readonly logical?: LogicalRun;
  /**
   * Answers each call that can be by a plan: one that is kept, or one that is searched for first where that is likely to pay for
   * itself; else directly. Not beside a strategy.
   */
  readonly optimize?: boolean | OptimizeWithin;
  /** Where semantic conditions of a query with joins are decided; default `pullup`. */
  readonly placement?: Placement;
  /** Fail with `NeedsConfirmation`, before any call, when the expected cost in USD is above it. */
  readonly confirmAboveUsd?: number;
}

/** Something that runs on the server for a while. Works from any process: everything is in the server and the store. */
export interface Controlled<Result, Status> {
  readonly id: string;
  status(): Promise<Status>;
  /** State, query and times, as in the list of runs; also of one that failed. */
  summary(): Promise<RunSummary>;
  /** The latest progress record; undefined until the first one is written. */
  progress(): Promise<RunProgress | undefined>;
  /** Progress records as they change, at most one a second, until it ends. */
  watch(signal?: AbortSignal): AsyncIterable<RunProgress>;
  /** Waits for the end. Throws its `FermataError` when it failed. */
  result(signal?: AbortSignal): Promise<Result>;
  pause(reason?: string): Promise<void>;
  resume(): Promise<void>;
  /** Replaces the given limits; the others stay. */
  setBudget(budget: RunBudget): Promise<void>;
  /** Stops issuing calls and finishes with what is decided. */
  cancel(): Promise<void>;
}

/** One run of one query. */
export interface Run extends Controlled<RunResult, RunStatus> {
  /** What was asked, and how it was planned; undefined before it is planned. */
  description(): Promise<RunDescription | undefined>;
  /** Rows of the finished run, batch by batch. */
  stream(): AsyncIterable<RecordBatch>;
  rows(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  toArrow(): Promise<Table>;
  /** Rows whose call failed. */
  errors(): Promise<readonly RowError[]>;
  /** Path of a local copy of the Arrow IPC stream that holds the rows. */
  rowsFile(): Promise<string>;
}

export interface RunDescription {
  readonly request: RunRequest;
  /** Each join of the query with the semantic operators over it. */
  readonly joins: readonly ExplainedPlan[];
  /** Absent: the run had no limit to check it against. */
  readonly estimate?: Estimate;
}

export interface OptimizeOptions
  extends Pick<RunOptions, 'tables' | 'params' | 'budget' | 'cache' | 'model' | 'confirmAboveUsd'> {
  /** Model whose answers are the labels; default: the model that the query asks. */
  readonly teacher?: string;
  /** Models to try beside the one that the query asks; default: all configured ones that can answer. */
  readonly candidates?: readonly string[];
  /** Plans to try, at most; default 30. Once the sample is answered they cost nothing. */
  readonly trials?: number;
  /** Inputs that are labelled, at least 10; default 50. */
  readonly sample?: number;
  readonly seed?: number;
  /** Weights of quality, latency and cost, or a preset; default `balanced` (1, 0.4, 0.3). */
  readonly weights?: WeightPreset | Weights;
}

/** A search within a query. */
export interface OptimizeWithin
  extends Pick<OptimizeOptions, 'teacher' | 'candidates' | 'trials' | 'sample' | 'seed' | 'weights'> {
  /** Distinct inputs up to which nothing is searched; default 300. */
  readonly above?: number;
}

/** One search for a plan. */
export interface Optimization extends Controlled<SearchResult, SearchStatus> {
  /** The plan that was found, as the text of its file. */
  plan(): Promise<string>;
  /** Every plan that was tried, trial by trial. */
  tried(): Promise<readonly TriedPlan[]>;
  /** Ends the search with the best plan so far. */
  accept(): Promise<void>;
}

export interface RowError {
  /** Row number in the source, from 1. */
  readonly row: number;
  readonly operator: string;
  readonly code: string;
  readonly message: string;
}

export interface Fermata {
  /** Starts a query and returns at once. */
  sql(text: string, options?: RunOptions): Promise<Run>;
  /**
   * A file as a relation, whose methods ask about its rows. Its name stands in prompts over two relations; without a
   * `source` the name is the path, and the file's own name is the relation's.
   *
   * @example
   * const reviews = fermata.table<{ id: bigint; text: string }>('data/reviews.csv');
   * const photos = fermata.table('photos', { path: 'photos.csv', image: ['photo'] });
   */
  table<Row extends object = Readonly<Record<string, unknown>>>(name: string, source?: TableSource): Relation<Row>;
  /** What a query would cost. Makes no model call. */
  estimate(text: string, options?: RunOptions): Promise<Estimate>;
  /** What a query with joins would cost under each placement of its conditions. Makes no model call. */
  compare(text: string, options?: RunOptions): Promise<PlacementComparison>;
  /** Plans of one semantic operator, drafted by a model; what it was asked and said comes with them. */
  draft(instance: Instance, options: DraftOptions): Promise<Drafts>;
  run(id: string): Run;
  /**
   * Searches for the plan that answers a query's one call best for its price: which model, or rules, for which inputs. Returns
   * at once.
   */
  optimize(text: string, options?: OptimizeOptions): Promise<Optimization>;
  optimization(id: string): Optimization;
  /** Runs and searches, newest first. */
  runs(limit?: number): AsyncIterable<RunSummary>;
  close(): Promise<void>;
}

export interface DraftOptions {
  /** Name of a chat model. */
  readonly model: string;
  /** Plans asked for, at most; at least 1, default 3. Each takes up to three calls. */
  readonly attempts?: number;
  readonly budget?: RunBudget;
  /** False leaves the answers of earlier draftings unread. */
  readonly cache?: boolean;
}

export interface ConnectOptions {
  /** Project folder; the current one by default. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Hears a short line before each step that takes a while, e.g. the start of the embedded stack. */
  readonly onProgress?: (message: string) => void;
}
