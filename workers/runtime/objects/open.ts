import type { ObjectStore } from '../../../activities/ports.js';
import type { StoreSettings } from '../../config/settings.js';

type Openers = {
  readonly [K in StoreSettings['kind']]: (settings: Extract<StoreSettings, { kind: K }>) => Promise<ObjectStore>;
};

/** One row a kind of store. A driver is loaded when it is used: the S3 client takes a good part of a second. */
const openers: Openers = {
  local: async (settings) => new (await import('./local.js')).LocalObjectStore(settings),
  s3: async (settings) => new (await import('./s3.js')).S3ObjectStore(settings),
};

/**
 * Opens the store that the settings name. Nothing is written or fetched yet.
 *
 * @example const store = await openObjectStore({ kind: 'local', dir: '.fermata/store' });
 */
export function openObjectStore(settings: StoreSettings): Promise<ObjectStore> {
  const opener = openers[settings.kind] as (settings: StoreSettings) => Promise<ObjectStore>;
  return opener(settings);
}
