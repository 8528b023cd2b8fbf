import { Worker } from '@temporalio/worker';
import { runWorkerProcess, workerShutdown } from '../../../workers/process/worker-process.js';

/** Stands in for a worker of the stack: the real process boilerplate around a real Worker with one activity. */
await runWorkerProcess(async ({ connection, namespace, log }) => {
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: 'stand-in',
    activities: { echo: (text: string) => Promise.resolve(text) },
    shutdownGraceTime: workerShutdown.graceMs,
    shutdownForceTime: workerShutdown.forceMs,
  });
  const close = (): Promise<void> => {
    log.info('drained and closed');
    return Promise.resolve();
  };
  return { workers: [worker], close };
});
