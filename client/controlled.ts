/** A workflow that a person waits for, by its id: its end, its progress, and what it may be told. */
import {
  type Client,
  isGrpcServiceError,
  type Workflow,
  type WorkflowHandle,
  type WorkflowResultType,
} from '@temporalio/client';
import type { ObjectStore } from '../activities/ports.js';
import { parseJson } from '../plans/protocol/json.js';
import { runObjects } from '../plans/protocol/run-plan.js';
import type { RunBudget, RunProgress } from '../plans/protocol/run.js';
import type { Controlled } from './api.js';
import { asFermataError } from './failures.js';
import { summaryOf } from './runs.js';

export interface RunPorts {
  readonly client: Client;
  readonly store: ObjectStore;
}

/** Loaded when it is used: the workflow package takes longer to load than a run takes to start. */
export const messages = () => import('../workflows/messages.js');

/** Milliseconds between two looks at the progress record. */
const watchEveryMs = 1_000;

export interface ControlledHandle<W extends Workflow> {
  readonly handle: WorkflowHandle<W>;
  /** Throws what a failed call to the server means as a `FermataError`. */
  readonly guarded: <T>(work: () => Promise<T>) => Promise<T>;
  readonly common: Omit<Controlled<WorkflowResultType<W>, never>, 'status'>;
}

/** Holds nothing that another process could not. */
export function openControlled<W extends Workflow>(id: string, ports: RunPorts): ControlledHandle<W> {
  const handle: WorkflowHandle<W> = ports.client.workflow.getHandle<W>(id);

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asFermataError(error, id);
    }
  }

  const progress = () => readJson<RunProgress>(ports.store.getNamed(runObjects.progress(id)));
  const awaiting = shared((wanted) => outlasting(() => handle.result(), wanted));
  const result = (signal?: AbortSignal): Promise<WorkflowResultType<W>> => guarded(() => awaiting(signal));
  return {
    handle,
    guarded,
    common: {
      id,
      progress,
      summary: () => guarded(async () => summaryOf(await handle.describe())),
      result,
      watch: (signal) => watch(progress, result, signal),
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
    },
  };
}

/** A JSON object of ours, whose writer is this program. */
export async function readJson<T>(reading: Promise<Uint8Array | undefined>): Promise<T | undefined> {
  const bytes = await reading;
  if (bytes === undefined) return undefined;
  const parsed = parseJson(new TextDecoder().decode(bytes));
  return parsed.ok ? (parsed.value as unknown as T) : undefined;
}

/** Records as they change, until the run ends one way or the other or the signal aborts. */
async function* watch(
  progress: () => Promise<RunProgress | undefined>,
  result: (signal?: AbortSignal) => Promise<unknown>,
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
