import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ObjectStore } from '../../../activities/ports.js';
import { formatMediaRef, parseMediaRef } from '../../../plans/relation/media-ref.js';
import type { FetchMedia } from './fetch-media.js';
import { sniffBuffer, sniffFile } from './media-files.js';
import type { Sniffed } from './sniff.js';

export interface MediaSourceOptions {
  readonly store: ObjectStore;
  readonly modality: 'image' | 'audio';
  /** Folder that relative paths start from. */
  readonly baseDir: string;
  readonly fetchUrl: FetchMedia;
}

export type StoredMedia =
  | { readonly ok: true; readonly ref: string }
  | { readonly ok: false; readonly problem: string };

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
  const fetched = await options.fetchUrl(url);
  return fetched.ok ? storeMediaBytes(fetched.bytes, options) : fetched;
}
