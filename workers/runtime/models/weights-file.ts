/** From the weights that a model names to the file on disk and the hash that identifies them. */
import { stat } from 'node:fs/promises';
import { CallError } from '../../../plans/protocol/call-errors.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { fileState, knownHash, weightPath } from '../weights/files.js';
import { type WeightEntry, type WeightManifest, weightManifest } from '../weights/manifest.js';
import { pullHint } from '../weights/verify.js';

export interface WeightsFile {
  readonly path: string;
  /** SHA-256 of the weights, known without reading them where they are in the manifest; else `WeightsMissing` may be thrown. */
  sha256(): Promise<string>;
  /** Throws `CallError` `weightsMissing` when the file, or one that belongs to it, is not here or not whole. */
  require(): Promise<void>;
}

/** Weights in memory. */
export interface Loaded {
  close(): Promise<void>;
}

/** Weights that are loaded with the first call of `load`, once. */
export interface LazyWeights<T> {
  readonly load: () => Promise<T>;
  /** Frees what was loaded. */
  readonly close: () => Promise<void>;
}

/** `open` is given the path, once the weights are here and whole. */
export function lazyWeights<T extends Loaded>(
  weights: WeightsFile,
  open: (path: string) => Promise<T>,
): LazyWeights<T> {
  let loading: Promise<T> | undefined;
  return {
    load() {
      if (loading === undefined) {
        loading = weights.require().then(() => open(weights.path));
        // Weights may be pulled meanwhile: the next call looks again.
        loading.catch(() => (loading = undefined));
      }
      return loading;
    },
    async close() {
      const loaded = await loading?.catch(() => undefined);
      await loaded?.close();
    },
  };
}

/** `weights` is a manifest name or the path of a file. */
export function weightsFile(weights: string, modelsDir: string): WeightsFile {
  const manifest: WeightManifest = weightManifest;
  const entry = Object.hasOwn(manifest, weights) ? manifest[weights] : undefined;
  return entry === undefined ? ownFile(weights) : manifestFile(weights, entry, modelsDir);
}

function manifestFile(name: string, entry: WeightEntry, modelsDir: string): WeightsFile {
  return {
    path: weightPath(modelsDir, name, entry.files[0].file),
    sha256: () => Promise.resolve(entry.files[0].sha256),
    async require() {
      for (const file of entry.files) {
        const state = await fileState(modelsDir, name, file);
        if (state === 'ready') continue;
        const path = weightPath(modelsDir, name, file.file);
        throw new CallError('weightsMissing', `the weights ${name} are ${state} (${path}). ${pullHint(name)}`);
      }
    },
  };
}

function ownFile(path: string): WeightsFile {
  const there = async (): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFile() === true;
  const message = `there are no weights at ${path}`;
  return {
    path,
    async require() {
      if (!(await there())) throw new CallError('weightsMissing', message);
    },
    async sha256() {
      if (!(await there())) throw new FermataError('WeightsMissing', message);
      return knownHash(path);
    },
  };
}
