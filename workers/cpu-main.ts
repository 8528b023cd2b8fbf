/** The relational worker: tables in, distinct inputs, the rest of the SQL. */
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { createChooseWay } from '../activities/planning/choose-way.js';
import { createCompileSearch } from '../activities/planning/compile-search.js';
import { createDrawSample } from '../activities/planning/draw-sample.js';
import { createFinishSearch } from '../activities/planning/finish-search.js';
import { createPlanSearch } from '../activities/planning/plan-search.js';
import { createRunTrial } from '../activities/planning/run-trial.js';
import { createTakeWay } from '../activities/planning/take-way.js';
import { createEmbedSides } from '../activities/relational/cascade/embed-sides.js';
import { createLearnCascade } from '../activities/relational/cascade/learn-cascade.js';
import { createMergeCascade } from '../activities/relational/cascade/merge-cascade.js';
import { createSampleCascade } from '../activities/relational/cascade/sample-cascade.js';
import { createTrainCascade } from '../activities/relational/cascade/train-cascade.js';
import { createMergeRounds } from '../activities/relational/rounds/merge-rounds.js';
import { createNextRound } from '../activities/relational/rounds/next-round.js';
import { createMergeRouted } from '../activities/relational/routed/merge-routed.js';
import { createPassOn } from '../activities/relational/routed/pass-on.js';
import { createRouteInputs } from '../activities/relational/routed/route-inputs.js';
import { createRunProgram } from '../activities/relational/routed/run-program.js';
import { createOpenDrafting } from '../activities/drafting/open-drafting.js';
import { createFinishQuery } from '../activities/relational/finish-query.js';
import { createNextBlock } from '../activities/relational/next-block.js';
import { createPlanQuery } from '../activities/relational/plan-query.js';
import { createPrepareCall } from '../activities/relational/prepare-call.js';
import type { ModelFunction } from '../activities/inference/model-function.js';
import type { Modality } from '../activities/ports.js';
import { FermataError } from '../plans/protocol/errors.js';
import { queues } from '../plans/protocol/queues.js';
import { codeTasks } from '../plans/tasks/code/index.js';
import { activityScope } from './activity-scope.js';
import { modelsWith } from './model-functions.js';
import { queueOfModel } from './model-queues.js';
import { runWorkerProcess, workerShutdown } from './process/worker-process.js';
import { partitionCodec } from './runtime/arrow/partition-codec.js';
import { createRelations } from './runtime/duckdb/relations.js';
import { createSqlPlanning } from './runtime/duckdb/sql-planning.js';
import { createSessions } from './runtime/duckdb/spare-session.js';
import { openLedger } from './runtime/ledger/open.js';
import { createMediaPreparer } from './runtime/media/prepare.js';
import { createModels } from './runtime/models/models.js';
import { openObjectStore } from './runtime/objects/open.js';
import { openSandbox } from './runtime/sandbox/open.js';

/** DuckDB uses all cores for one query, so that a few at once are enough. */
const maxActivities = 4;

await runWorkerProcess(async ({ settings, connection, namespace }) => {
  const store = await openObjectStore(settings.store);
  const ledger = openLedger(settings.ledger);
  const models = createModels(settings.models, { env: process.env, modelsDir: settings.modelsDir });
  const mediaHosts = (process.env['FERMATA_MEDIA_HOSTS'] ?? '').split(/[\s,]+/).filter((host) => host !== '');
  const duckDb = { tempDir: join(settings.home, 'tmp'), memoryLimit: '256MB' };
  const sessions = createSessions(duckDb);
  const ports = {
    store,
    ledger,
    relations: createRelations({ store, mediaHosts, sessions, ...duckDb }),
    clock: { now: () => Date.now() },
    scope: activityScope,
  };
  const planning = {
    ...ports,
    codeTasks,
    models,
    codec: partitionCodec,
    media: createMediaPreparer({ store }),
    planning: createSqlPlanning({ sessions, ...duckDb }),
    defaultModel: settings.defaults.llm,
    defaultEmbedder: settings.defaults.embedder,
    modelsWith: (name: ModelFunction, modality?: Modality) => modelsWith(settings.models, name, modality),
    queueOf: (name: string) => {
      const model = settings.models[name];
      if (model === undefined) throw new FermataError('UnknownModel', `no model is named ${name}`);
      return queueOfModel(name, model);
    },
  };
  const steps = { ...ports, codec: partitionCodec };
  const sandbox = openSandbox();
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: queues.cpu,
    activities: {
      planQuery: createPlanQuery(planning),
      prepareCall: createPrepareCall(ports),
      nextBlock: createNextBlock({ ...ports, models }),
      embedSides: createEmbedSides(steps),
      trainCascade: createTrainCascade(steps),
      sampleCascade: createSampleCascade(steps),
      learnCascade: createLearnCascade(steps),
      mergeCascade: createMergeCascade(steps),
      nextRound: createNextRound(steps),
      mergeRounds: createMergeRounds(steps),
      routeInputs: createRouteInputs(steps),
      runProgram: createRunProgram({ ...steps, code: sandbox, codeTasks }),
      passOn: createPassOn(steps),
      mergeRouted: createMergeRouted(steps),
      openDrafting: createOpenDrafting(planning),
      finishQuery: createFinishQuery(ports),
      planSearch: createPlanSearch(planning),
      drawSample: createDrawSample(planning),
      compileSearch: createCompileSearch(planning),
      runTrial: createRunTrial(ports),
      finishSearch: createFinishSearch(steps),
      chooseWay: createChooseWay(planning),
      takeWay: createTakeWay(planning),
    },
    maxConcurrentActivityTaskExecutions: maxActivities,
    maxHeartbeatThrottleInterval: '2s',
    shutdownGraceTime: workerShutdown.graceMs,
    shutdownForceTime: workerShutdown.forceMs,
  });
  return {
    workers: [worker],
    close: async () => {
      await sandbox.close();
      await sessions.close();
      await models.close();
      await ledger.close();
    },
  };
});
