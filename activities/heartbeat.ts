import { runFailure } from './failures.js';
import type { ActivityScope } from './ports.js';

/** Milliseconds between heartbeats: a few within the shortest heartbeat timeout. */
const everyMs = 2_000;

/** Runs an activity's work with a heartbeat; what it throws crosses Temporal as `ApplicationFailure`. */
export async function beating<T>(scope: ActivityScope, work: () => Promise<T>): Promise<T> {
  const beat = setInterval(() => scope.heartbeat(), everyMs);
  try {
    return await work();
  } catch (error) {
    throw runFailure(error);
  } finally {
    clearInterval(beat);
  }
}
