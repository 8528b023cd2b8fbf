/**
 * The whole engine in one process on a real Temporal server, with models that a test scripts: real workflows, activities,
 * store, ledger and DuckDB. Needs the build of the workflows.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createDraftStep } from '../../activities/drafting/draft-step.js';
import { createOpenDrafting } from '../../activities/drafting/open-drafting.js';
import { createApplyPartition } from '../../activities/inference/apply-partition.js';
import type { Activities } from '../../activities/index.js';
import type { ActivityScope, Limits, ModelReply, ModelRequest } from '../../activities/ports.js';
import { createProgressPublisher } from '../../activities/progress.js';
import { createChooseWay } from '../../activities/planning/choose-way.js';
import { createCompileSearch } from '../../activities/planning/compile-search.js';
import { createDrawSample } from '../../activities/planning/draw-sample.js';
import { createFinishSearch } from '../../activities/planning/finish-search.js';
import { createPlanSearch } from '../../activities/planning/plan-search.js';
import { createRunTrial } from '../../activities/planning/run-trial.js';
import { createTakeWay } from '../../activities/planning/take-way.js';
import { createEmbedSides } from '../../activities/relational/cascade/embed-sides.js';
import { createLearnCascade } from '../../activities/relational/cascade/learn-cascade.js';
import { createMergeCascade } from '../../activities/relational/cascade/merge-cascade.js';
import { createSampleCascade } from '../../activities/relational/cascade/sample-cascade.js';
import { createTrainCascade } from '../../activities/relational/cascade/train-cascade.js';
import { createMergeRounds } from '../../activities/relational/rounds/merge-rounds.js';
import { createNextRound } from '../../activities/relational/rounds/next-round.js';
import { createMergeRouted } from '../../activities/relational/routed/merge-routed.js';
import { createPassOn } from '../../activities/relational/routed/pass-on.js';
import { createRouteInputs } from '../../activities/relational/routed/route-inputs.js';
import { createRunProgram } from '../../activities/relational/routed/run-program.js';
import { createFinishQuery } from '../../activities/relational/finish-query.js';
import { createNextBlock } from '../../activities/relational/next-block.js';
import { createPlanQuery } from '../../activities/relational/plan-query.js';
import { createPrepareCall } from '../../activities/relational/prepare-call.js';
import { openRun } from '../../client/run-handle.js';
import type { Optimization, OptimizeOptions, Run, RunOptions } from '../../client/api.js';
import { openOptimization } from '../../client/optimization-handle.js';
import { optimizeRequest, searchSettings } from '../../client/search-settings.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { queues } from '../../plans/protocol/queues.js';
import { codeTasks } from '../../plans/tasks/code/index.js';
import type { Estimate, RunBudget, RunRequest } from '../../plans/protocol/run.js';
import { activityScope } from '../../workers/activity-scope.js';
import { partitionCodec } from '../../workers/runtime/arrow/partition-codec.js';
import { createRelations } from '../../workers/runtime/duckdb/relations.js';
import { createSqlPlanning } from '../../workers/runtime/duckdb/sql-planning.js';
import { openLmdbLedger } from '../../workers/runtime/ledger/lmdb.js';
import { createMediaPreparer } from '../../workers/runtime/media/prepare.js';
import { createCallGate } from '../../workers/runtime/models/gate.js';
import { LocalObjectStore } from '../../workers/runtime/objects/local.js';
import type { optimize } from '../../workflows/optimize.js';
import { openSandbox } from '../../workers/runtime/sandbox/open.js';
import type { query } from '../../workflows/query.js';
import { startTemporalServer } from './temporal-server.js';

export interface ScriptedModel {
  /** The text of a reply, or with its confidence; throws `CallError`. */
  readonly answer?: (prompt: string, request: ModelRequest) => Promise<Scripted> | Scripted;
  /** The vector of a text: the model is an embedder. */
  readonly embed?: (text: string) => readonly number[];
  readonly limits?: Limits;
  readonly contextTokens?: number;
  /** USD for a million tokens, in or out; default 1. */
  readonly price?: number;
}
type Scripted = Pick<ModelReply, 'text' | 'confidence'>;

export interface Engine {
  readonly client: Client;
  readonly store: LocalObjectStore;
  readonly activities: Activities;
  /** Calls that each model has answered. */
  readonly calls: ReadonlyMap<string, number>;
  /** Starts a query over one table `t`, given as CSV. The model is `oracle` unless the query names another. */
  start(
    sql: string,
    csv: string,
    options?: Pick<RunOptions, 'strategy' | 'placement' | 'cache' | 'onError' | 'logical' | 'optimize'> & {
      budget?: RunBudget;
    },
  ): Promise<Run>;
  /** Starts a search for a plan over one table `t`. */
  optimize(sql: string, csv: string, options?: OptimizeOptions): Promise<Optimization>;
  /** What `--dry-run` says of it. */
  estimate(
    sql: string,
    csv: string,
    options?: Pick<RunOptions, 'strategy' | 'logical' | 'optimize'>,
  ): Promise<Estimate>;
  close(): Promise<void>;
}

const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const idle: ActivityScope = { stop: new AbortController().signal, heartbeat: () => undefined };

export async function startEngine(
  scripted: Readonly<Record<string, ScriptedModel>>,
  dynamicConfig: readonly string[] = [],
): Promise<Engine> {
  Runtime.install({ telemetryOptions: { logging: { filter: 'ERROR', forward: {} } }, logger: quiet });
  const dir = await mkdtemp(join(tmpdir(), 'fermata-engine-'));
  const server = await startTemporalServer(dynamicConfig);
  const connection = await Connection.connect({ address: server.address });
  const native = await NativeConnection.connect({ address: server.address });
  const client = new Client({ connection, identity: 'test' });
  const store = new LocalObjectStore({ kind: 'local', dir: join(dir, 'store') });
  const ledger = openLmdbLedger({ dir: join(dir, 'ledger') });
  const calls = new Map<string, number>();
  const clock = { now: () => Date.now() };
  const ports = {
    store,
    ledger,
    clock,
    codec: partitionCodec,
    media: createMediaPreparer({ store }),
    models: modelsOf(scripted, calls),
    relations: createRelations({ store, tempDir: join(dir, 'tmp'), threads: 1 }),
    progress: createProgressPublisher({ store, ledger, clock }),
    gate: createCallGate(),
    planning: createSqlPlanning({ tempDir: join(dir, 'tmp'), memoryLimit: '256MB' }),
    defaultModel: 'oracle',
    defaultEmbedder: 'none',
    modelsWith: (name: string) =>
      name === 'language' ? Object.keys(scripted).filter((model) => scripted[model]?.answer !== undefined) : [],
    queueOf: () => queues.cpu,
    scope: scopeOf,
    codeTasks,
  };
  const sandbox = openSandbox();
  const activities: Activities = {
    planQuery: createPlanQuery(ports),
    prepareCall: createPrepareCall(ports),
    nextBlock: createNextBlock(ports),
    applyPartition: createApplyPartition(ports),
    embedSides: createEmbedSides(ports),
    trainCascade: createTrainCascade(ports),
    sampleCascade: createSampleCascade(ports),
    learnCascade: createLearnCascade(ports),
    mergeCascade: createMergeCascade(ports),
    nextRound: createNextRound(ports),
    mergeRounds: createMergeRounds(ports),
    routeInputs: createRouteInputs(ports),
    runProgram: createRunProgram({ ...ports, code: sandbox }),
    passOn: createPassOn(ports),
    mergeRouted: createMergeRouted(ports),
    openDrafting: createOpenDrafting(ports),
    draftStep: createDraftStep(ports),
    finishQuery: createFinishQuery(ports),
    planSearch: createPlanSearch(ports),
    drawSample: createDrawSample(ports),
    compileSearch: createCompileSearch(ports),
    runTrial: createRunTrial(ports),
    finishSearch: createFinishSearch(ports),
    chooseWay: createChooseWay(ports),
    takeWay: createTakeWay(ports),
  };
  const worker = await Worker.create({
    connection: native,
    taskQueue: queues.cpu,
    activities,
    workflowBundle: { codePath: fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url)) },
    maxHeartbeatThrottleInterval: 100,
    identity: 'test',
  });
  const running = worker.run();
  let runs = 0;
  async function requestOf(
    sql: string,
    csv: string,
    {
      optimize: asked,
      ...options
    }: Pick<RunOptions, 'strategy' | 'placement' | 'cache' | 'onError' | 'logical' | 'optimize'>,
  ): Promise<RunRequest> {
    const optimize = asked === undefined ? undefined : optimizeRequest({ ...options, optimize: asked });
    const path = join(dir, 't.csv');
    await writeFile(path, csv);
    const table = { name: 't', format: 'csv', object: await store.put(Buffer.from(csv)), path } as const;
    return {
      v: 1,
      sql,
      tables: [table],
      onError: 'null',
      maxErrorRatio: 1,
      cache: true,
      ...options,
      ...(optimize === undefined ? {} : { optimize }),
    };
  }
  const stored = (value: object): Promise<string> => store.put(Buffer.from(JSON.stringify(value)));
  return {
    client,
    store,
    activities,
    calls,
    async start(sql, csv, { budget = {}, ...options } = {}) {
      runs += 1;
      const runId = `q-engine-${runs}`;
      const request = await stored(await requestOf(sql, csv, options));
      await client.workflow.start<typeof query>('query', {
        workflowId: runId,
        taskQueue: queues.cpu,
        args: [{ v: 1, runId, request, budget }],
      });
      return openRun(runId, { client, store });
    },
    async optimize(sql, csv, options = {}) {
      runs += 1;
      const runId = `o-engine-${runs}`;
      const { budget = {}, cache = true, confirmAboveUsd } = options;
      const search = searchSettings(options);
      const request = await stored({ v: 1, query: await requestOf(sql, csv, { cache }), search });
      const confirm = confirmAboveUsd === undefined ? {} : { confirmAboveUsd };
      await client.workflow.start<typeof optimize>('optimize', {
        workflowId: runId,
        taskQueue: queues.cpu,
        args: [{ v: 1, runId, request, budget, ...confirm }],
      });
      return openOptimization(runId, { client, store });
    },
    async estimate(sql, csv, options = {}) {
      const request = await stored(await requestOf(sql, csv, options));
      const planned = await activities.planQuery({
        runId: 'q-estimate',
        request,
        budget: {},
        estimate: true,
        dry: true,
      });
      if (planned.estimate === undefined) throw new Error('no estimate came');
      return planned.estimate;
    },
    async close() {
      worker.shutdown();
      await running;
      await native.close();
      await connection.close();
      await server.stop();
      await sandbox.close();
      await ledger.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Activities are also called by hand. */
function scopeOf(): ActivityScope {
  try {
    return activityScope();
  } catch {
    return idle;
  }
}

function modelsOf(scripted: Readonly<Record<string, ScriptedModel>>, calls: Map<string, number>) {
  return {
    get: (name: string) => {
      const model = scripted[name];
      if (model === undefined) return Promise.reject(new FermataError('UnknownModel', `no model is named ${name}`));
      return Promise.resolve({
        name,
        identity: name,
        modalities: ['text'] as const,
        limits: model.limits ?? { concurrency: 64 },
        ...(model.contextTokens === undefined ? {} : { contextTokens: model.contextTokens }),
        price: { unit: 'tokens', inputPerMTok: model.price ?? 1, outputPerMTok: model.price ?? 1 } as const,
        ...(model.answer === undefined ? {} : { language: languageOf(name, model.answer, calls) }),
        ...(model.embed === undefined ? {} : { embedder: embedderOf(model.embed) }),
      });
    },
    close: () => Promise.resolve(),
  };
}

function languageOf(name: string, answer: NonNullable<ScriptedModel['answer']>, calls: Map<string, number>) {
  return {
    async complete(request: ModelRequest): Promise<ModelReply> {
      calls.set(name, (calls.get(name) ?? 0) + 1);
      const prompt = request.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      return { ...(await answer(prompt, request)), usage: { inputTokens: 10, outputTokens: 1 } };
    },
  };
}

function embedderOf(embed: NonNullable<ScriptedModel['embed']>) {
  return {
    dimensions: 4,
    embed: (texts: readonly string[]) =>
      Promise.resolve({
        vectors: texts.map((text) => Float32Array.from(embed(text))),
        usage: { inputTokens: texts.length, outputTokens: 0 },
      }),
  };
}
