/**
 * What the command needs from the rest of the program, loaded only when a command asks for it: `fermata --version` and
 * `--help` must not wait for Temporal, DuckDB or LMDB to load.
 */
import type { Ledger, ObjectStore } from '../activities/ports.js';
import type { Fermata } from '../client/api.js';
import type { Input } from '../plans/logical/instance.js';
import type { LoadedSettings } from '../workers/config/load.js';
import type { Settings } from '../workers/config/settings.js';
import type { ForegroundOptions } from '../workers/embedded/foreground.js';
import type { StackStatus } from '../workers/embedded/stack.js';
import type { PullOptions } from '../workers/runtime/weights/pull.js';
import type { WeightListing } from '../workers/runtime/weights/verify.js';
import type { Tables } from './planning/describe.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Place {
  readonly cwd: string;
  readonly env: Environment;
}

export type Note = (text: string) => void;

export interface QueueWorkers {
  readonly queue: string;
  readonly workers: number;
}

export type Work = Pick<ForegroundOptions, 'workers' | 'onReady' | 'stop'>;

export interface Services {
  /** Connects, starting the embedded stack when no server answers; `note` hears of steps that take a while. */
  connect(place: Place, note: Note): Promise<Fermata>;
  settings(place: Place): Promise<LoadedSettings>;
  up(settings: Settings, place: Place, note: Note): Promise<StackStatus>;
  /** Whether there was anything to stop. */
  down(settings: Settings): Promise<boolean>;
  stack(settings: Settings): Promise<StackStatus>;
  /**
   * Runs workers for the user's own cluster until `stop` fires. Throws `ServerUnreachable` or `ServerRefused` when it cannot
   * be reached at the start.
   */
  work(settings: Settings, place: Place, work: Work): Promise<void>;
  /** Where the server's binary is. Throws `ServerBinaryMissing`. */
  serverBinary(place: Place, note: Note): Promise<string>;
  /** How many workers have asked each queue for work in the last minutes. Throws `ServerUnreachable` or `ServerRefused`. */
  pollers(
    settings: Settings,
    place: Place,
    server: { readonly address: string; readonly namespace: string },
  ): Promise<readonly QueueWorkers[]>;
  weights(dir: string): Promise<readonly WeightListing[]>;
  pull(name: string, options: PullOptions): Promise<readonly string[]>;
  verify(name: string, dir: string): Promise<void>;
  ledger(settings: Settings): Promise<Ledger>;
  store(settings: Settings): Promise<ObjectStore>;
  /** Writes a finished run's Arrow IPC stream as a Parquet file. */
  toParquet(arrow: string, parquet: string): Promise<void>;
  /** Columns and key of each table. */
  describe(settings: Settings, place: Place, tables: Tables): Promise<readonly Input[]>;
  duckdbVersion(): Promise<string>;
  readonly fetch: typeof fetch;
}
