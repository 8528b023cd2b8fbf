/**
 * Files of users that are in the store already, known by what the file system says about them, so that running an unchanged
 * query again does not read its files again. One record a table, in the store that holds the objects: a record cannot
 * speak of another store.
 */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { relative } from 'node:path';
import type { ObjectHash, ObjectStore } from '../../../activities/ports.js';
import { type JsonValue, parseJson } from '../../../plans/protocol/json.js';
import type { Digest } from './hashing.js';

/** `size mtimeNs ctimeNs ino`. The change time shows a content replaced under an old modification time, and another machine's file. */
type Fingerprint = string;

type Known = Readonly<Record<string, { readonly fingerprint: Fingerprint; readonly object: ObjectHash }>>;

/**
 * A file changed no longer ago than this, in ms, is not recorded: within one tick of a file system's clock (2 s on FAT) it
 * could change again and look the same. (Git calls such entries racily clean.)
 */
const settledMs = 2000;

/** Files looked at together: enough to hide a store's latency. */
const parallel = 8;

/**
 * Stores files (`root` itself, or files below it) unless they are known to be there. Returns their digests in the order of
 * `paths`.
 *
 * @throws FermataError `FileNotFound` or `BadData` as `ObjectStore.putFile` does
 */
export async function storeFiles(
  store: ObjectStore,
  root: string,
  paths: readonly string[],
  now: () => number = Date.now,
): Promise<readonly Digest[]> {
  const name = `files/${createHash('sha256').update(root).digest('hex')}.json`;
  const known = decode(await store.getNamed(name));
  const seen: Record<string, Known[string]> = {};
  const digests: Digest[] = [];
  for (let from = 0; from < paths.length; from += parallel) {
    const some = paths.slice(from, from + parallel);
    const stored = await Promise.all(some.map((path) => storeFile(store, path, known[relative(root, path)], now)));
    for (const [index, { digest, fingerprint }] of stored.entries()) {
      digests.push(digest);
      const key = relative(root, some[index] ?? root);
      if (fingerprint !== undefined) seen[key] = { fingerprint, object: digest.hash };
    }
  }
  const record = JSON.stringify({ v: 1, files: seen });
  if (record !== JSON.stringify({ v: 1, files: known })) await store.putNamed(name, new TextEncoder().encode(record));
  return digests;
}

interface Stored {
  readonly digest: Digest;
  /** Absent for a file that may change without showing it. */
  readonly fingerprint?: Fingerprint;
}

async function storeFile(
  store: ObjectStore,
  path: string,
  known: Known[string] | undefined,
  now: () => number,
): Promise<Stored> {
  const began = now();
  const before = await look(path);
  if (known !== undefined && known.fingerprint === before?.fingerprint && (await store.has(known.object))) {
    return { digest: { hash: known.object, bytes: before.bytes }, fingerprint: before.fingerprint };
  }
  const digest = await store.putFile(path);
  const after = await look(path);
  const settled = before !== undefined && before.changedMs < began - settledMs;
  return settled && before.fingerprint === after?.fingerprint
    ? { digest, fingerprint: before.fingerprint }
    : { digest };
}

async function look(path: string) {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (found === undefined) return undefined;
  const { size, mtimeNs, ctimeNs, ino, mtimeMs, ctimeMs } = found;
  const changedMs = Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs);
  return { fingerprint: [size, mtimeNs, ctimeNs, ino].join(' '), bytes: Number(size), changedMs };
}

/** A record that is damaged or of another version knows nothing. */
function decode(bytes: Uint8Array | undefined): Known {
  const parsed = parseJson(bytes === undefined ? '{}' : new TextDecoder().decode(bytes));
  const files = parsed.ok ? member(parsed.value, 'files') : undefined;
  if (files === undefined || files === null || typeof files !== 'object') return {};
  const entries = Object.entries(files).flatMap(([path, value]) => {
    const [fingerprint, object] = [member(value, 'fingerprint'), member(value, 'object')];
    const fits = typeof fingerprint === 'string' && typeof object === 'string' && /^[0-9a-f]{64}$/.test(object);
    return fits ? [[path, { fingerprint, object }] as const] : [];
  });
  return Object.fromEntries(entries);
}

function member(value: JsonValue, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as { readonly [key: string]: JsonValue })[name] : undefined;
}
