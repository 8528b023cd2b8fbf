import type { PlanColumn, TableSchema } from './plan.js';
import type { SqlNode } from './tree.js';

/** DuckDB's own parser, both ways. */
export interface SqlParser {
  /**
   * One query node for each statement of the text, `query_location` in UTF-16 units. Throws `FermataError` `SqlSyntax`
   * with the position, or `UnsupportedSql` for a statement that is not a query.
   */
  serialize(sql: string): Promise<readonly SqlNode[]>;
  /** SQL text of a query node. */
  deserialize(query: SqlNode): Promise<string>;
}

/**
 * Names and types of a query's columns, found by binding it against empty tables: nothing runs. Throws `FermataError`
 * (`UnknownColumn`, `UnknownFunction`, `UnknownTable`, `TypeMismatch` or `SqlSyntax`) with `where.column` or
 * `where.table` when DuckDB names one.
 */
export type DescribeSql = (sql: string) => Promise<readonly PlanColumn[]>;

/** Adds a table to those that `DescribeSql` binds against. */
export type DeclareTable = (table: TableSchema) => Promise<void>;

/**
 * Counts over the tables of a run: the numbers of each query's only row; undefined where they are not known in time, it raises,
 * or reads a table that is not there yet.
 */
export type MeasureSql = (queries: readonly string[]) => Promise<readonly (readonly number[] | undefined)[]>;
