/** The Temporal profile in force, as `@temporalio/envconfig` reads it from `TEMPORAL_*` and `temporal.toml`. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { type ClientConfigProfile, type ConfigDataSource, loadClientConfigProfile } from '@temporalio/envconfig';
import { FermataError } from '../../plans/protocol/errors.js';
import { type Environment, envValue } from './models.js';
import type { TemporalServer, TemporalTls } from './temporal.js';

/** Variables that are yes or no. Read as no, a misspelt yes would leave a connection open that was meant to be closed. */
const switches = ['TEMPORAL_TLS', 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION'] as const;
const yes = ['true', '1'];
const words = [...yes, 'false', '0'];

/**
 * Reads the profile that the environment chooses. Throws `FermataError` `BadConfig`, which never repeats a value.
 *
 * @param file - where profiles are kept, if anywhere
 */
export function readProfile(env: Environment, file: string | undefined): ClientConfigProfile {
  for (const name of switches) {
    const value = envValue(env, name);
    if (value !== undefined && !words.includes(value)) throw bad(`${name} is none of ${words.join(', ')}`);
  }
  const unverified = envValue(env, 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION');
  if (yes.includes(unverified ?? '')) throw alwaysVerified('TEMPORAL_TLS_DISABLE_HOST_VERIFICATION');
  try {
    const profile = loadClientConfigProfile({ overrideEnvVars: profileVariables(env) });
    if (unverified === undefined && profile.tls !== undefined && profile.tls.disabled !== true) {
      checkVerified(env, file);
    }
    return profile;
  } catch (error) {
    if (FermataError.is(error)) throw error;
    const path = envValue(env, 'TEMPORAL_CONFIG_FILE');
    // Only the first line: the next ones quote the file, which may hold a key.
    const [reason = ''] = (error as Error).message.split('\n');
    throw bad(`the Temporal profile${path === undefined ? '' : ` in ${path}`} cannot be used: ${reason}`);
  }
}

/**
 * The reader of profiles drops `disable_host_verification`, which Temporal's CLI knows. So that the file is not parsed by a
 * parser of ours, it is read once more with that key under a name that the reader keeps.
 */
function checkVerified(env: Environment, file: string | undefined): void {
  const text = file === undefined || !existsSync(file) ? '' : readFileSync(file, 'utf8');
  if (!text.includes('disable_host_verification')) return;
  const data = text.replace(/\bdisabled\b/g, 'other').replace(/\bdisable_host_verification\b/g, 'disabled');
  const profile = envValue(env, 'TEMPORAL_PROFILE');
  const read = loadClientConfigProfile({
    configSource: { data: Buffer.from(data) },
    disableEnv: true,
    ...(profile === undefined ? {} : { profile }),
  });
  if (read.tls?.disabled === true) throw alwaysVerified(`tls.disable_host_verification in ${String(file)}`);
}

function alwaysVerified(setting: string): FermataError {
  return bad(
    `${setting} is not supported: Temporal's TypeScript SDK always verifies the server`,
    'name its certificate by TEMPORAL_TLS_SERVER_CA_CERT_PATH and its name by TEMPORAL_TLS_SERVER_NAME, or by server_ca_cert_path and server_name in the profile',
  );
}

/** A blank variable counts as not set, but a blank `TEMPORAL_GRPC_META_*` takes a header of the profile away. */
function profileVariables(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, raw]) => {
      const value =
        envValue(env, name) ?? (raw !== undefined && name.startsWith('TEMPORAL_GRPC_META_') ? '' : undefined);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/**
 * TLS, API key and headers of a profile, its files read and checked. An API key without TLS settings means TLS.
 *
 * @throws FermataError `BadConfig` for a file that cannot be read, no PEM, or a key that does not fit its certificate
 */
export function securityOf(profile: ClientConfigProfile): Pick<TemporalServer, 'tls' | 'apiKey' | 'metadata'> {
  const { apiKey, tls, grpcMeta } = profile;
  const encrypted = tls === undefined ? apiKey !== undefined : tls.disabled !== true;
  return {
    ...(encrypted ? { tls: tlsOf(tls ?? {}) } : {}),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(grpcMeta === undefined ? {} : { metadata: grpcMeta }),
  };
}

function tlsOf(tls: NonNullable<ClientConfigProfile['tls']>): TemporalTls {
  const authority = pem('server CA certificate', tls.serverCACert, (text) => new X509Certificate(text));
  const certificate = pem('client certificate', tls.clientCert, (text) => new X509Certificate(text));
  const key = pem('client key', tls.clientKey, (text) => createPrivateKey(text));
  if ((certificate === undefined) !== (key === undefined)) {
    const [there, missing] = key === undefined ? ['certificate', 'key'] : ['key', 'certificate'];
    throw bad(`there is a client ${there} for Temporal, but no client ${missing}`);
  }
  if (certificate !== undefined && key !== undefined && !certificate.parsed.checkPrivateKey(key.parsed)) {
    throw bad('the client key for Temporal does not belong to the client certificate');
  }
  return {
    ...(authority === undefined ? {} : { serverRootCACertificate: authority.bytes }),
    ...(tls.serverName === undefined ? {} : { serverNameOverride: tls.serverName }),
    ...(certificate === undefined || key === undefined
      ? {}
      : { clientCertPair: { crt: certificate.bytes, key: key.bytes } }),
  };
}

interface Pem<T> {
  readonly bytes: Uint8Array;
  readonly parsed: T;
}

function pem<T>(what: string, source: ConfigDataSource | undefined, parse: (text: Buffer) => T): Pem<T> | undefined {
  if (source === undefined) return undefined;
  const from = 'path' in source ? ` in ${source.path}` : '';
  const bytes = 'path' in source ? read(what, source.path) : Buffer.from(source.data);
  try {
    return { bytes, parsed: parse(bytes) };
  } catch (error) {
    throw bad(`the ${what} for Temporal${from} is not valid PEM: ${(error as Error).message}`);
  }
}

function read(what: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw bad(`the ${what} for Temporal cannot be read: ${(error as Error).message}`);
  }
}

function bad(
  message: string,
  hint = 'see TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE, TEMPORAL_TLS_* and temporal.toml',
): FermataError {
  return new FermataError('BadConfig', message, { hint });
}
