import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ObjectStore } from '../../activities/ports.js';
import { readRecord } from '../../activities/wave-records.js';
import { LocalObjectStore } from '../../workers/runtime/objects/local.js';

let dir: string;
let store: ObjectStore;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fermata-records-'));
  store = new LocalObjectStore({ kind: 'local', dir });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const write = (name: string, text: string) => store.putNamed(name, new TextEncoder().encode(text));

test('a record is read back, and none before it is written', async () => {
  expect(await readRecord(store, 'runs/q/none.json')).toBeUndefined();
  await write('runs/q/whole.json', '{"v":1,"inputs":3}');
  expect(await readRecord(store, 'runs/q/whole.json')).toEqual({ v: 1, inputs: 3 });
});

test.each(['', '{"v":1,"inp', 'null', '[]', '7', '{}', '{"v":2}', '\u0000'])(
  'a damaged record is never taken for none: %j',
  async (text) => {
    await write('runs/q/broken.json', text);
    const damaged = { code: 'BadData', message: expect.stringContaining('runs/q/broken.json') as string };
    await expect(readRecord(store, 'runs/q/broken.json')).rejects.toMatchObject(damaged);
  },
);
