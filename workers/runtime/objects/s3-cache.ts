import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ObjectHash } from '../../../activities/ports.js';
import { AtomicFiles, sizeOf } from './files.js';
import { damagedObject, hashFile, hashGuard, missingObject } from './hashing.js';
import { namedKey, objectKey } from './names.js';
import type { Bucket } from './s3-client.js';

const readOnly = 0o444;
/** How long a replaced version of a named object stays for those who have its path. */
const keepOldMs = 3_600_000;

/** Copies on this machine of objects in a bucket, for readers that need files. */
export class ObjectCache {
  readonly #dir: string;
  readonly #bucket: Bucket;
  readonly #files: AtomicFiles;
  /** One download or check at a time of each object; once done, it holds for this process. */
  readonly #checked = new Map<ObjectHash, Promise<string>>();

  constructor(dir: string, bucket: Bucket) {
    this.#dir = dir;
    this.#bucket = bucket;
    this.#files = new AtomicFiles(dir);
  }

  /** The path of a verified copy: downloaded when there is none, hashed once in each process, fetched anew when damaged. */
  async path(hash: ObjectHash): Promise<string> {
    const path = join(this.#dir, objectKey(hash));
    const known = this.#checked.get(hash);
    if (known !== undefined && (await known.then(sizeOf)) !== undefined) return known;
    const work = this.#fetch(hash, path);
    this.#checked.set(hash, work);
    work.catch(() => this.#checked.delete(hash));
    return work;
  }

  /** The path of the named object's present version. Undefined where it is not. */
  async namedPath(name: string): Promise<string | undefined> {
    const key = namedKey(name);
    const folder = join(this.#dir, 'named', digest(name));
    const present = await this.#bucket.head(key);
    if (present === undefined) return undefined;
    const path = join(folder, digest(present.etag));
    if ((await sizeOf(path)) === present.bytes) return path;
    const fetched = await this.#bucket.read(key, true, async (body, etag) => {
      const target = join(folder, digest(etag));
      await this.#files.write(target, readOnly, (temporary) => pipeline(body, createWriteStream(temporary)));
      return target;
    });
    await removeOld(folder, fetched?.value);
    return fetched?.value;
  }

  async #fetch(hash: ObjectHash, path: string): Promise<string> {
    const bytes = await sizeOf(path);
    if (bytes !== undefined) {
      if ((await hashFile(path, bytes)).hash === hash) return path;
      await rm(path, { force: true });
    }
    const key = objectKey(hash);
    const { host, bucket } = this.#bucket.place;
    const damaged = () => damagedObject(hash, `${key} in bucket ${bucket} of ${host}`);
    const fetched = await this.#bucket.read(key, false, (body: Readable) =>
      this.#files.write(path, readOnly, (temporary) =>
        pipeline(body, hashGuard(hash, damaged), createWriteStream(temporary)),
      ),
    );
    if (fetched === undefined) throw missingObject(hash);
    return path;
  }
}

async function removeOld(folder: string, present: string | undefined): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (path !== present && found !== undefined && found.mtimeMs < Date.now() - keepOldMs)
      await rm(path, { force: true });
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
