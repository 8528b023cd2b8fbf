import type { SemanticCall } from '../operators/call.js';
import type { TopK } from '../protocol/strategy.js';

/**
 * How a query runs. One over one relation: choose rows, ask the calls in order (a filter call narrows the rows for all later
 * ones), then run the rest of the query over the rows with their answers. All SQL is DuckDB's.
 *
 * The executor provides two relations: `__source` (the materialised source with its row number `__row`) and `__rows` (the
 * chosen rows with all source columns, `__row`, and one column `__a_<id>` for each call answered so far).
 */
export interface QueryPlan extends QueryBlock {
  readonly v: 1;
  /** Queries within the query that ask models themselves, in the order in which they are run. */
  readonly before?: readonly NestedBlock[];
  /** What the user should know though nothing is wrong: options of other systems that have no effect here. */
  readonly notes?: readonly string[];
}

/** A query whose rows the later ones read under a name. */
export interface NestedBlock {
  readonly table: string;
  readonly block: QueryBlock;
  /**
   * Blocks of one group may run in any order, which is decided while the query runs: each narrows the table of its name, which
   * an earlier block has made.
   */
  readonly group?: string;
  /** Index of the block of whose rows this one asks about a few, to learn how many pass: nobody reads it, it may be left out. */
  readonly pilotOf?: number;
}

/** One SELECT over one relation. Ids of calls are unique over all blocks of a plan. */
export interface QueryBlock {
  readonly source: {
    /** Alias by which expressions name the source. */
    readonly alias: string;
    /** Set when the source is a registered table as it stands. */
    readonly table?: string;
    /**
     * `SELECT` that makes the source out of registered tables. Run it once for a run: it may sample, or call `random()`
     * and `now()`, and the rest of the plan relies on the row numbers.
     */
    readonly sql: string;
  };
  /** `SELECT __row FROM __source AS <alias> WHERE … ORDER BY …`: rows that plain SQL lets through, in the order they are asked. */
  readonly rows: { readonly sql: string };
  /** In execution order: filters first, then values; a call may read `__a_<id>` of an earlier one. */
  readonly calls: readonly SemanticCall[];
  /** The user's query over `__rows AS <alias>`. */
  readonly final: { readonly sql: string };
  /**
   * LIMIT + OFFSET, when the query may stop once so many rows have passed every filter call. Only the first `stopAfter`
   * of them, in the order of `rows`, then need answers of value calls.
   */
  readonly stopAfter?: number;
  /** With `stopAfter`: the first `offset` of those rows are cut away, so that they need no answers of value calls either. */
  readonly offset?: number;
  /** Set when the query needs no more of a score than which rows are first by it, and in what order. */
  readonly top?: TopK & { readonly call: string };
}

/** A block with the columns of its result. */
export interface PlannedBlock {
  readonly block: QueryBlock;
  readonly columns: readonly PlanColumn[];
}

/** A column as DuckDB describes it. */
export interface PlanColumn {
  readonly name: string;
  /** DuckDB type name. */
  readonly type: string;
  readonly modality?: 'image' | 'audio';
}

export interface TableSchema {
  readonly name: string;
  readonly columns: readonly PlanColumn[];
}
