import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Warm starts and checks of the peers' bench, read from the folder that FERMATA_TUNING_DATA names. */
export interface TuningData {
  /** Five points for each dimension and seed. */
  readonly sobol: Readonly<Record<string, readonly (readonly (readonly number[])[])[]>>;
  /** Five regimes for each router problem. */
  readonly hand: Readonly<Record<string, readonly (readonly number[])[]>>;
}

export const dataVariable = 'FERMATA_TUNING_DATA';

/** Undefined when the variable is not set. */
export function tuningDataFolder(): string | undefined {
  return process.env[dataVariable];
}

export function readTuningData(folder: string): TuningData {
  return JSON.parse(readFileSync(join(folder, 'warmstart.json'), 'utf8')) as TuningData;
}
