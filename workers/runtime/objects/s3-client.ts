import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createReadStream } from 'node:fs';
import { Readable, type Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { FermataError } from '../../../plans/protocol/errors.js';
import type { StoreSettings } from '../../config/settings.js';
import { damaged, isChecksumMismatch, isNotFound, type StorePlace, storeError } from './s3-errors.js';

/** Tries of one request, and of one download whose connection breaks in the middle. */
const attempts = 4;
const connectMs = 5_000;
/** Silence on a connection, not length of a transfer. */
const silentMs = 30_000;
const partBytes = 8 << 20;
const partsAtOnce = 4;
const mostParts = 10_000;
const checked = { ChecksumMode: 'ENABLED' } as const;

/** One bucket and prefix: requests, bounded retries, and errors that are fit to print. Keys are below the prefix. */
export class Bucket {
  readonly #client: S3Client;
  readonly #name: string;
  readonly #prefix: string;
  readonly place: StorePlace;
  #known = false;

  constructor(settings: Extract<StoreSettings, { kind: 's3' }>) {
    const { bucket, prefix, endpoint, forcePathStyle } = settings;
    const region = settings.region ?? process.env['AWS_REGION'] ?? (endpoint === undefined ? undefined : 'us-east-1');
    this.#name = bucket;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
    this.place = { bucket, host: endpoint === undefined ? `s3 (${region ?? 'no region'})` : new URL(endpoint).host };
    this.#client = new S3Client({
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(region === undefined ? {} : { region }),
      forcePathStyle,
      maxAttempts: attempts,
      retryMode: 'standard',
      // Objects carry their hash in their name, and are checked against that.
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: connectMs, socketTimeout: silentMs },
    });
  }

  /** Size and ETag, or undefined where no such object is. */
  async head(key: string): Promise<{ readonly bytes: number; readonly etag: string } | undefined> {
    try {
      const found = await this.#client.send(new HeadObjectCommand(this.#at(key)));
      return { bytes: found.ContentLength ?? 0, etag: found.ETag ?? '' };
    } catch (error) {
      if (!isNotFound(error)) throw storeError(error, this.place);
      // HEAD has no body to tell a missing object from a missing bucket, and some servers not even from unknown credentials.
      await this.#checkBucket();
      return undefined;
    }
  }

  /** `sha256`: of the bytes, in base64, which the server checks. */
  async put(key: string, body: Uint8Array, sha256: string): Promise<void> {
    await this.#said(() =>
      this.#client.send(new PutObjectCommand({ ...this.#at(key), Body: body, ChecksumSHA256: sha256 })),
    );
  }

  /** Uploads a file in parts, each with its SHA-256. When `guard` fails at the end of the file, no object comes to be. */
  async putLarge(key: string, path: string, bytes: number, guard: Transform): Promise<void> {
    const file = createReadStream(path, { highWaterMark: 1 << 20, end: bytes - 1 });
    file.on('error', (error) => guard.destroy(error));
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#at(key), Body: file.pipe(guard), ChecksumAlgorithm: 'SHA256' },
      partSize: Math.max(partBytes, Math.ceil(bytes / mostParts)),
      queueSize: partsAtOnce,
    });
    try {
      await this.#said(() => upload.done());
    } finally {
      file.destroy();
      guard.destroy();
    }
  }

  /**
   * Hands an object's bytes to `use`, anew from the start when the connection breaks on the way. Undefined where no such
   * object is. `checksum`: compare the bytes with the checksum that the server keeps.
   */
  async read<T>(
    key: string,
    checksum: boolean,
    use: (body: Readable, etag: string) => Promise<T>,
  ): Promise<{ readonly value: T } | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      let body: Readable | undefined;
      try {
        const answer = await this.#client.send(
          new GetObjectCommand({ ...this.#at(key), ...(checksum ? checked : {}) }),
        );
        if (!(answer.Body instanceof Readable)) throw new FermataError('Internal', 'The S3 client gave no stream.');
        body = answer.Body;
        return { value: await use(body, answer.ETag ?? '') };
      } catch (error) {
        body?.destroy();
        if (isNotFound(error)) return undefined;
        if (isChecksumMismatch(error)) throw damaged(this.#prefix + key, this.place);
        // Before the body, the client has made its own attempts.
        if (body === undefined || FermataError.is(error) || attempt === attempts) throw storeError(error, this.place);
        await delay(50 * 2 ** attempt);
      }
    }
  }

  /** Keys that begin with `prefix`, in the order of their bytes. */
  async *list(prefix: string): AsyncIterable<string> {
    const start = this.#prefix + prefix;
    const pages = paginateListObjectsV2({ client: this.#client }, { Bucket: this.#name, Prefix: start });
    try {
      for await (const page of pages) {
        for (const { Key: key } of page.Contents ?? []) if (key !== undefined) yield key.slice(this.#prefix.length);
      }
    } catch (error) {
      throw storeError(error, this.place);
    }
  }

  /** At most 1,000 keys. */
  async remove(keys: readonly string[]): Promise<void> {
    const objects = keys.map((key) => ({ Key: this.#prefix + key }));
    const answer = await this.#said(() =>
      this.#client.send(new DeleteObjectsCommand({ Bucket: this.#name, Delete: { Objects: objects, Quiet: true } })),
    );
    const failed = answer.Errors?.[0];
    if (failed !== undefined)
      throw storeError(Object.assign(new Error(), { name: failed.Code ?? 'Error' }), this.place);
  }

  async #checkBucket(): Promise<void> {
    if (this.#known) return;
    try {
      await this.#client.send(new ListObjectsV2Command({ Bucket: this.#name, Prefix: this.#prefix, MaxKeys: 1 }));
    } catch (error) {
      // Whoever may not list the bucket may still be allowed its objects.
      if ((error as Error).name !== 'AccessDenied') throw storeError(error, this.place);
    }
    this.#known = true;
  }

  async #said<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw storeError(error, this.place);
    }
  }

  #at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#name, Key: this.#prefix + key };
  }
}
