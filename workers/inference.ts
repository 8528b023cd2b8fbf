import { setFlagsFromString } from 'node:v8';
import { Worker } from '@temporalio/worker';
import { createDraftStep } from '../activities/drafting/draft-step.js';
import { createApplyPartition } from '../activities/inference/apply-partition.js';
import { createProgressPublisher } from '../activities/progress.js';
import { activityScope } from './activity-scope.js';
import { queueOfModel } from './model-queues.js';
import { type WorkerContext, type WorkerParts, workerShutdown } from './process/worker-process.js';
import { partitionCodec } from './runtime/arrow/partition-codec.js';
import { openLedger } from './runtime/ledger/open.js';
import { createMediaPreparer } from './runtime/media/prepare.js';
import { createCallGate } from './runtime/models/gate.js';
import { createModels, type ExtraModel } from './runtime/models/models.js';
import { openObjectStore } from './runtime/objects/open.js';

/** Partitions that one process works on at once; the calls in them are bounded by each model's own limits. */
const maxPartitions = 32;

/**
 * How much the heap may grow between full collections, in percent. V8's own choice on a large machine is four-fold, which
 * makes 340 MB of a process whose calls need 50; a sixth more CPU a row of a no-op model, nothing to see with a real one.
 */
const heapGrowthPercent = 40;

/** The inference worker: one Temporal worker for each queue that serves a configured model, all on one ledger and store. */
export async function inferenceWorkers(
  { settings, connection, namespace }: WorkerContext,
  extra: Readonly<Record<string, ExtraModel>> = {},
): Promise<WorkerParts> {
  setFlagsFromString(`--heap-growing-percent=${heapGrowthPercent}`);
  const store = await openObjectStore(settings.store);
  const ledger = openLedger(settings.ledger);
  const models = createModels(settings.models, { env: process.env, modelsDir: settings.modelsDir }, extra);
  const clock = { now: () => Date.now() };
  const asking = { store, ledger, models, gate: createCallGate(), clock, scope: activityScope };
  const draftStep = createDraftStep(asking);
  const applyPartition = createApplyPartition({
    ...asking,
    codec: partitionCodec,
    media: createMediaPreparer({ store }),
    progress: createProgressPublisher({ store, ledger, clock }),
  });
  const names = new Set(Object.entries(settings.models).map(([name, model]) => queueOfModel(name, model)));
  const workers = await Promise.all(
    [...names].map((taskQueue) =>
      Worker.create({
        connection,
        namespace,
        taskQueue,
        activities: { applyPartition, draftStep },
        maxConcurrentActivityTaskExecutions: maxPartitions,
        maxHeartbeatThrottleInterval: '2s',
        shutdownGraceTime: workerShutdown.graceMs,
        shutdownForceTime: workerShutdown.forceMs,
      }),
    ),
  );
  return {
    workers,
    close: async () => {
      await models.close();
      await ledger.close();
    },
  };
}
