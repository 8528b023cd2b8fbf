/** Where weights lie on disk, and whether they are whole. `<dir>/<name>/<file>`, with a record of what was verified. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseJson } from '../../../plans/protocol/json.js';
import type { WeightEntry, WeightFile } from './manifest.js';

/** Path that a manifest file has, or will have. */
export function weightPath(dir: string, name: string, file: string): string {
  return join(dir, name, file);
}

/** Lower-case hex SHA-256 of a file's bytes, read in a stream. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const options = { highWaterMark: 1 << 20, ...(signal === undefined ? {} : { signal }) };
  for await (const chunk of createReadStream(path, options)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

interface Verified {
  readonly sha256: string;
  readonly bytes: number;
  readonly mtimeMs: number;
}

const recordPath = (path: string): string => `${path}.verified.json`;

/** Notes that a file has this hash now, so that later starts need not read hundreds of megabytes again. */
export async function recordVerified(path: string, sha256: string): Promise<void> {
  const { size, mtimeMs } = await stat(path);
  const record: Verified = { sha256, bytes: size, mtimeMs };
  await mkdir(dirname(path), { recursive: true });
  const fresh = `${recordPath(path)}.${process.pid}`;
  await writeFile(fresh, JSON.stringify(record));
  await rename(fresh, recordPath(path));
}

async function recordedHash(path: string): Promise<string | undefined> {
  const [now, text] = await Promise.all([
    stat(path).catch(() => undefined),
    readFile(recordPath(path), 'utf8').catch(() => undefined),
  ]);
  if (now === undefined || text === undefined) return undefined;
  const parsed = parseJson(text);
  const record = parsed.ok ? (parsed.value as unknown as Partial<Verified> | null) : null;
  return record?.bytes === now.size && record.mtimeMs === now.mtimeMs ? record.sha256 : undefined;
}

/** Hash of a file of the user's, from the record beside it where nothing changed since, else computed and recorded. */
export async function knownHash(path: string): Promise<string> {
  const recorded = await recordedHash(path);
  if (recorded !== undefined) return recorded;
  const sha256 = await hashFile(path);
  // The user's folder may be read-only; then the hash is computed at each start.
  await recordVerified(path, sha256).catch(() => undefined);
  return sha256;
}

export type FileState = 'ready' | 'partial' | 'missing' | 'corrupt';

/** State of one file by size and record alone; `corrupt` is a wrong size or a file changed since it was verified. */
export async function fileState(dir: string, name: string, file: WeightFile): Promise<FileState> {
  const path = weightPath(dir, name, file.file);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return (await stat(`${path}.partial`).catch(() => undefined)) ? 'partial' : 'missing';
  if (found.size !== file.bytes) return 'corrupt';
  const recorded = await recordedHash(path);
  return recorded === undefined || recorded === file.sha256 ? 'ready' : 'corrupt';
}

/** The worst state among the files of an entry. */
export async function entryState(dir: string, name: string, entry: WeightEntry): Promise<FileState> {
  const states = await Promise.all(entry.files.map((file) => fileState(dir, name, file)));
  const order = ['corrupt', 'partial', 'missing'] as const;
  return order.find((state) => states.includes(state)) ?? 'ready';
}
