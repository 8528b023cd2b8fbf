import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBResult,
  type DuckDBValue,
  StatementType,
} from '@duckdb/node-api';
import { FermataError } from '../../../plans/protocol/errors.js';
import type { PlanColumn } from '../../../plans/sql/plan.js';
import { quoteText } from '../../../plans/relation/names.js';

export interface DuckDbOptions {
  /** Folder under which the session makes a private one for spilled and passing files; removed by `close`. */
  readonly tempDir: string;
  /** DuckDB's notation, e.g. `2GB`. */
  readonly memoryLimit?: string;
  readonly threads?: number;
}

/**
 * One in-memory DuckDB. Before any SQL of a user runs, call `lock`: from then on it reads the named files and its own
 * folder, nothing else, and cannot be unlocked. SQL of users goes through `select` and `stream` only, which take one
 * SELECT statement.
 */
export interface DuckDbSession {
  /** The session's own folder: may be read and written even when locked. */
  readonly workDir: string;
  readonly connection: DuckDBConnection;
  /** Runs our own statements. */
  run(sql: string): Promise<void>;
  /** All rows of a small result, as JavaScript values. */
  rows(sql: string): Promise<readonly Readonly<Record<string, DuckDBValue>>[]>;
  /** Columns of a query, with DuckDB's type names. */
  describe(sql: string): Promise<readonly PlanColumn[]>;
  /** Result of one SELECT, chunk by chunk. @throws FermataError `UnsupportedSql` for any other statement */
  stream(sql: string): Promise<DuckDBResult>;
  /** Refuses everything that is not one SELECT. @throws FermataError `UnsupportedSql` */
  requireSelect(sql: string): Promise<void>;
  /** Closes the session to files outside, settings, extensions and attachments, for good. */
  lock(files: readonly string[]): Promise<void>;
  /** Stops what runs now. */
  interrupt(): void;
  close(): Promise<void>;
}

/** @example const session = await openDuckDb({ tempDir: os.tmpdir(), memoryLimit: '1GB' }); */
export async function openDuckDb(options: DuckDbOptions): Promise<DuckDbSession> {
  await mkdir(options.tempDir, { recursive: true });
  const workDir = await mkdtemp(join(options.tempDir, 'duckdb-'));
  try {
    const instance = await DuckDBInstance.create(':memory:', {
      temp_directory: join(workDir, 'spill'),
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      preserve_insertion_order: 'true',
      ...(options.memoryLimit === undefined ? {} : { memory_limit: options.memoryLimit }),
      ...(options.threads === undefined ? {} : { threads: String(options.threads) }),
    });
    return new Session(instance, await instance.connect(), workDir);
  } catch (error) {
    await rm(workDir, { recursive: true, force: true });
    throw error;
  }
}

class Session implements DuckDbSession {
  readonly workDir: string;
  readonly connection: DuckDBConnection;
  readonly #instance: DuckDBInstance;
  #closed = false;

  constructor(instance: DuckDBInstance, connection: DuckDBConnection, workDir: string) {
    this.#instance = instance;
    this.connection = connection;
    this.workDir = workDir;
  }

  async run(sql: string): Promise<void> {
    await this.connection.run(sql);
  }

  async rows(sql: string): Promise<readonly Readonly<Record<string, DuckDBValue>>[]> {
    return (await this.connection.runAndReadAll(sql)).getRowObjects();
  }

  async describe(sql: string): Promise<readonly PlanColumn[]> {
    await this.requireSelect(sql);
    const columns = await this.rows(`DESCRIBE ${sql}`);
    return columns.map((column) => ({ name: String(column['column_name']), type: String(column['column_type']) }));
  }

  async stream(sql: string): Promise<DuckDBResult> {
    await this.requireSelect(sql);
    return this.connection.stream(sql);
  }

  async requireSelect(sql: string): Promise<void> {
    const statements = await this.connection.extractStatements(sql);
    if (statements.count === 1) {
      const statement = await statements.prepare(0);
      const type = statement.statementType;
      statement.destroySync();
      if (type === StatementType.SELECT) return;
    }
    throw new FermataError('UnsupportedSql', 'Only one SELECT statement can run here.', {
      hint: 'Leave out COPY, ATTACH, SET, INSTALL and other statements; save results with --out.',
    });
  }

  async lock(files: readonly string[]): Promise<void> {
    const list = (paths: readonly string[]) => `[${paths.map(quoteText).join(', ')}]`;
    await this.run(`SET allowed_directories = ${list([this.workDir])}`);
    await this.run(`SET allowed_paths = ${list(files)}`);
    await this.run('SET enable_external_access = false');
    await this.run('SET lock_configuration = true');
  }

  interrupt(): void {
    if (!this.#closed) this.connection.interrupt();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.connection.closeSync();
    this.#instance.closeSync();
    await rm(this.workDir, { recursive: true, force: true });
  }
}
