/** A project whose models are simulated pools over the tickets, one pool a difficulty mode. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunOptions } from '../../client/api.js';
import type { Estimate, RunResult } from '../../plans/protocol/run.js';
import type { StrategyKind, StrategyRequest } from '../../plans/protocol/strategy.js';
import { type BenchProject, openBenchProject } from '../harness/project.js';
import { defaultProfiles, type Profiles } from '../pool/profile.schema.js';
import { type Pool, startPool } from '../pool/start.js';
import type { DifficultyMode } from '../pool/truth/difficulty.js';
import type { OperatorCase, Quality, ResultRows } from './cases.js';
import { clip, clipTruth, type Ticket, ticket, ticketCsv, ticketTruth } from './tickets.js';

/** Models of a pool by their role. */
const roles = {
  strong: 'sim-strong',
  mini: 'sim-mini',
  nano: 'sim-nano',
  embed: 'sim-embed',
  transcribe: 'sim-transcribe',
} as const;
export type Role = keyof typeof roles;

export interface PoolProject {
  readonly project: BenchProject;
  readonly tickets: readonly Ticket[];
  readonly pools: Readonly<Partial<Record<DifficultyMode, Pool>>>;
  /** Runs one case and judges it. */
  measure(operator: OperatorCase, options?: MeasureOptions): Promise<Measured>;
  /** What a dry run of the case says. */
  estimate(operator: OperatorCase, options?: MeasureOptions): Promise<Estimate>;
  close(): Promise<void>;
}

export interface MeasureOptions {
  readonly mode?: DifficultyMode;
  readonly strategy?: StrategyRequest;
}

export interface Measured extends Quality {
  readonly rows: ResultRows;
  readonly result: RunResult;
}

export interface PoolProjectOptions {
  readonly tickets: number;
  readonly clips?: number;
  /** Default: `sourced` alone. */
  readonly modes?: readonly DifficultyMode[];
  readonly seed?: number;
}

/** Name of a model in the project. */
export const modelName = (role: Role, mode: DifficultyMode): string => `${role}-${mode}`;

export const clipFile = 'clips.csv';

export async function openPoolProject(options: PoolProjectOptions): Promise<PoolProject> {
  const { tickets: count, clips = 0, modes = ['sourced'], seed = 1 } = options;
  const truth = [ticketTruth(count), await clipTruth(clips)];
  const pools: Partial<Record<DifficultyMode, Pool>> = {};
  const profiles = unlimited(defaultProfiles());
  for (const mode of modes) pools[mode] = await startPool({ profiles, truth, seed, difficulty: mode, latencyScale: 0 });
  const project = await openBenchProject(modelsOf(pools));
  await writeFile(join(project.dir, 'tickets.csv'), ticketCsv(count));
  await writeClips(project.dir, clips);
  const tickets = Array.from({ length: count }, (_, n) => ticket(n));
  const tables: RunOptions['tables'] = {
    tickets: join(project.dir, 'tickets.csv'),
    ...(clips === 0 ? {} : { clips: { path: join(project.dir, clipFile), audio: ['clip'] } }),
  };
  const asked = (
    operator: OperatorCase,
    { mode = 'sourced', strategy }: MeasureOptions = {},
  ): [sql: string, options: RunOptions] => {
    const names = { embed: modelName('embed', mode), transcribe: modelName('transcribe', mode) };
    const shared = { tables, cache: false, model: modelName('strong', mode) };
    return [operator.sql(names), strategy === undefined ? shared : { ...shared, strategy }];
  };
  return {
    project,
    tickets,
    pools,
    estimate: (operator, options) => project.fermata.estimate(...asked(operator, options)),
    async measure(operator, options) {
      const run = await project.fermata.sql(...asked(operator, options));
      const rows = await run.rows();
      return { rows, result: await run.result(), ...operator.quality(rows, tickets) };
    },
    async close() {
      await project.close();
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
    },
  };
}

/** Models that answer at once are not held to so many calls a minute either. */
export function unlimited(profiles: Profiles): Profiles {
  const limits = { rpm: Infinity, tpm: Infinity, concurrency: Infinity };
  return Object.fromEntries(Object.entries(profiles).map(([name, profile]) => [name, { ...profile, limits }]));
}

/** Settings of the models of each pool. */
export function modelsOf(
  pools: Readonly<Partial<Record<DifficultyMode, Pick<Pool, 'url'>>>>,
): Record<string, Record<string, unknown>> {
  const profiles = defaultProfiles();
  const models = Object.entries(pools).flatMap(([mode, { url }]) =>
    Object.entries(roles).map(([role, model]) => {
      const { task, price, modalities } = profiles[model] ?? {};
      const settings = {
        kind: 'openai',
        model,
        baseUrl: url,
        apiKeyEnv: 'BENCH_KEY',
        price,
        limits: { concurrency: 64 },
        ...(task === 'chat' ? { modalities } : { task }),
      };
      return [modelName(role as Role, mode as DifficultyMode), settings] as const;
    }),
  );
  return Object.fromEntries(models);
}

async function writeClips(dir: string, count: number): Promise<void> {
  if (count === 0) return;
  await mkdir(join(dir, 'clips'));
  const lines: string[] = [];
  for (let n = 0; n < count; n++) {
    const name = join('clips', `${n}.wav`);
    await writeFile(join(dir, name), clip(n).wav);
    lines.push(`${n},${name}\n`);
  }
  await writeFile(join(dir, clipFile), `id,clip\n${lines.join('')}`);
}

/** Targets of the cascades that are compared. */
export const targets = { recall: 0.9, precision: 0.9, confidence: 0.95 } as const;

/** A strategy by its name, on the models of a pool; a routed plan has no name. */
export function strategyNamed(
  kind: Exclude<StrategyKind, 'routed'>,
  mode: DifficultyMode,
  proxy: Role = 'mini',
): StrategyRequest {
  return kind === 'cascade' ? { kind, proxy: modelName(proxy, mode), targets } : { kind };
}
