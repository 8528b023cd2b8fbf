import { FermataError } from '../protocol/errors.js';
import type { JsonValue } from '../protocol/json.js';
import type { Configuration } from './space.js';

/**
 * What a trial measured. The built-in objectives read `quality` in [0, 1], `latencySeconds` and `costUsd`, all on the rows
 * of the validation set; other names are free. Values are not clipped.
 */
export type Metrics = Readonly<Record<string, number>>;

/**
 * `pending`: running. `done`: measured. `failed`: ran and gave no usable metrics; counts against the budget and keeps the
 * tuner away. `abandoned`: stopped on a prefix of the rows because it could not win; its metrics are those of the prefix.
 */
export type TrialStatus = 'pending' | 'done' | 'failed' | 'abandoned';

export interface Trial {
  readonly id: string;
  readonly configuration: Configuration;
  readonly status: TrialStatus;
  readonly metrics?: Metrics;
  /** Validation rows behind the metrics, when they are fewer or more than the usual `rows` of the history. */
  readonly rows?: number;
  /** USD that the trial's missing answers cost; 0 for a counterfactual one, which the trial budget does not count. */
  readonly priceUsd?: number;
  /** Why it failed. */
  readonly failure?: string;
}

/** The whole state of the tuner. Plain JSON; a suggestion depends on nothing else but space and options. */
export interface TrialHistory {
  readonly version: typeof historyVersion;
  readonly seed: number;
  /** Rows of the validation set on which a full trial is measured. */
  readonly rows: number;
  readonly trials: readonly Trial[];
}

export const historyVersion = 2;

export function emptyHistory(seed: number, rows: number): TrialHistory {
  return { version: historyVersion, seed, rows, trials: [] };
}

/** The history with the trial added, or replaced where it has the id of an earlier one. */
export function recordTrial(history: TrialHistory, trial: Trial): TrialHistory {
  const others = history.trials.filter(({ id }) => id !== trial.id);
  const at = history.trials.findIndex(({ id }) => id === trial.id);
  const trials = at < 0 ? [...others, trial] : [...others.slice(0, at), trial, ...others.slice(at)];
  return { ...history, trials };
}

/** Version 1 had no `rows` and called a trial's measurements `observed`. */
interface TrialV1 extends Omit<Trial, 'metrics'> {
  readonly observed?: Metrics;
}

const upgrades: Readonly<Record<number, (value: Record<string, unknown>) => Record<string, unknown>>> = {
  1: (value) => ({
    ...value,
    version: 2,
    rows: 50,
    trials: (value['trials'] as readonly TrialV1[]).map(({ observed, ...trial }) =>
      observed === undefined ? trial : { ...trial, metrics: observed },
    ),
  }),
};

/**
 * Reads a history written by this or an older version. A number that JSON cannot hold (NaN, Infinity) was written as null;
 * such a trial is read as failed.
 * @throws FermataError BadData: not a history, or one of a newer version.
 */
export function readHistory(value: JsonValue): TrialHistory {
  let object = asObject(value, 'a trial history');
  for (;;) {
    const version = object['version'];
    if (version === historyVersion) break;
    const upgrade = typeof version === 'number' ? upgrades[version] : undefined;
    if (!upgrade || !Array.isArray(object['trials']))
      throw bad(`version ${String(version)} cannot be read; this program reads 1 to ${historyVersion}`);
    object = upgrade(object);
  }
  const { seed, rows, trials } = object;
  if (typeof seed !== 'number' || typeof rows !== 'number' || !(rows > 0) || !Array.isArray(trials))
    throw bad('needs seed, rows and trials');
  const read = trials.map((trial) => readTrial(asObject(trial, 'a trial')));
  if (new Set(read.map(({ id }) => id)).size < read.length) throw bad('two trials have one id');
  return { version: historyVersion, seed, rows, trials: read };
}

const statuses: readonly unknown[] = ['pending', 'done', 'failed', 'abandoned'] satisfies readonly TrialStatus[];

function readTrial(object: Record<string, unknown>): Trial {
  const { id, configuration, status, metrics } = object;
  if (typeof id !== 'string' || !statuses.includes(status)) throw bad('a trial needs an id and a known status');
  asObject(configuration, `the configuration of trial ${id}`);
  const trial = object as unknown as Trial;
  if (metrics === undefined) return trial;
  const finite = Object.values(asObject(metrics, `the metrics of trial ${id}`)).every(
    (entry) => typeof entry === 'number',
  );
  if (finite) return trial;
  const { configuration: chosen, failure = 'a metric is not a finite number', rows, priceUsd } = trial;
  return {
    id,
    configuration: chosen,
    status: 'failed',
    failure,
    ...(rows === undefined ? {} : { rows }),
    ...(priceUsd === undefined ? {} : { priceUsd }),
  };
}

function asObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad(`${what} must be an object`);
  return value as Record<string, unknown>;
}

function bad(problem: string): FermataError {
  return new FermataError('BadData', `trial history: ${problem}`);
}
