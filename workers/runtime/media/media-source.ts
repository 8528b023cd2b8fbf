import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ObjectStore } from '../../../activities/ports.js';
import { formatMediaRef, parseMediaRef } from '../../../plans/relation/media-ref.js';
import { sniffBuffer, sniffFile } from './media-files.js';
import type { Sniffed } from './sniff.js';

export interface MediaSourceOptions {
  readonly store: ObjectStore;
  readonly modality: 'image' | 'audio';
  /** Folder that relative paths start from. */
  readonly baseDir: string;
  readonly fetch: typeof globalThis.fetch;
}

export type StoredMedia =
  | { readonly ok: true; readonly ref: string }
  | { readonly ok: false; readonly problem: string };

/** Longest that one URL may take, in milliseconds, and the most bytes that are taken from it. */
const urlTimeoutMs = 30_000;
const urlBytes = 64 * 1024 * 1024;

/** Stores what a cell names (a path, a `file:` or `http:` URL, or a reference that is one already) and tells its reference. */
export async function storeMediaText(value: string, options: MediaSourceOptions): Promise<StoredMedia> {
  const ref = parseMediaRef(value);
  if (ref !== undefined) {
    if (ref.type !== options.modality) return { ok: false, problem: `is ${ref.mediaType}, not ${options.modality}` };
    if (await options.store.has(ref.hash)) return { ok: true, ref: value };
    return { ok: false, problem: 'is not in the store' };
  }
  if (/^https?:\/\//i.test(value)) return storeUrl(value, options);
  const path = /^file:\/\//i.test(value) ? fileURLToPath(value) : resolve(options.baseDir, value);
  let sniffed: Sniffed;
  try {
    sniffed = await sniffFile(path);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { ok: false, problem: missing ? `does not exist (looked for ${path})` : 'cannot be read' };
  }
  return checked(sniffed, options, async () => (await options.store.putFile(path)).hash);
}

export async function storeMediaBytes(bytes: Uint8Array, options: MediaSourceOptions): Promise<StoredMedia> {
  return checked(sniffBuffer(bytes), options, () => options.store.put(bytes));
}

async function checked(
  sniffed: Sniffed,
  options: MediaSourceOptions,
  put: () => Promise<string>,
): Promise<StoredMedia> {
  if (!sniffed.ok) return sniffed;
  const { mediaType, modality } = sniffed.kind;
  if (modality !== options.modality) return { ok: false, problem: `is ${mediaType}, not ${options.modality}` };
  return { ok: true, ref: formatMediaRef({ mediaType, hash: await put() }) };
}

async function storeUrl(url: string, options: MediaSourceOptions): Promise<StoredMedia> {
  try {
    const response = await options.fetch(url, { signal: AbortSignal.timeout(urlTimeoutMs) });
    if (!response.ok) return { ok: false, problem: `cannot be fetched (HTTP ${String(response.status)})` };
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += part.length;
      if (size > urlBytes) return { ok: false, problem: 'is larger than 64 MiB' };
      parts.push(part);
    }
    return await storeMediaBytes(Buffer.concat(parts), options);
  } catch (error) {
    return { ok: false, problem: `cannot be fetched (${(error as Error).message})` };
  }
}
