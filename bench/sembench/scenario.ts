/** What a suite is made of: tables that systems see, the truth that the pool answers from, and queries with their gold. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FermataError } from '../../plans/protocol/errors.js';
import type { TruthData } from '../pool/truth/types.js';
import type { Gold, ResultRow } from './gold.js';

export interface SemQuery {
  readonly id: string;
  /** Worded as in CADENZA, Appendix J. */
  readonly question: string;
  readonly sql: string;
  readonly gold: Gold;
  /** It asks about pairs of rows. */
  readonly pairs?: true;
  /** The same question with every row asked by itself and the rest plain SQL: the rewriting that CADENZA finds, here by hand. */
  readonly rewritten?: string;
  /** The one question of `rewritten`, or of `sql`, over its rows alone, for a search for a plan; default `sql`. */
  readonly searched?: string;
  /** Its one semantic operator for systems without our SQL; absent: none of them takes it. */
  readonly operator?: PeerOperator;
}

/** Cells of what an operator gives: [row], [row, row] or [row, value]. */
export type PeerRow = readonly [number, ...(number | string)[]];

/** One semantic operator over the text column of one table, and the plain rest of the query. */
export type PeerOperator = {
  readonly table: string;
  readonly column: string;
  /** Rows with this value alone. */
  readonly where?: readonly [column: string, value: string];
  readonly limit?: number;
  /** The result from the operator's rows; `rows` are the table's. */
  readonly finish: (found: readonly PeerRow[], rows: Table['rows']) => readonly ResultRow[];
} & (
  | { readonly op: 'filter' | 'join'; readonly condition: string }
  | { readonly op: 'label'; readonly name: string; readonly question: string; readonly labels: readonly string[] }
  | { readonly op: 'score'; readonly name: string; readonly question: string }
);

/** A query that cannot be run here, and why. */
export interface SkippedQuery {
  readonly id: string;
  readonly question: string;
  readonly why: string;
}

/** What systems see of a table: labels are not among its columns. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

export interface Loaded {
  readonly tables: Readonly<Record<string, Table>>;
  readonly truth: TruthData;
  readonly queries: readonly SemQuery[];
  readonly skipped: readonly SkippedQuery[];
  /** What of it is not the original data; absent: nothing. */
  readonly synthetic?: string;
}

export interface Scenario {
  readonly name: string;
  /** Below the data folder, with the files that are read of it. */
  readonly folder: string;
  readonly files: readonly string[];
  /** Rows of the original table that `--scale` counts. */
  readonly rows: number;
  readonly load: (data: string, rows: number) => Loaded;
}

/** The data folder. @throws FermataError BadArgument: it is not named, or a file is not there; it says where they come from. */
export function dataFolder(scenario: Scenario): string {
  const hint =
    `It holds a part of SemBench: copy ${scenario.files.join(', ')} of github.com/SemBench/SemBench (files/${scenario.name}/data) to ` +
    `$FERMATA_DATA/${scenario.folder}/.`;
  const folder = process.env['FERMATA_DATA'];
  if (folder === undefined) {
    throw new FermataError('BadArgument', 'Set FERMATA_DATA to the folder of the data sets.', { hint });
  }
  const missing = scenario.files.find((file) => !existsSync(join(folder, scenario.folder, file)));
  if (missing === undefined) return folder;
  throw new FermataError('BadArgument', `There is no ${join(folder, scenario.folder, missing)}.`, { hint });
}

/** The first `count` rows. @throws FermataError BadArgument: there are fewer. */
export function atMost<T>(count: number, rows: readonly T[]): readonly T[] {
  if (count <= rows.length) return rows.slice(0, count);
  throw new FermataError(
    'BadArgument',
    `--scale ${count}: there are ${rows.length} rows, and no more are made of them`,
  );
}

export function csvOf({ columns, rows }: Table): string {
  const cell = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const lines = rows.map((row) => columns.map((column) => cell(row[column] ?? '')).join(','));
  return `${[columns.join(','), ...lines].join('\n')}\n`;
}
