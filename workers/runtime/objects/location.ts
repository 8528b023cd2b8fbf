import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FermataError } from '../../../plans/protocol/errors.js';
import type { StoreSettings } from '../../config/settings.js';

const example = 's3://bucket/prefix?endpoint=https://host:9000&region=eu-central-1&path-style=true';
const parameters = ['endpoint', 'region', 'path-style'] as const;

/**
 * Reads `FERMATA_STORE`: a folder (absolute, or relative to `baseDir`; `file:` URLs too), or
 * `s3://bucket/prefix?endpoint=…&region=…&path-style=true`. `path-style` is `true` by default where an endpoint is named,
 * since few servers but AWS have a host name a bucket. Credentials come from the `AWS_*` environment alone.
 *
 * @example parseStoreLocation('s3://acme/fermata?region=eu-west-1', { baseDir: '.', cacheDir: '/var/cache/fermata' })
 * @throws FermataError `BadConfig`; the message never repeats what may be a secret.
 */
export function parseStoreLocation(
  text: string,
  context: { readonly baseDir: string; readonly cacheDir: string },
): StoreSettings {
  const location = text.trim();
  if (location === '') throw bad('The store location is empty.');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]+):/.exec(location)?.[1]?.toLowerCase();
  if (scheme === undefined || isAbsolute(location)) return { kind: 'local', dir: resolve(context.baseDir, location) };
  const parser = parsers[scheme];
  if (parser === undefined) throw bad(`A store of the kind ${scheme}: is not known.`);
  return parser(location, context.cacheDir);
}

const parsers: Readonly<Record<string, (location: string, cacheDir: string) => StoreSettings>> = {
  file: (location) => ({ kind: 'local', dir: fileURLToPath(parseUrl(location)) }),
  s3: parseS3,
};

function parseS3(location: string, cacheDir: string): StoreSettings {
  const url = parseUrl(location);
  if (url.username !== '' || url.password !== '') throw withCredentials();
  const bucket = url.host;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) throw bad('The store location names no valid bucket.');
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  if (!/^[A-Za-z0-9!_.*'()/-]*$/.test(prefix) || prefix.split('/').some((part) => part === '.' || part === '..')) {
    throw bad('The prefix of the store location has characters that object keys should not have.');
  }
  for (const name of url.searchParams.keys()) {
    if (!(parameters as readonly string[]).includes(name)) throw bad(`The store location has an unknown parameter.`);
  }
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  const region = url.searchParams.get('region') ?? undefined;
  if (endpoint !== undefined) checkEndpoint(endpoint);
  const style = url.searchParams.get('path-style') ?? String(endpoint !== undefined);
  if (style !== 'true' && style !== 'false') throw bad('path-style is neither true nor false.');
  return {
    kind: 's3',
    bucket,
    prefix,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    forcePathStyle: style === 'true',
    cacheDir,
  };
}

function checkEndpoint(endpoint: string): void {
  const url = parseUrl(endpoint);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw bad('The endpoint is no http or https URL.');
  if (url.username !== '' || url.password !== '') throw withCredentials();
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw bad('The store location is not a valid URL.');
  }
}

function withCredentials(): FermataError {
  return new FermataError('BadConfig', 'The store location holds credentials.', {
    hint: 'Take them out, and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead.',
  });
}

function bad(message: string): FermataError {
  return new FermataError('BadConfig', message, { hint: `Write a folder, or ${example}` });
}
