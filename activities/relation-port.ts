/** The port to relational work: users' tables in, inputs of semantic calls out, answers back in, the result out. */
import type { SemanticCall } from '../plans/operators/call.js';
import type { NestedResult } from '../plans/protocol/run-plan.js';
import type { OnError, TableInput } from '../plans/protocol/run.js';
import type { SourceSnapshot, TableSnapshot } from '../plans/relation/snapshot.js';
import type { QueryPlan } from '../plans/sql/plan.js';
import type { DeclareTable, DescribeSql, SqlParser } from '../plans/sql/ports.js';
import type { ObjectHash } from './ports.js';

export type { SourceSnapshot, TableSnapshot };

/** One call over the rows of one wave: the number of inputs is per wave, from 0. */
export interface CallWave {
  /** What `writeInputs` returned; absent when the wave never got to this call. */
  readonly mapping?: ObjectHash;
  readonly partitions: number;
  /** The answer file of a partition (`encodeAnswers`); undefined when there is none, which leaves its rows undecided. */
  readonly answers: (partition: number) => Promise<Uint8Array | undefined>;
}

export interface AnsweredCall {
  readonly call: SemanticCall;
  /** Each row is asked in one wave at most; a row that is in the mapping of none is not decided. */
  readonly waves: readonly CallWave[];
}

/** A query part-way: its rows and all answers so far. */
export interface QueryState {
  readonly tables: readonly TableSnapshot[];
  readonly source: SourceSnapshot;
  /** Alias by which expressions name the source. */
  readonly alias: string;
  /** What `chooseRows` returned. */
  readonly chosen: ObjectHash;
  /** Positions `[from, to)` among the chosen rows that take part. */
  readonly waves: readonly { readonly from: number; readonly to: number }[];
  readonly onError: OnError;
  readonly answered: readonly AnsweredCall[];
  /** Only so many of the rows that pass every filter are needed, in their order (`QueryPlan.stopAfter`). */
  readonly first?: number;
  /** Nested queries that were run before: their errors are the run's too. */
  readonly done?: readonly NestedResult[];
  /** Calls whose answers are NULL for every row, which all go on: to see about how many rows come out. */
  readonly unanswered?: readonly SemanticCall[];
}

/** How pairs are asked about: so many that share a side in one prompt, at most. */
export interface PairPrompts {
  readonly size: number;
}

export interface WrittenInputs {
  /** Parquet object of (`__row`, `__in`) for every row that reached the call; `__in` is NULL where an input is NULL. */
  readonly mapping: ObjectHash;
  /** Rows that reached the call. */
  readonly rows: number;
  /** Distinct inputs without NULLs. */
  readonly inputs: number;
  readonly partitions: number;
}

export interface ResultRelation {
  readonly rows: {
    readonly object: ObjectHash;
    readonly count: number;
    readonly columns: readonly { readonly name: string; readonly type: string }[];
  };
  /** Arrow IPC stream object of (`row` from 1, `operator`, `code`, `message`), in the order of calls and rows. */
  readonly errors: { readonly object: ObjectHash; readonly count: number };
  /** Rows, times calls, that were asked: what an error ratio is a share of. */
  readonly asked: number;
  /** Rows that left because a call was not decided. */
  readonly undecided: number;
}

/** Stateless: each call may run in another process. Objects are content-addressed, so a repeated call costs time only. */
export interface RelationStore {
  /**
   * Reads and checks a user's file. Throws `FermataError`: `BadData` with the line, `UnknownTable` or `UnknownColumn` with
   * those that exist, `BadMedia` with the row.
   */
  snapshotTable(input: TableInput, options?: { readonly baseDir?: string }): Promise<TableSnapshot>;
  makeSource(source: QueryPlan['source'], tables: readonly TableSnapshot[]): Promise<SourceSnapshot>;
  /** The rows that plain SQL lets through, in the order in which they are asked, as a Parquet object (`__row`, `__pos`). */
  chooseRows(
    plan: Pick<QueryPlan, 'rows'>,
    source: SourceSnapshot,
    tables: readonly TableSnapshot[],
  ): Promise<{ readonly object: ObjectHash; readonly rows: number }>;
  /** The numbers of each query's only row, for estimates; undefined where it takes too long or they cannot be had. */
  measure(
    tables: readonly TableSnapshot[],
    queries: readonly string[],
  ): Promise<readonly (readonly number[] | undefined)[]>;
  /**
   * Distinct inputs of the next call over the rows that are left, in partitions for `sink` (`encodeInputs`). Inputs are
   * numbered by wave: the state names the one wave that is asked. With `pairs` those of a call over two relations that share
   * a side stand together.
   */
  writeInputs(
    state: QueryState,
    call: SemanticCall,
    partitionRows: number,
    sink: (partition: number, bytes: Uint8Array) => Promise<void>,
    pairs?: PairPrompts,
  ): Promise<WrittenInputs>;
  runFinal(state: QueryState, sql: string): Promise<ResultRelation>;
  /** Runs the rest of a nested query; its rows become the table `name`. */
  runNested(state: QueryState, sql: string, name: string): Promise<NestedResult>;
}

/** What the planner needs of DuckDB: its parser, and a binder over empty tables. */
export interface SqlPlanning {
  open(tables: readonly TableSnapshot[]): Promise<{
    readonly parser: SqlParser;
    readonly describe: DescribeSql;
    readonly declare: DeclareTable;
    readonly close: () => Promise<void>;
  }>;
}
