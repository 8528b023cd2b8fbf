/** A project in a temporary folder with the embedded stack, for benchmarks: real server, workers, store and ledger. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fermata, Run } from '../../client/api.js';
import { connect } from '../../client/connect.js';
import { loadSettings } from '../../workers/config/load.js';
import type { Settings } from '../../workers/config/settings.js';
import { compiled } from '../../workers/embedded/package-root.js';
import { down, up } from '../../workers/embedded/stack.js';
import { defaultStackPlan, type StackPlan } from '../../workers/embedded/stack-plan.js';
import { type RowsOptions, writeReviews } from './rows.js';

export interface BenchProject {
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: Settings;
  readonly fermata: Fermata;
  /** `host:port` of the Temporal server, and its namespace. */
  readonly server: { readonly address: string; readonly namespace: string };
  /** Our processes by name: supervisor, server, workers. */
  readonly pids: Readonly<Record<string, number>>;
  /** Starts one filter over rows of its own, and gives the run. */
  filter(options: FilterOptions): Promise<Run>;
  /** Writes the rows as a CSV of the project. */
  rows(name: string, options: RowsOptions): Promise<void>;
  close(): Promise<void>;
}

export interface FilterOptions {
  /** File of the project. */
  readonly file: string;
  readonly model?: string;
  readonly cache?: boolean;
}

export const filterSql = "SELECT id FROM reviews WHERE AI_FILTER('Is this a bad review? {text}') ORDER BY id";

/** A model at the fake endpoint. */
export function endpointModel(baseUrl: string, concurrency: number): Record<string, unknown> {
  return {
    kind: 'openai',
    model: 'fake-1',
    baseUrl,
    apiKeyEnv: 'BENCH_KEY',
    price: { inputPerMTok: 1, outputPerMTok: 2 },
    limits: { concurrency },
  };
}

/** The stack with an inference worker that answers the model `noop` itself. */
export const noopPlan: StackPlan = {
  ...defaultStackPlan,
  workers: defaultStackPlan.workers.map((worker) =>
    worker.name === 'inference' ? { ...worker, main: compiled('bench/harness/noop-main.js') } : worker,
  ),
};

export async function openBenchProject(
  models: Readonly<Record<string, Record<string, unknown>>>,
  plan: StackPlan = defaultStackPlan,
): Promise<BenchProject> {
  const dir = await mkdtemp(join(tmpdir(), 'fermata-bench-'));
  const config = { models, defaults: { llm: Object.keys(models)[0] } };
  await writeFile(join(dir, 'fermata.yaml'), JSON.stringify(config));
  const env = {
    ...process.env,
    BENCH_KEY: 'bench',
    OPENAI_API_KEY: '',
    OPENAI_BASE_URL: '',
    TEMPORAL_ADDRESS: undefined,
  };
  const { settings } = await loadSettings({ cwd: dir, env });
  const status = await up(settings, env, { plan });
  if (!('processes' in status)) throw new Error('the stack is not ours');
  const fermata = await connect({ cwd: dir, env });
  const workers = status.processes.map(({ name, pid }): [string, number] => [name, pid ?? 0]);
  return {
    dir,
    env,
    settings,
    fermata,
    server: { address: status.address, namespace: status.namespace },
    pids: { supervisor: status.supervisorPid, ...Object.fromEntries(workers) },
    filter: ({ file, ...options }) => fermata.sql(filterSql, { tables: { reviews: file }, ...options }),
    rows: (name, options) => writeReviews(join(dir, name), options),
    async close() {
      await fermata.close();
      await down(settings);
      await rm(dir, { recursive: true, force: true });
    },
  };
}
