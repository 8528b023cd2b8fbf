/** Weights in the cache of this machine, for tests that need real ones. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { entryState } from '../../workers/runtime/weights/files.js';
import { weightManifest } from '../../workers/runtime/weights/manifest.js';

export const modelsDir = process.env['FERMATA_MODELS_DIR'] ?? join(homedir(), '.cache', 'fermata', 'models');

/** Why a test of these weights is skipped; undefined where they are here. */
export async function lackOf(name: keyof typeof weightManifest): Promise<string | undefined> {
  const state = await entryState(modelsDir, name, weightManifest[name]);
  return state === 'ready' ? undefined : `skipped: no weights ${name} in ${modelsDir} (fermata models pull ${name})`;
}
