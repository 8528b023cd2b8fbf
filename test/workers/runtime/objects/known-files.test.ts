import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ObjectStore } from '../../../../activities/ports.js';
import { snapshot } from '../../../../client/snapshot.js';
import { storeFiles } from '../../../../workers/runtime/objects/known-files.js';
import { LocalObjectStore } from '../../../../workers/runtime/objects/local.js';

let root: string;
let store: CountingStore;
let file: string;

/** Counts the files that are read. */
class CountingStore extends LocalObjectStore {
  readonly reads: string[] = [];
  override putFile(path: string) {
    this.reads.push(path);
    return super.putFile(path);
  }
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fermata-known-'));
  store = openStore('store');
  file = join(root, 'a.csv');
  await writeFile(file, 'id\n1\n');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const openStore = (name: string) => new CountingStore({ kind: 'local', dir: join(root, name) });
/** As if the files had been left alone for a minute. */
const later = () => Date.now() + 60_000;
const store1 = async (path = file, at = later, into: ObjectStore = store) =>
  (await storeFiles(into, path, [path], at))[0];
const textOf = async (hash: string | undefined) => Buffer.from(await store.get(hash ?? '')).toString();

describe('one file', () => {
  test('is read once', async () => {
    const first = await store1();
    expect(await store1()).toEqual(first);
    expect(await textOf(first?.hash)).toBe('id\n1\n');
    expect(store.reads).toHaveLength(1);
  });

  const changes: readonly { readonly name: string; readonly change: () => Promise<void> }[] = [
    { name: 'written over with as many bytes', change: () => writeFile(file, 'id\n2\n') },
    {
      name: 'written over with as many bytes, its modification time put back',
      async change() {
        const { atime, mtime } = await stat(file);
        await writeFile(file, 'id\n2\n');
        await utimes(file, atime, mtime);
      },
    },
    {
      name: 'replaced by another file',
      async change() {
        await writeFile(`${file}.new`, 'id\n2\n');
        await rename(`${file}.new`, file);
      },
    },
    { name: 'appended to', change: () => writeFile(file, 'id\n2\n', { flag: 'a' }) },
  ];
  test.each(changes)('$name is read again', async ({ change }) => {
    const first = await store1();
    // File systems may keep times in ticks of some milliseconds.
    await new Promise((resolve) => setTimeout(resolve, 30));
    await change();
    const second = await store1();
    expect(second?.hash).not.toBe(first?.hash);
    expect(await textOf(second?.hash)).toContain('2');
    expect(store.reads).toHaveLength(2);
  });

  test('that was changed a moment ago is not trusted yet', async () => {
    const { mtimeMs } = await stat(file);
    await store1(file, () => mtimeMs + 1999);
    await store1(file, () => mtimeMs + 1999);
    expect(store.reads).toHaveLength(2);
    await store1(file, () => mtimeMs + 10_000);
    await store1(file, () => mtimeMs + 10_000);
    expect(store.reads).toHaveLength(3);
  });

  test('whose object was removed from the store is stored again', async () => {
    const first = await store1();
    await rm(join(root, 'store', 'objects'), { recursive: true });
    expect(await store1()).toEqual(first);
    expect(await textOf(first?.hash)).toBe('id\n1\n');
  });

  test('is known to the store that holds it alone', async () => {
    const other = openStore('other');
    const first = await store1();
    expect(await store1(file, later, other)).toEqual(first);
    expect(other.reads).toHaveLength(1);
    expect(await other.has(first?.hash ?? '')).toBe(true);
  });

  test.each(['', '{', 'null', '[]', '{"files":1}', '{"files":{"":{"fingerprint":"1","object":"../x"}}}'])(
    'a damaged record (%s) costs a reading',
    async (text) => {
      const first = await store1();
      for await (const name of store.listNamed('files/')) await store.putNamed(name, Buffer.from(text));
      expect(await store1()).toEqual(first);
      expect(store.reads).toHaveLength(2);
      await store1();
      expect(store.reads).toHaveLength(2);
    },
  );

  test('that is gone is an error', async () => {
    await store1();
    await rm(file);
    await expect(store1()).rejects.toMatchObject({ code: 'FileNotFound' });
  });
});

test('of a folder only the files that changed are read again', async () => {
  const folder = join(root, 'photos');
  await mkdir(join(folder, 'deep'), { recursive: true });
  const names = ['__proto__', 'a.png', join('deep', 'b.png'), ...Array.from({ length: 20 }, (_, at) => `c${at}.png`)];
  for (const name of names) await writeFile(join(folder, name), name);
  const paths = names.map((name) => join(folder, name)).sort();
  const first = await storeFiles(store, folder, paths, later);
  const reads = store.reads.length;
  expect(reads).toBe(names.length);
  await new Promise((resolve) => setTimeout(resolve, 30));
  await writeFile(join(folder, 'a.png'), 'A.png');
  const second = await storeFiles(store, folder, paths, later);
  // A file of this odd name is not recorded, and so is read each time.
  expect(store.reads.slice(reads).sort()).toEqual([join(folder, '__proto__'), join(folder, 'a.png')]);
  expect(second.filter(({ hash }, at) => hash !== first[at]?.hash)).toHaveLength(1);
});

test('a snapshot of an unchanged folder or file reads nothing, and is the same', async () => {
  const folder = join(root, 'photos');
  await mkdir(folder);
  await writeFile(join(folder, 'a.png'), 'a');
  // The rule of the last two seconds is by the real clock here, so that the files have to be older.
  await new Promise((resolve) => setTimeout(resolve, 2100));
  for (const path of [folder, file]) {
    const first = await snapshot(store, root, 't', path, {});
    const reads = store.reads.length;
    expect(await snapshot(store, root, 't', path, {})).toEqual(first);
    expect(store.reads).toHaveLength(reads);
  }
});

test('what cannot be read is an error, and leaves nothing behind', async () => {
  await chmod(file, 0o000);
  // Root reads everything.
  if (process.getuid?.() !== 0) await expect(store1()).rejects.toMatchObject({ code: 'StoreUnreachable' });
  await expect(store1(join(root, 'none.csv'))).rejects.toMatchObject({ code: 'FileNotFound' });
  await expect(store1(root)).rejects.toMatchObject({ code: 'BadData' });
  expect(await readdir(root)).toContain('a.csv');
});
