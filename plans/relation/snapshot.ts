import type { PlanColumn } from '../sql/plan.js';

/** A user's table as a validated Parquet object; `__row` in it numbers the rows in the order of the file, from 0. */
export interface TableSnapshot {
  readonly name: string;
  /** Hash of the Parquet object. */
  readonly object: string;
  readonly rows: number;
  /** Without `__row`. */
  readonly columns: readonly PlanColumn[];
}

/** The rows that a query works on. */
export interface SourceSnapshot {
  readonly object: string;
  readonly rows: number;
  readonly columns: readonly PlanColumn[];
}
