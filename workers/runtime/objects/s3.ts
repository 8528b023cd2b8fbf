import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { ObjectHash, ObjectStore } from '../../../activities/ports.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import type { StoreSettings } from '../../config/settings.js';
import { checkSource } from './files.js';
import {
  changedWhileRead,
  damagedObject,
  type Digest,
  hashBytes,
  hashFile,
  hashGuard,
  missingObject,
} from './hashing.js';
import { namedKey, namedPrefix, objectKey } from './names.js';
import { ObjectCache } from './s3-cache.js';
import { Bucket } from './s3-client.js';

/** Larger files go in parts. */
const oneRequestBytes = 16 << 20;
const removedAtOnce = 1000;

/** Objects in an S3 bucket. Credentials come from the `AWS_*` environment, as the AWS SDK reads it. */
export class S3ObjectStore implements ObjectStore {
  readonly #bucket: Bucket;
  readonly #cache: ObjectCache;

  constructor(settings: Extract<StoreSettings, { kind: 's3' }>) {
    this.#bucket = new Bucket(settings);
    this.#cache = new ObjectCache(settings.cacheDir, this.#bucket);
  }

  async put(bytes: Uint8Array): Promise<ObjectHash> {
    const hash = hashBytes(bytes);
    if (!(await this.#holds({ hash, bytes: bytes.length })))
      await this.#bucket.put(objectKey(hash), bytes, inBase64(hash));
    return hash;
  }

  async putFile(path: string): Promise<Digest> {
    const size = await checkSource(path);
    if (size <= oneRequestBytes) {
      const bytes = await readUnchanged(path);
      return { hash: await this.put(bytes), bytes: bytes.length };
    }
    const digest = await hashFile(path, size);
    if (!(await this.#holds(digest))) await this.#putLarge(objectKey(digest.hash), path, digest);
    return digest;
  }

  async has(hash: ObjectHash): Promise<boolean> {
    return (await this.#bucket.head(objectKey(hash))) !== undefined;
  }

  async get(hash: ObjectHash): Promise<Uint8Array> {
    const key = objectKey(hash);
    const found = await this.#bucket.read(key, false, buffer);
    if (found === undefined) throw missingObject(hash);
    const { host, bucket } = this.#bucket.place;
    if (hashBytes(found.value) !== hash) throw damagedObject(hash, `${key} in bucket ${bucket} of ${host}`);
    return found.value;
  }

  async localPath(hash: ObjectHash): Promise<string> {
    return this.#cache.path(hash);
  }

  async putNamed(name: string, bytes: Uint8Array): Promise<void> {
    await this.#bucket.put(namedKey(name), bytes, inBase64(hashBytes(bytes)));
  }

  async putNamedFile(name: string, path: string): Promise<void> {
    const key = namedKey(name);
    const size = await checkSource(path);
    if (size <= oneRequestBytes) return this.putNamed(name, await readUnchanged(path));
    return this.#putLarge(key, path, await hashFile(path, size));
  }

  async getNamed(name: string): Promise<Uint8Array | undefined> {
    return (await this.#bucket.read(namedKey(name), true, buffer))?.value;
  }

  async localPathNamed(name: string): Promise<string> {
    const path = await this.#cache.namedPath(name);
    if (path === undefined) throw new FermataError('ObjectMissing', `There is nothing named ${name} in the store.`);
    return path;
  }

  async *listNamed(prefix: string): AsyncIterable<string> {
    for await (const key of this.#bucket.list(namedPrefix(prefix))) yield key.slice('named/'.length);
  }

  async removeNamed(prefix: string): Promise<void> {
    const key = namedKey(prefix.replace(/\/$/, ''));
    let keys = [key];
    for await (const below of this.#bucket.list(`${key}/`)) {
      keys.push(below);
      if (keys.length < removedAtOnce) continue;
      await this.#bucket.remove(keys);
      keys = [];
    }
    if (keys.length > 0) await this.#bucket.remove(keys);
  }

  async #putLarge(key: string, path: string, digest: Digest): Promise<void> {
    await this.#bucket.putLarge(
      key,
      path,
      digest.bytes,
      hashGuard(digest.hash, () => changedWhileRead(path)),
    );
  }

  /** An object of another size is the leaving of some accident, and is replaced. */
  async #holds(digest: Digest): Promise<boolean> {
    return (await this.#bucket.head(objectKey(digest.hash)))?.bytes === digest.bytes;
  }
}

/** A file that is written to meanwhile can be read as a mixture of old and new; reading it twice finds that out. */
async function readUnchanged(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  if ((await hashFile(path, bytes.length)).hash !== hashBytes(bytes)) throw changedWhileRead(path);
  return bytes;
}

function inBase64(hash: ObjectHash): string {
  return Buffer.from(hash, 'hex').toString('base64');
}
