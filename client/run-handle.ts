import { type Client, isGrpcServiceError, type WorkflowHandle } from '@temporalio/client';
import type { RecordBatch, Table } from 'apache-arrow';
import type { ObjectStore } from '../activities/ports.js';
import { parseJson } from '../plans/protocol/json.js';
import { runObjects } from '../plans/protocol/run-plan.js';
import type { RunRecord } from '../plans/protocol/run-record.js';
import type { RunBudget, RunProgress, RunRequest, RunResult, RunStatus } from '../plans/protocol/run.js';
import type { query } from '../workflows/query.js';
import type { RowError, Run, RunDescription } from './api.js';
import { asFermataError } from './failures.js';
import { summaryOf } from './runs.js';

export interface RunPorts {
  readonly client: Client;
  readonly store: ObjectStore;
}

/** Loaded when they are used: Arrow and the workflow package take longer to load than a run takes to start. */
const reader = () => import('./result-reader.js');
const messages = () => import('../workflows/messages.js');

/** Loads what reads rows, while there is nothing to do but wait for them. */
export function preloadReader(): void {
  void reader().catch(() => undefined);
}

/** Milliseconds between two looks at the progress record. */
const watchEveryMs = 1_000;

/** Handle of a run, by its id; holds nothing that another process could not. */
export function openRun(id: string, ports: RunPorts): Run {
  const handle: WorkflowHandle<typeof query> = ports.client.workflow.getHandle<typeof query>(id);

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asFermataError(error, id);
    }
  }

  const progress = () => readJson<RunProgress>(ports.store.getNamed(runObjects.progress(id)));

  async function description(): Promise<RunDescription | undefined> {
    const record = await readJson<RunRecord>(ports.store.getNamed(runObjects.record(id)));
    if (record === undefined) return undefined;
    const request = await readJson<RunRequest>(ports.store.get(record.request));
    if (request === undefined) return undefined;
    const { joins, estimate } = record;
    return { request, joins, ...(estimate === undefined ? {} : { estimate }) };
  }

  const awaiting = shared((wanted) => outlasting(() => handle.result(), wanted));
  const result = (signal?: AbortSignal): Promise<RunResult> => guarded(() => awaiting(signal));
  const rowsFile = async (): Promise<string> => ports.store.localPath((await result()).rows.object);

  return {
    id,
    progress,
    description,
    summary: () => guarded(async () => summaryOf(await handle.describe())),
    result,
    rowsFile,
    status: (): Promise<RunStatus> => guarded(async () => handle.query((await messages()).statusQuery)),
    watch: (signal) => watch(progress, result, signal),
    async *stream(): AsyncGenerator<RecordBatch> {
      const { readBatches } = await reader();
      yield* readBatches(await rowsFile());
    },
    rows: async () => (await reader()).readRows(await rowsFile()),
    toArrow: async (): Promise<Table> => (await reader()).readTable(await rowsFile()),
    errors: async () => {
      const { errors } = await result();
      const { readRows } = await reader();
      const rows = await readRows(await ports.store.localPath(errors.object));
      return rows.map(
        ({ row, operator, code, message }): RowError => ({
          row: Number(row),
          operator: String(operator),
          code: String(code),
          message: String(message),
        }),
      );
    },
    pause: async (reason = '') => {
      await guarded(async () => handle.executeUpdate((await messages()).pauseUpdate, { args: [reason] }));
    },
    resume: async () => {
      await guarded(async () => handle.executeUpdate((await messages()).resumeUpdate));
    },
    setBudget: async (budget: RunBudget) => {
      await guarded(async () => handle.executeUpdate((await messages()).setBudgetUpdate, { args: [budget] }));
    },
    cancel: async () => {
      await guarded(async () => handle.executeUpdate((await messages()).cancelUpdate));
    },
  };
}

/** A JSON object of ours, whose writer is this program. */
async function readJson<T>(reading: Promise<Uint8Array | undefined>): Promise<T | undefined> {
  const bytes = await reading;
  if (bytes === undefined) return undefined;
  const parsed = parseJson(new TextDecoder().decode(bytes));
  return parsed.ok ? (parsed.value as unknown as T) : undefined;
}

/** Records as they change, until the run ends one way or the other or the signal aborts. */
async function* watch(
  progress: () => Promise<RunProgress | undefined>,
  result: (signal?: AbortSignal) => Promise<RunResult>,
  signal: AbortSignal | undefined,
): AsyncGenerator<RunProgress> {
  const over = result(signal).then(
    () => true,
    () => true,
  );
  let seen = 0;
  for (let ended = false; ; ) {
    const record = await progress();
    if (record !== undefined && record.updatedAt > seen) {
      seen = record.updatedAt;
      yield record;
    }
    if (ended || signal?.aborted === true) return;
    ended = await Promise.race([over, tick(watchEveryMs)]);
  }
}

async function tick(ms: number): Promise<false> {
  await new Promise((resolve) => setTimeout(resolve, ms).unref());
  return false;
}

/** A server that is being restarted does not end the wait for a run. */
const outageMs = 300_000;
const unavailable = 14;

async function outlasting<T>(work: () => Promise<T>, wanted: () => boolean): Promise<T> {
  let since: number | undefined;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isGrpcServiceError(error) || (error.code as number) !== unavailable || !wanted()) throw error;
      since ??= Date.now();
      if (Date.now() - since > outageMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

/** One wait for all who ask, kept once it has succeeded; `wanted` says whether anybody still waits. */
function shared<T>(work: (wanted: () => boolean) => Promise<T>): (signal?: AbortSignal) => Promise<T> {
  let waiting = 0;
  let current: Promise<T> | undefined;
  return async (signal) => {
    waiting += 1;
    current ??= work(() => waiting > 0).catch((error: unknown) => {
      current = undefined;
      throw error;
    });
    try {
      return await abortable(current, signal);
    } finally {
      waiting -= 1;
    }
  };
}

/** The promise, or the abort; the work itself goes on at the server. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}
