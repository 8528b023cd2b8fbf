import { access, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectHash, ObjectStore } from '../../../activities/ports.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import type { StoreSettings } from '../../config/settings.js';
import { AtomicFiles, checkSource, copyBlocks, isMissing, sizeOf } from './files.js';
import { changedWhileRead, damagedObject, type Digest, hashBytes, hashFile, missingObject } from './hashing.js';
import { namedKey, namedPrefix, objectKey } from './names.js';

const readOnly = 0o444;
const ownerWrites = 0o644;

/** Objects as files of one folder. `localPath` gives the object's own file: whoever reads it reads the store. */
export class LocalObjectStore implements ObjectStore {
  readonly #dir: string;
  readonly #files: AtomicFiles;

  constructor(settings: Extract<StoreSettings, { kind: 'local' }>) {
    this.#dir = settings.dir;
    this.#files = new AtomicFiles(settings.dir);
  }

  async put(bytes: Uint8Array): Promise<ObjectHash> {
    const hash = hashBytes(bytes);
    await this.#store({ hash, bytes: bytes.length }, (temporary) => writeFile(temporary, bytes));
    return hash;
  }

  async putFile(path: string): Promise<Digest> {
    return guarded(this.#dir, async () => {
      const digest = await hashFile(path, await checkSource(path));
      await this.#store(digest, async (temporary) => {
        await copyBlocks(path, temporary);
        await truncate(temporary, digest.bytes);
        if ((await hashFile(temporary, digest.bytes)).hash !== digest.hash) throw changedWhileRead(path);
      });
      return digest;
    });
  }

  async has(hash: ObjectHash): Promise<boolean> {
    return guarded(this.#dir, async () => (await sizeOf(this.#path(objectKey(hash)))) !== undefined);
  }

  async get(hash: ObjectHash): Promise<Uint8Array> {
    const path = await this.localPath(hash);
    return guarded(this.#dir, async () => {
      const bytes = await readFile(path);
      if (hashBytes(bytes) !== hash) throw damagedObject(hash, path);
      return bytes;
    });
  }

  async localPath(hash: ObjectHash): Promise<string> {
    if (!(await this.has(hash))) throw missingObject(hash);
    return this.#path(objectKey(hash));
  }

  async putNamed(name: string, bytes: Uint8Array): Promise<void> {
    const target = this.#path(namedKey(name));
    await guarded(this.#dir, () => this.#files.write(target, ownerWrites, (temporary) => writeFile(temporary, bytes)));
  }

  async putNamedFile(name: string, path: string): Promise<void> {
    const target = this.#path(namedKey(name));
    await guarded(this.#dir, async () => {
      await checkSource(path);
      await this.#files.write(target, ownerWrites, (temporary) => copyBlocks(path, temporary));
    });
  }

  async getNamed(name: string): Promise<Uint8Array | undefined> {
    const path = this.#path(namedKey(name));
    return guarded(this.#dir, async () => {
      try {
        return await readFile(path);
      } catch (error) {
        if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'EISDIR') return undefined;
        throw error;
      }
    });
  }

  async localPathNamed(name: string): Promise<string> {
    const path = this.#path(namedKey(name));
    return guarded(this.#dir, async () => {
      await access(path).catch(() => {
        throw new FermataError('ObjectMissing', `There is nothing named ${name} in the store.`);
      });
      return path;
    });
  }

  async *listNamed(prefix: string): AsyncIterable<string> {
    const wanted = namedPrefix(prefix).slice('named/'.length);
    const start = wanted.slice(0, wanted.lastIndexOf('/') + 1);
    yield* this.#walk(start, wanted);
  }

  async removeNamed(prefix: string): Promise<void> {
    const name = prefix.replace(/\/$/, '');
    const path = this.#path(namedKey(name));
    await guarded(this.#dir, () => rm(path, { recursive: true, force: true }));
  }

  /** Names under `folder` (empty, or ending in `/`) that begin with `wanted`, in the order of their characters. */
  async *#walk(folder: string, wanted: string): AsyncIterable<string> {
    const entries = await guarded(this.#dir, async () => {
      try {
        return await readdir(join(this.#dir, 'named', folder), { withFileTypes: true });
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    });
    const names = entries.map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`);
    for (const name of names.sort(byCodeUnits)) {
      if (name.endsWith('/')) {
        if (name.startsWith(wanted) || wanted.startsWith(name)) yield* this.#walk(name, wanted);
      } else if (name.startsWith(wanted)) yield name;
    }
  }

  /** A file of another size than the object's is the leaving of some accident, and is replaced. */
  async #store({ hash, bytes }: Digest, fill: (temporary: string) => Promise<void>): Promise<void> {
    const target = this.#path(objectKey(hash));
    await guarded(this.#dir, async () => {
      if ((await sizeOf(target)) === bytes) return;
      await this.#files.write(target, readOnly, fill);
    });
  }

  #path(key: string): string {
    return join(this.#dir, key);
  }
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function guarded<T>(dir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (FermataError.is(error)) throw error;
    throw new FermataError('StoreUnreachable', `The store in ${dir} cannot be used: ${(error as Error).message}`, {
      hint: 'Check that the disk has room and that the folder belongs to you.',
      cause: error,
    });
  }
}
