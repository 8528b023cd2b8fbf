import { Client } from '@temporalio/client';
import type { ObjectStore } from '../activities/ports.js';
import { readRoutedPlan } from '../plans/physical/routed/plan.schema.js';
import { checkStrategy } from '../plans/physical/strategies.js';
import { FermataError } from '../plans/protocol/errors.js';
import type { PlacementComparison } from '../plans/protocol/comparison.js';
import { parseJson } from '../plans/protocol/json.js';
import { queues } from '../plans/protocol/queues.js';
import type { Estimate, RunBudget, RunRequest } from '../plans/protocol/run.js';
import type { SearchRequest } from '../plans/protocol/search.js';
import { loadSettings } from '../workers/config/load.js';
import type { Settings } from '../workers/config/settings.js';
import { temporalServer } from '../workers/config/temporal.js';
import { ensureStack } from '../workers/embedded/stack.js';
import { openObjectStore } from '../workers/runtime/objects/open.js';
import type { estimate } from '../workflows/estimate.js';
import { budgetProblem } from '../workflows/budget.js';
import type { OptimizeInput, QueryInput } from '../workflows/messages.js';
import type { ConnectOptions, Fermata, Optimization, OptimizeOptions, Run, RunOptions } from './api.js';
import { draftWith } from './drafts.js';
import { asFermataError } from './failures.js';
import { parameterLiterals } from './parameters.js';
import { openOptimization } from './optimization-handle.js';
import { openTable } from './relation/open-table.js';
import { newEstimateId, newOptimizationId, newRunId } from './run-id.js';
import { openRun, preloadReader } from './run-handle.js';
import { optimizeRequest, searchSettings } from './search-settings.js';
import { listRuns } from './runs.js';
import { connectServer, openLater } from './server-connection.js';
import { snapshotTables } from './tables.js';

/** Longest time that a run may be open; a run that is paused and forgotten ends then. */
const runTimeout = '30 days';

/** What each workflow that a user starts is given. */
interface Started {
  readonly query: QueryInput;
  readonly optimize: OptimizeInput;
}

/**
 * Connects to Fermata: the embedded stack of the project (started when it is not running), or the cluster that
 * `TEMPORAL_ADDRESS` names.
 *
 * @example
 * const fermata = await connect();
 * const run = await fermata.sql("SELECT id FROM reviews WHERE AI_FILTER('{text} praises the ending')", {
 *   tables: { reviews: 'reviews.csv' },
 * });
 * for (const row of await run.rows()) console.log(row);
 * await fermata.close();
 */
export async function connect(options: ConnectOptions = {}): Promise<Fermata> {
  const cwd = options.cwd ?? process.cwd();
  const env = options.env ?? process.env;
  const { settings } = await loadSettings({ cwd, env });
  return connectWith(settings, { ...options, cwd, env });
}

/** `connect` for callers that have read the settings already. */
export async function connectWith(
  settings: Settings,
  { cwd, env, onProgress }: ConnectOptions & Required<Pick<ConnectOptions, 'cwd' | 'env'>>,
): Promise<Fermata> {
  const stack = await ensureStack(settings, env, onProgress === undefined ? {} : { onProgress });
  const server = await temporalServer(settings, env, stack);
  // The embedded stack has just said that it is ready; asking its server the same costs a round trip.
  const connecting = settings.temporal === undefined ? openLater(server) : connectServer(server);
  const [connection, store] = await Promise.all([connecting, openObjectStore(settings.store)]);
  const client = new Client({ connection, namespace: server.namespace });
  return createFermata({ client, store, settings, cwd, close: () => connection.close() });
}

interface FermataPorts {
  readonly client: Client;
  readonly store: ObjectStore;
  readonly settings: Settings;
  readonly cwd: string;
  close(): Promise<void>;
}

function createFermata(ports: FermataPorts): Fermata {
  const { client, store, settings } = ports;

  const storeJson = (value: object): Promise<string> => store.put(new TextEncoder().encode(JSON.stringify(value)));

  async function requestOf(text: string, options: RunOptions): Promise<RunRequest> {
    if (options.strategy !== undefined) checkStrategy(options.strategy);
    // A program's plan comes from a file, too.
    if (options.strategy?.kind === 'routed') readRoutedPlan(options.strategy.plan);
    const optimize = optimizeRequest(options);
    return {
      v: 1,
      sql: text,
      tables: await snapshotTables(store, ports.cwd, options.logical === undefined ? text : '', options),
      onError: options.onError ?? 'null',
      maxErrorRatio: options.maxErrorRatio ?? settings.limits.maxErrorRatio,
      cache: options.cache ?? true,
      ...(options.model === undefined ? {} : { model: options.model }),
      ...(options.strategy === undefined ? {} : { strategy: options.strategy }),
      ...(optimize === undefined ? {} : { optimize }),
      ...(options.placement === undefined ? {} : { placement: options.placement }),
      ...(options.logical === undefined ? {} : { logical: options.logical }),
      ...(options.params === undefined ? {} : { parameters: parameterLiterals(options.params) }),
    };
  }

  function budgetOf(given: RunBudget | undefined): RunBudget {
    const budget = {
      ...(settings.limits.maxCostUsd === undefined ? {} : { usd: settings.limits.maxCostUsd }),
      ...given,
    };
    const problem = Object.keys(budget).length === 0 ? undefined : budgetProblem(budget);
    if (problem !== undefined) throw new FermataError('Usage', problem);
    return budget;
  }

  /** Starts a workflow under its run's id; lists and Temporal's UI show the query. */
  async function startNamed<Type extends keyof Started>(type: Type, text: string, input: Started[Type]): Promise<void> {
    try {
      await client.workflow.start(type, {
        workflowId: input.runId,
        taskQueue: queues.workflows,
        args: [input],
        workflowRunTimeout: runTimeout,
        staticSummary: shorten(text),
        memo: { sql: shorten(text) },
      });
    } catch (error) {
      throw asFermataError(error, input.runId);
    }
  }

  async function sql(text: string, options: RunOptions = {}): Promise<Run> {
    const budget = budgetOf(options.budget);
    const request = await storeJson(await requestOf(text, options));
    const runId = newRunId(request);
    const { confirmAboveUsd } = options;
    const confirm = confirmAboveUsd === undefined ? {} : { confirmAboveUsd };
    await startNamed('query', text, { v: 1, runId, request, budget, ...confirm });
    preloadReader();
    return openRun(runId, { client, store });
  }

  async function optimizing(text: string, options: OptimizeOptions = {}): Promise<Optimization> {
    const budget = budgetOf(options.budget);
    const search = searchSettings(options);
    const query = await requestOf(text, options);
    const request = await storeJson({ v: 1, query, search } satisfies SearchRequest);
    const runId = newOptimizationId(request);
    const { confirmAboveUsd } = options;
    const confirm = confirmAboveUsd === undefined ? {} : { confirmAboveUsd };
    await startNamed('optimize', text, { v: 1, runId, request, budget, ...confirm });
    return openOptimization(runId, { client, store });
  }

  async function price(text: string, options: RunOptions = {}, compare?: boolean): Promise<Estimate> {
    const request = await storeJson(await requestOf(text, options));
    const workflowId = newEstimateId(request);
    try {
      return await client.workflow.execute<typeof estimate>('estimate', {
        workflowId,
        taskQueue: queues.workflows,
        args: [{ v: 1, runId: workflowId, request, ...(compare === undefined ? {} : { compare }) }],
        workflowRunTimeout: '1 hour',
      });
    } catch (error) {
      throw asFermataError(error, workflowId);
    }
  }

  const estimateOf = (text: string, options?: RunOptions) => price(text, options);

  async function compare(text: string, options?: RunOptions): Promise<PlacementComparison> {
    const { comparison } = await price(text, options, true);
    if (comparison === undefined) throw new FermataError('Internal', 'the workers are older than this client');
    const parsed = parseJson(new TextDecoder().decode(await store.get(comparison)));
    if (!parsed.ok) throw new FermataError('BadData', `the comparison of placements is not JSON: ${parsed.error}`);
    return parsed.value as unknown as PlacementComparison;
  }

  return {
    sql,
    estimate: estimateOf,
    compare,
    draft: async (instance, options) => draftWith(ports, instance, options, budgetOf(options.budget)),
    table: (name, source) => openTable({ sql, estimate: estimateOf }, name, source),
    run: (id) => openRun(id, { client, store }),
    optimize: optimizing,
    optimization: (id) => openOptimization(id, { client, store }),
    runs: (limit) => listRuns(client, limit),
    close: () => ports.close(),
  };
}

/** One line of the query for lists and Temporal's UI. */
function shorten(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 200);
}
