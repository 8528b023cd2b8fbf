import { Runtime, type NativeConnection, type Worker } from '@temporalio/worker';
import type { Settings } from '../config/settings.js';
import { temporalServer } from '../config/temporal.js';
import { createLogger, sdkLogger, type Logger } from '../telemetry/logger.js';
import { connectWithRetry } from './connect.js';
import { readWorkerEnvironment } from './worker-environment.js';

/** `shutdownGraceTime` and `shutdownForceTime` for every `Worker` of a stack: what runs gets 10 s to finish. */
export const workerShutdown = { graceMs: 10_000, forceMs: 15_000 } as const;

/** After the supervisor is gone nobody restarts or watches this process: it leaves within this limit. */
const orphanLimitMs = 5_000;
const stopLimitMs = workerShutdown.forceMs + 3_000;

/** What a worker's `build` gets. */
export interface WorkerContext {
  readonly settings: Settings;
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly log: Logger;
  /** Aborts when the process has been told to stop. */
  readonly stopping: AbortSignal;
}

/** What a worker's `build` returns: the workers to run, and what to close after they have drained. */
export interface WorkerParts {
  readonly workers: readonly Worker[];
  readonly close?: () => Promise<void>;
}

/**
 * The life of a worker process of the stack: logging, connection, `build`, the ready message to the supervisor,
 * draining on SIGTERM or SIGINT, and leaving when the supervisor is gone. Ends the process itself.
 *
 * @example
 * await runWorkerProcess(async ({ connection, namespace, settings }) => ({
 *   workers: [await Worker.create({ connection, namespace, taskQueue, activities: createActivities(settings) })],
 * }));
 */
export async function runWorkerProcess(build: (context: WorkerContext) => Promise<WorkerParts>): Promise<void> {
  const stop = new AbortController();
  watchForStop(stop);
  const environment = readWorkerEnvironment();
  const log = createLogger(environment.name);
  installRuntime(log);
  let exitCode = 0;
  try {
    const { settings, namespace } = environment;
    const server = await temporalServer(settings, process.env, environment);
    const connection = await connectWithRetry(server, log, stop.signal);
    const parts = await build({ settings, connection, namespace, log, stopping: stop.signal });
    try {
      await runUntilStopped(parts.workers, stop.signal, log);
    } finally {
      await parts.close?.();
    }
    await connection.close();
  } catch (error) {
    // While it stops, work that is cut off after the grace time ends a run with an error: that is the plan.
    if (stop.signal.aborted) log.warn({ err: error }, 'stopped before all was drained');
    else {
      log.fatal({ err: error }, 'worker failed');
      exitCode = 1;
    }
  }
  // Native threads of the SDK or of a model runtime may keep the loop alive: the process ends here in any case.
  process.exit(exitCode);
}

/** SIGTERM, SIGINT and a closed IPC channel all mean stop; a second limit ends the process when draining hangs. */
function watchForStop(stop: AbortController): void {
  const begin = (limitMs: number): void => {
    stop.abort(new Error('the worker is stopping'));
    setTimeout(() => process.exit(1), limitMs).unref();
  };
  process.on('SIGTERM', () => begin(stopLimitMs));
  process.on('SIGINT', () => begin(stopLimitMs));
  process.on('disconnect', () => begin(orphanLimitMs));
}

function installRuntime(log: Logger): void {
  Runtime.install({
    logger: sdkLogger(log),
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    // Signals are ours: a worker drains before what it uses is closed.
    shutdownSignals: [],
  });
}

async function runUntilStopped(workers: readonly Worker[], signal: AbortSignal, log: Logger): Promise<void> {
  const shutdown = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  signal.throwIfAborted();
  signal.addEventListener('abort', shutdown, { once: true });
  const running = Promise.all(workers.map((worker) => worker.run()));
  process.send?.({ type: 'ready' });
  log.info('ready');
  await running;
}
