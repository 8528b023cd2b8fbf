/** Where state is kept: the object store and the ledger. */
import { join, resolve } from 'node:path';
import { FermataError } from '../../plans/protocol/errors.js';
import { parseStoreLocation } from '../runtime/objects/location.js';
import type { Settings, StoreSettings } from './settings.js';

interface S3Options {
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly forcePathStyle?: boolean | undefined;
  readonly cacheDir?: string | undefined;
}

/**
 * Store of `s3://bucket/prefix?…` or a folder; `<home>/store` when nothing is said. Options of the file win over those in
 * the URL. Throws `FermataError` `BadConfig`.
 */
export function storeSettings(
  text: string | undefined,
  { base, home, options }: { readonly base: string; readonly home: string; readonly options: S3Options },
): StoreSettings {
  if (text === undefined) return { kind: 'local', dir: join(home, 'store') };
  const cacheDir = options.cacheDir === undefined ? join(home, 'store-cache') : resolve(base, options.cacheDir);
  const store = parseStoreLocation(text, { baseDir: base, cacheDir });
  if (store.kind === 'local') return store;
  const endpoint = options.endpoint ?? store.endpoint;
  const region = options.region ?? store.region;
  return {
    ...store,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    // Servers other than AWS rarely have a host name per bucket.
    forcePathStyle: options.forcePathStyle ?? (store.forcePathStyle || options.endpoint !== undefined),
  };
}

/** Ledger folder; `<home>/ledger` when nothing is said. Throws `FermataError` `BadConfig` for a server's URL. */
export function ledgerSettings(
  text: string | undefined,
  { base, home, origin }: { readonly base: string; readonly home: string; readonly origin: string },
): Settings['ledger'] {
  if (text === undefined) return { kind: 'lmdb', dir: join(home, 'ledger') };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    const scheme = text.slice(0, text.indexOf('://'));
    throw new FermataError(
      'BadConfig',
      `${origin}: a ledger on ${scheme}:// is not supported yet, only a local folder`,
      {
        hint: `Leave FERMATA_LEDGER unset to keep the ledger under ${home}.`,
      },
    );
  }
  return { kind: 'lmdb', dir: resolve(base, text) };
}
