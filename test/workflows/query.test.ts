import { fileURLToPath } from 'node:url';
import { Context } from '@temporalio/activity';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Activities } from '../../activities/index.js';
import type {
  ApplyPartitionInput,
  AppliedPartition,
  CallSchedule,
  PlannedQuery,
} from '../../plans/protocol/activities.js';
import type { RunBudget, RunResult } from '../../plans/protocol/run.js';
import { cancelUpdate, pauseUpdate, resumeUpdate, setBudgetUpdate, statusQuery } from '../../workflows/messages.js';
import type { query } from '../../workflows/query.js';
import { recordHistory } from '../replay/record.js';
import { startTemporalServer, type TestServer } from '../support/temporal-server.js';

/** Workflows against a real server with activities that only count: what is asked, when, and how it ends. */

const workflowBundle = { codePath: fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url)) };
let server: TestServer;
let client: Client;
let connection: Connection;
let native: NativeConnection;

beforeAll(async () => {
  Runtime.install({
    telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  });
  // Continue-as-new is suggested early, so that every run of more than a few partitions goes through it.
  server = await startTemporalServer(['limit.historyCount.suggestContinueAsNew=60']);
  connection = await Connection.connect({ address: server.address });
  native = await NativeConnection.connect({ address: server.address });
  client = new Client({ connection, identity: 'test' });
});

afterAll(async () => {
  await native.close();
  await connection.close();
  await server.stop();
});

interface Script {
  /** Name of the recorded history of this run, for the replay tests. */
  readonly name?: string;
  readonly rows: number;
  readonly calls: readonly Partial<CallSchedule>[];
  readonly stopAfter?: number;
  readonly budget?: RunBudget;
  apply(input: ApplyPartitionInput): Promise<AppliedPartition> | AppliedPartition;
}

const rowsAPartition = 10;
const done = (passed = 1): AppliedPartition => ({
  answered: rowsAPartition,
  passed,
  failed: 0,
  transient: 0,
  undecided: 0,
});

interface Played {
  readonly handle: WorkflowHandle<typeof query>;
  readonly applied: ApplyPartitionInput[];
  readonly finished: Parameters<Activities['finishQuery']>[0][];
  readonly result: Promise<RunResult>;
}

let runs = 0;

async function play(
  script: Script,
  whileRunning: (played: Played) => Promise<void> = async () => {},
): Promise<Played & { value: RunResult }> {
  runs += 1;
  const queue = `test-${runs}`;
  const runId = `q-test-${runs}`;
  const applied: ApplyPartitionInput[] = [];
  const finished: Played['finished'] = [];
  const calls = script.calls.map(
    (call, at): CallSchedule => ({
      id: `f${at}`,
      operator: 'filter',
      role: 'filter',
      model: 'm',
      queue,
      partitionRows: rowsAPartition,
      window: 3,
      ...call,
    }),
  );
  type Search = 'planSearch' | 'drawSample' | 'compileSearch' | 'runTrial' | 'finishSearch';
  type Unused =
    | Search
    | 'chooseWay'
    | 'takeWay'
    | 'nextBlock'
    | 'embedSides'
    | 'trainCascade'
    | 'sampleCascade'
    | 'learnCascade'
    | 'mergeCascade'
    | 'nextRound';
  type OfDrafts = 'openDrafting' | 'draftStep';
  type Routed = 'routeInputs' | 'runProgram' | 'passOn' | 'mergeRouted';
  const activities: Omit<Activities, Unused | Routed | OfDrafts | 'mergeRounds'> = {
    planQuery: (): Promise<PlannedQuery> =>
      Promise.resolve({
        plan: 'p',
        calls,
        rows: script.rows,
        ...(script.stopAfter === undefined ? {} : { stopAfter: script.stopAfter }),
      }),
    prepareCall: ({ wave }) => {
      const rows = wave.to - wave.from;
      return Promise.resolve({ partitions: Math.ceil(rows / rowsAPartition), inputs: rows, rows });
    },
    applyPartition: async (input) => {
      applied.push(input);
      return script.apply(input);
    },
    finishQuery: (input) => {
      finished.push(input);
      return Promise.resolve({
        v: 1,
        runId,
        stop: input.stop,
        spend: { usd: 0.5, calls: applied.length },
      } as unknown as RunResult);
    },
  };
  const worker = await Worker.create({
    connection: native,
    taskQueue: queue,
    workflowBundle,
    activities,
    maxHeartbeatThrottleInterval: 100,
    identity: 'test',
  });
  const cpu = await Worker.create({ connection: native, taskQueue: 'fermata-cpu', activities, identity: 'test' });
  const handle = await client.workflow.start<typeof query>('query', {
    workflowId: runId,
    taskQueue: queue,
    args: [{ v: 1, runId, request: 'r', budget: script.budget ?? {} }],
  });
  const played: Played = { handle, applied, finished, result: handle.result() };
  const value = worker.runUntil(
    cpu.runUntil(async () => {
      await whileRunning(played);
      return played.result;
    }),
  );
  try {
    return { ...played, value: await value };
  } finally {
    if (script.name !== undefined) await recordHistory(client, runId, undefined, script.name);
  }
}

/** An activity that is being asked until it is told to stop. */
async function untilStopped(): Promise<AppliedPartition> {
  const beat = setInterval(() => Context.current().heartbeat(), 50);
  try {
    await new Promise((resolve) =>
      Context.current().cancellationSignal.addEventListener('abort', resolve, { once: true }),
    );
  } finally {
    clearInterval(beat);
  }
  return { answered: 4, passed: 0, failed: 0, transient: 0, undecided: 6 };
}

const partitionsOf = (applied: readonly ApplyPartitionInput[], call = 'f0') =>
  applied.filter((input) => input.call === call).map((input) => input.partition);

describe('query', () => {
  test('asks every partition of every call once, through continue-as-new', async () => {
    const { applied, value, handle } = await play({
      name: 'complete',
      rows: 400,
      calls: [{}, { id: 'c0', role: 'value' }],
      apply: () => done(),
    });
    expect(partitionsOf(applied).sort((a, b) => a - b)).toEqual([...Array(40).keys()]);
    expect(partitionsOf(applied, 'c0').sort((a, b) => a - b)).toEqual([...Array(40).keys()]);
    expect(value.stop).toBe('complete');
    const childId = `${handle.workflowId}/apply/f0/0`;
    const { raw } = await client.workflow.getHandle(childId).describe();
    await recordHistory(client, childId, raw.workflowExecutionInfo?.firstRunId ?? undefined, 'apply-continued-first');
    await recordHistory(client, childId, undefined, 'apply-continued-last');
    expect(raw.workflowExecutionInfo?.firstRunId).not.toBe(raw.workflowExecutionInfo?.execution?.runId);
  });

  test('no rows and no calls end at once', async () => {
    expect((await play({ rows: 0, calls: [{}], apply: () => done() })).applied).toEqual([]);
    expect((await play({ rows: 50, calls: [], apply: () => done() })).value.stop).toBe('complete');
  });

  test('stops issuing partitions once enough rows are sure', async () => {
    const { applied, finished } = await play({
      name: 'limit',
      rows: 1000,
      calls: [{ window: 2 }],
      stopAfter: 5,
      apply: () => done(1),
    });
    expect(applied.length).toBeGreaterThanOrEqual(5);
    expect(applied.length).toBeLessThanOrEqual(5 + 2);
    expect(finished[0]?.stop).toBe('complete');
  });

  test('several filters are asked wave by wave until enough rows are sure', async () => {
    const { applied, finished } = await play({
      name: 'waves',
      rows: 5000,
      calls: [{}, { id: 'f1' }],
      stopAfter: 30,
      apply: () => done(2),
    });
    const waves = finished[0]?.waves ?? [];
    expect(waves[0]).toEqual({ index: 0, from: 0, to: 120 });
    expect(waves.length).toBeGreaterThan(1);
    expect(waves.at(-1)?.to).toBeLessThan(5000);
    waves.forEach((wave, at) => expect(wave.from).toBe(at === 0 ? 0 : waves[at - 1]!.to));
    expect(applied.filter((input) => input.call === 'f1').length).toBeGreaterThanOrEqual(15);
  });

  test('continue-as-new between two waves forgets none of the rows that are left', async () => {
    const { finished, handle } = await play({
      rows: 1500,
      calls: [{ window: 16 }, { id: 'f1', window: 16 }],
      stopAfter: 30,
      apply: ({ partition, wave }) => done(wave === 0 && partition === 0 ? 1 : 0),
    });
    const { raw } = await handle.describe();
    expect(raw.workflowExecutionInfo?.firstRunId).not.toBe(raw.workflowExecutionInfo?.execution?.runId);
    const waves = finished[0]?.waves ?? [];
    waves.forEach((wave, at) => expect(wave.from).toBe(at === 0 ? 0 : waves[at - 1]!.to));
    expect(waves.at(-1)?.to).toBe(1500);
  });

  test('a LIMIT without filters asks values for one wave of so many rows', async () => {
    const { finished, applied } = await play({
      rows: 5000,
      calls: [{ id: 'c0', role: 'value' }],
      stopAfter: 30,
      apply: () => done(),
    });
    expect(finished[0]?.waves).toEqual([{ index: 0, from: 0, to: 30 }]);
    expect(applied).toHaveLength(3);
  });

  test('transient failures get further passes, and the last one is told so', async () => {
    const seen = new Map<number, number>();
    const { applied } = await play({
      name: 'passes',
      rows: 30,
      calls: [{}],
      apply: (input) => {
        const pass = (seen.get(input.partition) ?? 0) + 1;
        seen.set(input.partition, pass);
        if (input.partition === 1 && pass <= 2) return { ...done(), answered: 8, transient: 2, retryAfterMs: 10 };
        return done();
      },
    });
    const second = applied.filter((input) => input.partition === 1);
    expect(second.map((input) => input.again)).toEqual([false, true, true]);
    expect(second.every((input) => !input.last)).toBe(true);
  });

  test('pause stops what is being asked; resume asks the same partitions again', async () => {
    let held = true;
    const { applied, value } = await play(
      { name: 'paused', rows: 60, calls: [{}], apply: () => (held ? untilStopped() : done()) },
      async ({ handle, applied: sofar }) => {
        await waitUntil(() => sofar.length >= 3);
        await handle.executeUpdate(pauseUpdate, { args: ['lunch'] });
        await waitUntil(async () => (await handle.query(statusQuery)).phase === 'paused');
        expect((await handle.query(statusQuery)).waiting).toBe('lunch');
        await new Promise((resolve) => setTimeout(resolve, 500));
        const atPause = sofar.length;
        await new Promise((resolve) => setTimeout(resolve, 500));
        expect(sofar.length).toBe(atPause);
        held = false;
        await handle.executeUpdate(resumeUpdate);
      },
    );
    expect(new Set(partitionsOf(applied)).size).toBe(6);
    expect(value.stop).toBe('complete');
  });

  test('setBudget reaches the partitions in flight, keeps the limits that it does not name, and refuses nonsense', async () => {
    let held = true;
    const { applied } = await play(
      {
        name: 'budget-set',
        rows: 40,
        calls: [{}],
        budget: { usd: 1, calls: 9 },
        apply: () => (held ? untilStopped() : done()),
      },
      async ({ handle, applied: sofar }) => {
        await waitUntil(() => sofar.length >= 3);
        await expect(handle.executeUpdate(setBudgetUpdate, { args: [{ usd: -1 }] })).rejects.toThrow();
        await expect(handle.executeUpdate(setBudgetUpdate, { args: [{}] })).rejects.toThrow();
        held = false;
        expect(await handle.executeUpdate(setBudgetUpdate, { args: [{ usd: 2 }] })).toEqual({ usd: 2, calls: 9 });
      },
    );
    expect(applied.at(-1)?.limits).toEqual({ usd: 2, calls: 9 });
  });

  test('cancelGracefully and a Temporal cancel both finish with what is decided', async () => {
    for (const how of ['update', 'temporal'] as const) {
      const { value, finished } = await play(
        {
          name: `cancelled-${how}`,
          rows: 100,
          calls: [{}, { id: 'c0', role: 'value' }],
          apply: () => untilStopped(),
        },
        async ({ handle, applied }) => {
          await waitUntil(() => applied.length >= 3);
          if (how === 'update') await handle.executeUpdate(cancelUpdate);
          else await handle.cancel();
        },
      );
      expect(value.stop).toBe('cancelled');
      expect(finished).toHaveLength(1);
    }
  });

  test('the deadline ends a run, also one that is paused', async () => {
    const { value } = await play({
      name: 'deadline',
      rows: 100,
      calls: [{}],
      budget: { seconds: 1 },
      apply: () => untilStopped(),
    });
    expect(value.stop).toBe('budget-seconds');
    const paused = await play(
      { rows: 100, calls: [{}], budget: { seconds: 2 }, apply: () => untilStopped() },
      async ({ handle }) => {
        await handle.executeUpdate(pauseUpdate, { args: [''] });
      },
    );
    expect(paused.value.stop).toBe('budget-seconds');
  });

  test('a limit that a partition met stops the run and names itself', async () => {
    const { value, applied } = await play({
      name: 'budget-met',
      rows: 400,
      calls: [{}, { id: 'c0', role: 'value' }],
      apply: (input) => (input.partition < 5 ? done() : { ...done(), answered: 3, undecided: 7, limit: 'budget-usd' }),
    });
    expect(value.stop).toBe('budget-usd');
    expect(applied.length).toBeLessThan(12);
    expect(partitionsOf(applied, 'c0')).toEqual([]);
  });

  test('a fatal failure ends the run with its code and stops the other partitions', async () => {
    const detail = { code: 'ModelRefused', message: 'no', where: {} };
    const failed = play({
      name: 'failed',
      rows: 200,
      calls: [{}],
      apply: (input) => {
        if (input.partition !== 2) return untilStopped();
        throw ApplicationFailure.create({ message: 'no', type: 'auth', nonRetryable: true, details: [detail] });
      },
    });
    await expect(failed).rejects.toMatchObject({ cause: { type: 'auth', details: [detail] } });
  });
});

async function waitUntil(check: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 15_000; !(await check()); ) {
    if (Date.now() > deadline) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
