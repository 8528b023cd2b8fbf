import { readFileSync } from 'node:fs';
import { FermataError } from '../../plans/protocol/errors.js';
import { parseJson } from '../../plans/protocol/json.js';
import type { Settings } from '../config/settings.js';

/**
 * What the supervisor tells a worker process, by environment variable. API keys are not among them: they are in the
 * environment that the worker inherits, under the names that settings give.
 */
export const workerVariables = {
  /** `cpu`, `workflow`, `inference`: the name in status and logs. */
  name: 'FERMATA_WORKER_NAME',
  /** `host:port` of the Temporal server. */
  address: 'FERMATA_STACK_ADDRESS',
  namespace: 'FERMATA_STACK_NAMESPACE',
  /** Path of the JSON file that holds {@link Settings}. */
  settings: 'FERMATA_STACK_SETTINGS',
} as const;

export interface WorkerEnvironment {
  readonly name: string;
  readonly address: string;
  readonly namespace: string;
  readonly settings: Settings;
}

/**
 * Reads the contract of {@link workerVariables}.
 *
 * @throws FermataError `StackFailed` when a variable or the settings file is missing
 */
export function readWorkerEnvironment(env: NodeJS.ProcessEnv = process.env): WorkerEnvironment {
  return {
    name: required(env, workerVariables.name),
    address: required(env, workerVariables.address),
    namespace: required(env, workerVariables.namespace),
    settings: readSettings(required(env, workerVariables.settings)),
  };
}

function required(env: NodeJS.ProcessEnv, variable: string): string {
  const value = env[variable];
  if (value) return value;
  throw new FermataError('StackFailed', `${variable} is not set, so this worker process does not know its stack.`, {
    hint: 'Worker processes are started by `fermata up`, not by hand.',
  });
}

function readSettings(path: string): Settings {
  const parsed = parseJson(readFileSync(path, 'utf8'));
  // The supervisor wrote this file from settings that were validated; only a torn or foreign file has to be caught.
  if (parsed.ok && typeof parsed.value === 'object' && parsed.value !== null && 'projectDir' in parsed.value)
    return parsed.value as unknown as Settings;
  throw new FermataError('StackFailed', `${path} does not hold the settings of a stack.`, {
    hint: 'Run `fermata down`, then `fermata up`.',
    where: { file: path },
  });
}
