/** The workflow worker: workflow code only, so that no model or table can stall it. */
import { Worker } from '@temporalio/worker';
import { queues } from '../plans/protocol/queues.js';
import { runWorkerProcess, workerShutdown } from './process/worker-process.js';
import { registerSearchAttributes } from './search-attributes.js';
import { workflowBundlePath } from './workflow-bundle.js';

/** Workflows kept in memory; each costs about a megabyte (the SDK's own choice grows with the heap). */
const maxCachedWorkflows = 200;

await runWorkerProcess(async ({ connection, namespace }) => {
  await registerSearchAttributes(connection, namespace);
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: queues.workflows,
    workflowBundle: { codePath: workflowBundlePath },
    maxCachedWorkflows,
    shutdownGraceTime: workerShutdown.graceMs,
    shutdownForceTime: workerShutdown.forceMs,
  });
  return { workers: [worker] };
});
