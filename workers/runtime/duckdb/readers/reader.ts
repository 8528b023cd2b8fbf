import type { ObjectStore } from '../../../../activities/ports.js';
import type { TableInput } from '../../../../plans/protocol/run.js';
import type { DuckDbSession } from '../session.js';

export interface ReaderContext {
  readonly session: DuckDbSession;
  readonly store: ObjectStore;
  readonly input: TableInput;
  /** The user's file on this machine. */
  readonly path: string;
}

/** Reads one format. The session is locked to the file before `read` is called. */
export interface Reader {
  /** Other files that DuckDB looks for beside it. */
  readonly alsoReads?: (path: string) => readonly string[];
  /** A query of the file's rows in their order. @throws FermataError `BadData` or `UnknownTable` */
  readonly read: (context: ReaderContext) => Promise<string>;
  /** What is wrong with a file that DuckDB refused, with the line where it can be told. */
  readonly explain?: (context: ReaderContext, message: string) => Promise<Fault | undefined>;
}

export interface Fault {
  readonly problem: string;
  readonly line?: number;
  readonly hint?: string;
}
