/** Pools that a test starts, closed after it. */
import { defaultProfiles, type ModelProfile, type Profiles } from '../../../bench/pool/profile.schema.js';
import { type Pool, type PoolOptions, startPool } from '../../../bench/pool/start.js';
import { textOf, things } from './support.js';

const started: Pool[] = [];

/** A pool that answers at once, over 700 rows unless the test names others. */
export async function startedPool(options: Partial<PoolOptions>): Promise<Pool> {
  const pool = await startPool({ truth: [things(700)], latencyScale: 0, ...options });
  started.push(pool);
  return pool;
}

export async function closeAll(): Promise<void> {
  await Promise.all(started.splice(0).map((pool) => pool.close()));
}

/** The fixed profiles, one of them with other values. */
export function changedModel(name: string, change: (profile: ModelProfile) => Partial<ModelProfile>): Profiles {
  const profiles = defaultProfiles();
  const profile = profiles[name]!;
  return { ...profiles, [name]: { ...profile, ...change(profile) } };
}

export const promptOf = (n: number): string => `<data>\n${textOf(n)}\n</data>\nIs it old?`;

/** A chat request that the caller can give up. */
export function rawPost(url: string, signal: AbortSignal, model = 'sim-strong'): Promise<Response> {
  const messages = [{ role: 'user', content: promptOf(1) }];
  return fetch(`${url}/chat/completions`, {
    method: 'POST',
    signal,
    body: JSON.stringify({ model, messages }),
  });
}
