import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { ObjectHash, ObjectStore } from '../../../activities/ports.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { encodeFolderManifest, type FolderFile } from '../../../plans/relation/folder-manifest.js';
import { sniffFile } from './media-files.js';

/** Files read at once: enough to hide a disk's or a store's latency. */
const parallel = 8;

/**
 * Stores the images or audio files under a folder (hidden files and folders are passed over, other files too) and its
 * manifest; returns the manifest's hash. Files are in the order of their paths.
 *
 * @throws FermataError `FileNotFound`, `BadMedia` for a broken file, `BadData` for a folder without any
 */
export async function storeFolder(dir: string, store: ObjectStore): Promise<ObjectHash> {
  const paths = await mediaPaths(dir);
  const files: FolderFile[] = [];
  for (let from = 0; from < paths.length; from += parallel) {
    const some = await Promise.all(paths.slice(from, from + parallel).map((path) => storeOne(dir, path, store)));
    files.push(...some.filter((file) => file !== undefined));
  }
  if (files.length === 0) {
    throw new FermataError('BadData', `There is no image and no audio file in ${dir}.`, { where: { file: dir } });
  }
  return store.put(encodeFolderManifest({ v: 1, files }));
}

async function mediaPaths(dir: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(dir, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
      .filter((path) => !path.split(sep).some((part) => part.startsWith('.')))
      .sort((a, b) => (a < b ? -1 : 1));
  } catch (error) {
    throw new FermataError('FileNotFound', `The folder ${dir} cannot be read.`, { where: { file: dir }, cause: error });
  }
}

async function storeOne(dir: string, path: string, store: ObjectStore): Promise<FolderFile | undefined> {
  const sniffed = await sniffFile(join(dir, path));
  const broken = !sniffed.ok && (sniffed.modality !== undefined || mediaName.test(path));
  if (broken) {
    throw new FermataError('BadMedia', `The file ${path} ${sniffed.problem}.`, {
      hint: 'Replace the file or move it out of the folder.',
      where: { file: join(dir, path) },
    });
  }
  if (!sniffed.ok) return undefined;
  const { hash, bytes } = await store.putFile(join(dir, path));
  return { path: path.split(sep).join('/'), object: hash, bytes, mediaType: sniffed.kind.mediaType };
}

/** A file of such a name is meant to be one; when it is not, somebody wants to know. */
const mediaName = /\.(png|jpe?g|gif|webp|bmp|wav|mp3|flac|ogg|oga)$/i;
