import { ServiceError } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { RunPorts } from '../../client/controlled.js';
import { openRun } from '../../client/run-handle.js';

/** A handle whose answer a test holds back; only `result` is asked for. */
function heldRun() {
  const waits: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = [];
  const handle = { result: () => new Promise((resolve, reject) => waits.push({ resolve, reject })) };
  const ports = { client: { workflow: { getHandle: () => handle } }, store: {} } as unknown as RunPorts;
  return { run: openRun('run-1', ports), waits };
}

test('all who wait for a result share one wait, and a result is asked for once', async () => {
  const { run, waits } = heldRun();
  const both = [run.result(), run.result()];
  waits[0]?.resolve({ runId: 'run-1' });
  expect(await Promise.all(both)).toEqual([{ runId: 'run-1' }, { runId: 'run-1' }]);
  await run.result();
  expect(waits).toHaveLength(1);
});

test('one who stops waiting does not stop the others', async () => {
  const { run, waits } = heldRun();
  const leaving = new AbortController();
  const left = run.result(leaving.signal);
  const stays = run.result();
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  waits[0]?.resolve({ runId: 'run-1' });
  expect(await stays).toEqual({ runId: 'run-1' });
});

test('a failed wait is not kept: the next one asks again', async () => {
  const { run, waits } = heldRun();
  const first = run.result();
  waits[0]?.reject(new ServiceError('no'));
  await expect(first).rejects.toThrow('no');
  const second = run.result();
  waits[1]?.resolve({ runId: 'run-1' });
  expect(await second).toEqual({ runId: 'run-1' });
});
