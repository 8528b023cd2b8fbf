import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ObjectStore } from '../../../../activities/ports.js';

/** What every driver must do. `context` gives a store, made new for each test, and a folder for files. */
export function objectStoreContract(context: () => { readonly store: ObjectStore; readonly files: string }): void {
  const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const list = async (prefix: string) => {
    const names: string[] = [];
    for await (const name of context().store.listNamed(prefix)) names.push(name);
    return names;
  };

  test('bytes come back under their hash, also none at all', async () => {
    const { store } = context();
    for (const bytes of [Buffer.alloc(0), Buffer.from('a'), randomBytes(100_000)]) {
      const hash = await store.put(bytes);
      expect(hash).toBe(sha(bytes));
      expect(await store.has(hash)).toBe(true);
      expect(Buffer.from(await store.get(hash)).equals(bytes)).toBe(true);
      expect(readFileSync(await store.localPath(hash)).equals(bytes)).toBe(true);
      expect(await store.put(bytes)).toBe(hash);
    }
  });

  test('the local file cannot be written to', async () => {
    const { store } = context();
    const path = await store.localPath(await store.put(Buffer.from('read only')));
    expect(statSync(path).mode & 0o222).toBe(0);
  });

  test('files of both sizes come back, a large one in parts', async () => {
    const { store, files } = context();
    const path = join(files, 'source');
    for (const size of [0, 1000, 40 << 20]) {
      const bytes = randomBytes(size);
      writeFileSync(path, bytes);
      const stored = await store.putFile(path);
      expect(stored).toEqual({ hash: sha(bytes), bytes: size });
      expect(sha(readFileSync(await store.localPath(stored.hash)))).toBe(stored.hash);
    }
  });

  test('named files of both sizes come back', async () => {
    const { store, files } = context();
    const path = join(files, 'source');
    for (const size of [0, 1000, 17 << 20]) {
      const bytes = randomBytes(size);
      writeFileSync(path, bytes);
      await store.putNamedFile('files/copy.bin', path);
      expect(sha(readFileSync(await store.localPathNamed('files/copy.bin')))).toBe(sha(bytes));
    }
  });

  test('a file that grows is stored as it was; one that is written over is refused or whole, never mixed', async () => {
    const { store, files } = context();
    // Below and above the size from which S3 gets parts.
    for (const size of [2 << 20, 17 << 20]) {
      for (const place of ['end', 'inside'] as const) {
        const path = join(files, `${place}-${String(size)}`);
        writeFileSync(path, randomBytes(size));
        const file = await open(path, 'r+');
        const stop = new AbortController();
        const writing = (async () => {
          for (let step = 0; !stop.signal.aborted; step += 1) {
            await file.write(
              randomBytes(64 << 10),
              0,
              64 << 10,
              place === 'end' ? size + (step << 16) : size - (64 << 10),
            );
          }
        })();
        const [outcome] = await Promise.allSettled([store.putFile(path)]);
        stop.abort();
        await writing;
        await file.close();
        if (outcome.status === 'rejected') {
          expect(place).toBe('inside');
          expect(outcome.reason).toMatchObject({ code: 'BadData', where: { file: path } });
        } else {
          const { hash, bytes } = outcome.value;
          expect(bytes).toBeGreaterThanOrEqual(size);
          expect(sha(await store.get(hash))).toBe(hash);
        }
      }
    }
  });

  test('many writers of one object agree', async () => {
    const { store, files } = context();
    const bytes = randomBytes(300_000);
    writeFileSync(join(files, 'source'), bytes);
    const puts = Array.from({ length: 12 }, async (_, index) =>
      index % 2 === 0 ? store.put(bytes) : (await store.putFile(join(files, 'source'))).hash,
    );
    expect(new Set(await Promise.all(puts))).toEqual(new Set([sha(bytes)]));
    const paths = await Promise.all(Array.from({ length: 8 }, () => store.localPath(sha(bytes))));
    for (const path of paths) expect(sha(readFileSync(path))).toBe(sha(bytes));
  });

  test('what is not there is missing, by every way of asking', async () => {
    const { store, files } = context();
    const hash = sha(Buffer.from('never stored'));
    expect(await store.has(hash)).toBe(false);
    await expect(store.get(hash)).rejects.toMatchObject({ code: 'ObjectMissing' });
    await expect(store.localPath(hash)).rejects.toMatchObject({ code: 'ObjectMissing' });
    expect(await store.getNamed('no/such')).toBeUndefined();
    await expect(store.localPathNamed('no/such')).rejects.toMatchObject({ code: 'ObjectMissing' });
    expect(await list('no/')).toEqual([]);
    await store.removeNamed('no/such');
    await expect(store.putFile(join(files, 'absent'))).rejects.toMatchObject({ code: 'FileNotFound' });
    await expect(store.putFile(files)).rejects.toMatchObject({ code: 'BadData' });
  });

  test('named objects are replaced whole', async () => {
    const { store } = context();
    await store.putNamed('runs/r1/progress.json', Buffer.from('first, and longer'));
    const old = readFileSync(await store.localPathNamed('runs/r1/progress.json'), 'utf8');
    await store.putNamed('runs/r1/progress.json', Buffer.from('second'));
    expect(old).toBe('first, and longer');
    expect(Buffer.from((await store.getNamed('runs/r1/progress.json'))!).toString()).toBe('second');
    expect(readFileSync(await store.localPathNamed('runs/r1/progress.json'), 'utf8')).toBe('second');
  });

  test('names are listed in order by prefix, and removed by whole segments', async () => {
    const { store } = context();
    const names = ['r/a-b', 'r/a.b', 'r/a/1', 'r/a/2/x', 'r/a0', 'r/aB', 'r/ab/1', 'rest', 's'];
    for (const name of [...names].reverse()) await store.putNamed(name, Buffer.from(name));
    expect(await list('')).toEqual(names);
    expect(await list('r/')).toEqual(names.slice(0, 7));
    expect(await list('r/a')).toEqual(names.slice(0, 7));
    expect(await list('r/a/')).toEqual(['r/a/1', 'r/a/2/x']);
    expect(await list('r/ab')).toEqual(['r/ab/1']);
    await store.removeNamed('r/a');
    expect(await list('r')).toEqual(['r/a-b', 'r/a.b', 'r/a0', 'r/aB', 'r/ab/1', 'rest']);
    await store.removeNamed('r/');
    expect(await list('')).toEqual(['rest', 's']);
  });

  test('names and hashes that could lead elsewhere are refused', async () => {
    const { store } = context();
    for (const name of [
      '',
      '/',
      '/abs',
      'a//b',
      '..',
      'a/../b',
      './a',
      'a/',
      'a b',
      'a\\b',
      'ü',
      'a\n',
      'x'.repeat(2000),
    ]) {
      const refused = { code: 'Internal' };
      await expect(store.putNamed(name, Buffer.from('x')), name).rejects.toMatchObject(refused);
      await expect(store.getNamed(name), name).rejects.toMatchObject(refused);
      await expect(store.localPathNamed(name), name).rejects.toMatchObject(refused);
    }
    for (const prefix of ['', '/', '..', '../', 'a/../b', '/a']) {
      await expect(store.removeNamed(prefix), prefix).rejects.toMatchObject({ code: 'Internal' });
    }
    for (const prefix of ['/', '..', '../x', 'a/../b', '/a', 'a//b']) {
      await expect(list(prefix), prefix).rejects.toMatchObject({ code: 'Internal' });
    }
    for (const hash of ['', '../../etc/passwd', 'A'.repeat(64), 'a'.repeat(63)]) {
      await expect(store.get(hash)).rejects.toMatchObject({ code: 'Internal' });
      await expect(store.has(hash)).rejects.toMatchObject({ code: 'Internal' });
    }
  });
}
