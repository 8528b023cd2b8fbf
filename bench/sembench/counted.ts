/** What a measurement needs, what comes out of it, and what the pool counts meanwhile. */
import type { RunOptions } from '../../client/api.js';
import type { BenchProject } from '../harness/project.js';
import type { Pool } from '../pool/start.js';
import type { Entry, Measured, Use } from './record.js';
import type { Loaded } from './scenario.js';

export interface Bench {
  readonly project: BenchProject;
  readonly pool: Pool;
  readonly tables: NonNullable<RunOptions['tables']>;
  /** Of simulated latency while queries run; searches have it at full length, since they measure it. */
  readonly timeScale: number;
  /** Wall-clock seconds of one query. */
  readonly limitSeconds: number;
  readonly concurrency: number;
  /** What systems see, for those that do not read our tables. */
  readonly loaded: Loaded;
}

export type Outcome = Omit<Measured, 'scenario' | 'query' | 'system' | 'seed' | 'manifest'> | Unmeasured;
type Unmeasured = Pick<Exclude<Entry, Measured>, 'status' | 'why'>;

/** What the pool counts while `work` is done, with simulated latency times `scale`. */
export async function counted<T>(
  { pool }: Pick<Bench, 'pool'>,
  scale: number,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly use: Use }> {
  pool.pace(scale);
  pool.resetCounts();
  const began = performance.now();
  const value = await work();
  const seconds = (performance.now() - began) / 1000;
  const slept = pool.sleptMs() / 1000;
  const models = Object.values(pool.counts());
  const sum = (of: (model: (typeof models)[number]) => number): number =>
    models.reduce((total, model) => total + of(model), 0);
  const stretch = scale > 0 ? 1 / scale : 0;
  return {
    value,
    use: {
      calls: sum(({ calls }) => calls),
      inputTokens: sum(({ inputTokens }) => inputTokens),
      outputTokens: sum(({ outputTokens }) => outputTokens),
      usd: sum(({ usd }) => usd),
      callSeconds: (sum(({ latencyMs }) => latencyMs) / 1000) * stretch,
      seconds,
      fullSeconds: seconds - slept + slept * stretch,
      maxInFlight: Math.max(0, ...models.map(({ maxInFlight }) => maxInFlight)),
    },
  };
}
