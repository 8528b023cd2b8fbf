import type { ProcessSpec } from './supervised-process.js';
import { workerFlags } from './worker-programs.js';

export interface WorkerSpecOptions {
  readonly name: string;
  /** Compiled program. */
  readonly main: string;
  /** Absent: what it writes goes to the supervising process's stderr. */
  readonly log?: string;
  readonly stopMs: number;
  readonly cwd: string;
  /** Asked before each start. */
  readonly env: () => NodeJS.ProcessEnv;
}

/** A worker as a supervised process: a Node program that sends `{type: 'ready'}` when it polls its queue. */
export function workerSpec({ name, main, log, stopMs, cwd, env }: WorkerSpecOptions): ProcessSpec {
  return {
    name,
    ...(log === undefined ? {} : { log }),
    stopMs,
    prepare: () => ({
      command: process.execPath,
      args: ['--enable-source-maps', ...(workerFlags[name] ?? []), main],
      env: env(),
      cwd,
      channel: true,
    }),
    ready: async (child, _logFrom, ended) =>
      new Promise((resolve, reject) => {
        child.on('message', (message) => {
          if (isReady(message)) resolve();
        });
        ended.addEventListener('abort', () => reject(new Error('ended')), { once: true });
      }),
  };
}

function isReady(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
}
