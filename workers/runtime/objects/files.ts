import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FermataError } from '../../../plans/protocol/errors.js';

/**
 * Writes files of one folder so that a reader sees a whole file or none: into `tmp/`, flushed, then renamed. The folder's own
 * entry is not flushed: after a power cut a file is whole or absent, never torn; the death of a process costs nothing.
 */
export class AtomicFiles {
  readonly #root: string;
  #ready: Promise<void> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** Has `fill` make the file's content at a temporary path, then puts it in place. */
  async write(target: string, mode: number, fill: (temporary: string) => Promise<void>): Promise<void> {
    this.#ready ??= this.#prepare();
    await this.#ready;
    const temporary = join(this.#root, 'tmp', `${process.pid}-${randomBytes(8).toString('hex')}`);
    try {
      await fill(temporary);
      await flush(temporary);
      await chmod(temporary, mode);
      await mkdir(dirname(target), { recursive: true });
      await rename(temporary, target);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** Temporary files of killed processes go after a day. */
  async #prepare(): Promise<void> {
    const folder = join(this.#root, 'tmp');
    await mkdir(folder, { recursive: true });
    const dayAgo = Date.now() - 86_400_000;
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && found.mtimeMs < dayAgo) await rm(path, { force: true });
    }
  }
}

/** Shares the blocks where the file system can (btrfs, XFS, APFS), and copies otherwise. */
export function copyBlocks(from: string, to: string): Promise<void> {
  return copyFile(from, to, constants.COPYFILE_FICLONE);
}

/** Size in bytes, or undefined where no file is. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether an error says that a path leads nowhere. */
export function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** @throws FermataError `FileNotFound` or `BadData` unless a user's path leads to a readable file. */
export async function checkSource(path: string): Promise<number> {
  let found: Awaited<ReturnType<typeof stat>>;
  try {
    found = await stat(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new FermataError('FileNotFound', `There is no file ${path}.`, { where: { file: path } });
  }
  if (!found.isFile()) throw new FermataError('BadData', `${path} is not a file.`, { where: { file: path } });
  return found.size;
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
