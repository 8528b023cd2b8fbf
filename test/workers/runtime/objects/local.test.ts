import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ObjectStore } from '../../../../activities/ports.js';
import { openObjectStore } from '../../../../workers/runtime/objects/open.js';
import { objectStoreContract } from './contract.js';

let root: string;
let dir: string;
let files: string;
let store: ObjectStore;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'fermata-objects-'));
  dir = join(root, 'store');
  files = join(root, 'files');
  mkdirSync(files);
  store = await openObjectStore({ kind: 'local', dir });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('contract', () => objectStoreContract(() => ({ store, files })));

test('a damaged object is named with its file, and comes back when that is removed', async () => {
  const bytes = Buffer.from('precious');
  const hash = await store.put(bytes);
  const path = await store.localPath(hash);
  chmodSync(path, 0o644);
  writeFileSync(path, 'prexious');
  await expect(store.get(hash)).rejects.toMatchObject({ code: 'BadData', where: { file: path } });
  rmSync(path);
  await store.put(bytes);
  expect(Buffer.from(await store.get(hash)).toString()).toBe('precious');
});

test('a truncated object is replaced by the next put', async () => {
  const bytes = randomBytes(1000);
  const hash = await store.put(bytes);
  const path = await store.localPath(hash);
  chmodSync(path, 0o644);
  truncateSync(path, 10);
  await store.put(bytes);
  expect(Buffer.from(await store.get(hash)).equals(bytes)).toBe(true);
});

test('temporary files of killed writers go after a day, and not before', async () => {
  mkdirSync(join(dir, 'tmp'), { recursive: true });
  for (const name of ['old', 'new']) writeFileSync(join(dir, 'tmp', name), 'half');
  utimesSync(join(dir, 'tmp', 'old'), new Date(0), new Date(0));
  await store.put(Buffer.from('x'));
  expect(readdirSync(join(dir, 'tmp'))).toEqual(['new']);
});

test('a folder that cannot be used says so', async () => {
  writeFileSync(join(root, 'file'), '');
  const broken = await openObjectStore({ kind: 'local', dir: join(root, 'file') });
  await expect(broken.put(Buffer.from('x'))).rejects.toMatchObject({ code: 'StoreUnreachable' });
  await expect(broken.putNamed('a', Buffer.from('x'))).rejects.toMatchObject({ code: 'StoreUnreachable' });
});
