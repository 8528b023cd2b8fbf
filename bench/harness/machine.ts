/** Where and with what a figure was measured. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { packageVersion } from '../../workers/embedded/package-root.js';

const require = createRequire(import.meta.url);
const named = ['@temporalio/worker', '@duckdb/node-api', 'lmdb', 'openai'] as const;

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly os: string;
  readonly node: string;
  readonly versions: Readonly<Record<string, string>>;
}

export function machine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    os: `${process.platform} ${release()}`,
    node: process.version,
    versions: {
      fermata: packageVersion(),
      ...Object.fromEntries(named.map((name) => [name, dependencyVersion(name)])),
    },
  };
}

/** Processes that wanted a core over the last minute; more than the cores means that wall times say little. */
export function load(): number {
  return Number((loadavg()[0] ?? 0).toFixed(1));
}

function dependencyVersion(name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return (JSON.parse(readFileSync(`${folder}/${name}/package.json`, 'utf8')) as { version: string }).version;
    } catch {
      // Not in this folder.
    }
  }
  return 'unknown';
}
