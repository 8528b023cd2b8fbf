/** What weights are here, and whether their bytes are the right ones. */
import { stat } from 'node:fs/promises';
import { FermataError } from '../../../plans/protocol/errors.js';
import { entryState, type FileState, hashFile, recordVerified, weightPath } from './files.js';
import { type WeightEntry, type WeightManifest, weightManifest } from './manifest.js';
import { manifestEntry } from './pull.js';

export interface WeightListing {
  readonly name: string;
  readonly task: WeightEntry['task'];
  readonly title: string;
  readonly licence: string;
  readonly bytes: number;
  readonly state: FileState;
}

/** All entries of the manifest with their state in `dir`; reads no file whole. */
export async function listWeights(
  dir: string,
  manifest: WeightManifest = weightManifest,
): Promise<readonly WeightListing[]> {
  return Promise.all(
    Object.entries(manifest).map(async ([name, entry]) => ({
      name,
      task: entry.task,
      title: entry.title,
      licence: entry.licence,
      bytes: entry.files.reduce((sum, file) => sum + file.bytes, 0),
      state: await entryState(dir, name, entry),
    })),
  );
}

/** Reads every byte of an entry again. Throws `FermataError` `UnknownModel`, `WeightsMissing` or `WeightsCorrupt`. */
export async function verifyWeights(
  name: string,
  options: { readonly dir: string; readonly signal?: AbortSignal; readonly manifest?: WeightManifest },
): Promise<void> {
  for (const file of manifestEntry(name, options.manifest).files) {
    const path = weightPath(options.dir, name, file.file);
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) {
      throw new FermataError('WeightsMissing', `${name}: ${path} is not there`, { hint: pullHint(name) });
    }
    const sha256 = await hashFile(path, options.signal);
    if (sha256 !== file.sha256) {
      throw new FermataError('WeightsCorrupt', `${path} has SHA-256 ${sha256}, expected ${file.sha256}`, {
        hint: `Remove it, then: ${pullHint(name)}`,
      });
    }
    await recordVerified(path, sha256);
  }
}

/** What to do when weights are missing. */
export function pullHint(name: string): string {
  return `Run \`fermata models pull ${name}\`.`;
}
