import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { FermataError } from '../../plans/protocol/errors.js';

/**
 * Writes a file that appears under its name only when it is whole; makes the folders above it. Throws `Usage` when nothing
 * can be written there.
 */
export async function writeWhole(
  cwd: string,
  out: string,
  write: (handle: FileHandle) => Promise<unknown>,
): Promise<void> {
  const path = resolve(cwd, out);
  const draft = `${path}.${randomUUID().slice(0, 8)}.part`;
  const handle = await openDraft(path, draft, out);
  try {
    try {
      await write(handle);
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function openDraft(path: string, draft: string, out: string): Promise<FileHandle> {
  const folder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (folder) throw new FermataError('Usage', `${out} is a folder`, { hint: 'Name a file in it.' });
  try {
    await mkdir(dirname(path), { recursive: true });
    return await open(draft, 'wx');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FermataError('Usage', `cannot write ${out}: ${why}`, {
      hint: 'Name another file with --out.',
      cause: error,
    });
  }
}
