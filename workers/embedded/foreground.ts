/** Workers for a cluster of the user's own: children of a process that stays in the foreground. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../config/settings.js';
import { workerVariables } from '../process/worker-environment.js';
import { createLogger } from '../telemetry/logger.js';
import { compiled } from './package-root.js';
import type { Environment } from './stack-fingerprint.js';
import { defaultStackPlan } from './stack-plan.js';
import { SupervisedProcess } from './supervised-process.js';
import { type WorkerName, workerPrograms } from './worker-programs.js';
import { workerSpec } from './worker-spec.js';

export interface ForegroundOptions {
  readonly settings: Settings;
  readonly server: { readonly address: string; readonly namespace: string };
  /** What the workers inherit: keys, certificates, proxies. */
  readonly env: Environment;
  /** Each is one process. */
  readonly workers: readonly WorkerName[];
  /** Called each time that a worker polls its queue: after its start, and after a restart. */
  readonly onReady: (worker: WorkerName) => void;
  /** Ends them all: what runs gets some seconds to finish. */
  readonly stop: AbortSignal;
}

/**
 * Runs workers until `stop` fires and all have drained. One that ends by itself is started again with growing pauses, as in
 * the embedded stack. Their logs, JSON lines, go to this process's stderr.
 */
export async function runForeground(options: ForegroundOptions): Promise<void> {
  const { settings, server, stop } = options;
  const { timings } = defaultStackPlan;
  mkdirSync(settings.home, { recursive: true, mode: 0o700 });
  // Settings hold names of keys, never a key; all the same nobody else need read them.
  const folder = mkdtempSync(join(tmpdir(), 'fermata-worker-'));
  try {
    const file = join(folder, 'settings.json');
    writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
    const contract = (name: string): NodeJS.ProcessEnv => ({
      ...options.env,
      [workerVariables.name]: name,
      [workerVariables.address]: server.address,
      [workerVariables.namespace]: server.namespace,
      [workerVariables.settings]: file,
    });
    const log = createLogger('worker');
    const processes = options.workers.map((name) => {
      const spec = workerSpec({
        name,
        main: compiled(workerPrograms[name]),
        stopMs: timings.workerStopMs,
        cwd: settings.home,
        env: () => contract(name),
      });
      const ready: typeof spec.ready = async (...start) => {
        await spec.ready(...start);
        options.onReady(name);
      };
      return new SupervisedProcess({ ...spec, ready }, timings, log, () => undefined);
    });
    await aborted(stop);
    await Promise.all(processes.map((one) => one.stop()));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
