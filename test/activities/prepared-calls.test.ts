import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ObjectStore } from '../../activities/ports.js';
import { readPrepared, recordPrepared } from '../../activities/prepared-calls.js';
import { runObjects } from '../../plans/protocol/run-plan.js';
import { LocalObjectStore } from '../../workers/runtime/objects/local.js';

let dir: string;
let store: ObjectStore;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fermata-prepared-'));
  store = new LocalObjectStore({ kind: 'local', dir });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const entry = (wave: number, inputs = 3) => ({
  call: 'f0',
  wave,
  mapping: 'a'.repeat(64),
  at: 7,
  partitions: 1,
  inputs,
  rows: 5,
});

test('a run that has just begun has prepared nothing; a call that is prepared again replaces itself', async () => {
  expect(await readPrepared(store, 'q-new', 5)).toEqual({ v: 1, startedAt: 5, calls: [] });
  for (const written of [entry(0), entry(1), entry(0, 4)]) await recordPrepared(store, 'q-new', written, 5);
  expect(await readPrepared(store, 'q-new', 99)).toEqual({ v: 1, startedAt: 5, calls: [entry(1), entry(0, 4)] });
});

const whole = JSON.stringify({ v: 1, startedAt: 5, calls: [entry(0)] });
test.each([
  ['empty', ''],
  ['cut short', whole.slice(0, 60)],
  ['not JSON', '\u0000\u0001'],
  ['null', 'null'],
  ['a list', '[]'],
  ['of another version', whole.replace('"v":1', '"v":2')],
  ['without its calls', '{"v":1,"startedAt":5}'],
  ['without its start', '{"v":1,"calls":[]}'],
  ['with a call that has no mapping', whole.replace('mapping', 'mopping')],
  ['with a call that has no size', whole.replace('"partitions":1', '"partitions":"1"')],
])('a record that is %s is an error: taken for empty, it would leave asked rows out', async (name, text) => {
  const runId = `q-${name.replaceAll(' ', '-')}`;
  await store.putNamed(runObjects.prepared(runId), Buffer.from(text));
  const failure = { code: 'BadData', message: expect.stringContaining(runId) as string };
  await expect(readPrepared(store, runId, 1)).rejects.toMatchObject(failure);
  await expect(recordPrepared(store, runId, entry(0), 1)).rejects.toMatchObject(failure);
  expect(Buffer.from((await store.getNamed(runObjects.prepared(runId))) ?? []).toString()).toBe(text);
});
