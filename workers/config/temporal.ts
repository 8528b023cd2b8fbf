/** Which Temporal cluster to use, and how to connect to it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, envValue } from './models.js';
import type { Settings } from './settings.js';

interface Given {
  readonly address: string | undefined;
  readonly namespace: string | undefined;
}

/** The user's own cluster, and which of its parts a profile of `temporal.toml` filled in. */
export interface TemporalChoice {
  readonly temporal: Settings['temporal'];
  /** Name of the profile's file, for origins; undefined when no profile was read. */
  readonly profile?: string;
}

/** A server as a connection needs it. Holds secrets: never part of settings, never written or logged. */
export interface TemporalServer {
  /** `host:port`. */
  readonly address: string;
  readonly namespace: string;
  /** Absent: no encryption. */
  readonly tls?: TemporalTls;
  readonly apiKey?: string;
  /** gRPC headers of every request. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Certificates as PEM. Empty: TLS by the certificates that Node trusts. */
export interface TemporalTls {
  readonly serverRootCACertificate?: Uint8Array;
  readonly serverNameOverride?: string;
  readonly clientCertPair?: { readonly crt: Uint8Array; readonly key: Uint8Array };
}

/**
 * The user's own cluster, or undefined for the embedded server. What is given wins; a profile fills in the rest. TLS and
 * the API key are no part of settings: {@link temporalServer} reads them where a connection is made.
 *
 * @throws FermataError `BadConfig`
 */
export async function temporalSettings(env: Environment, given: Given): Promise<TemporalChoice> {
  if (!mayHaveProfile(env)) {
    const { address, namespace = 'default' } = given;
    return { temporal: address === undefined ? undefined : { address, namespace } };
  }
  const { readProfile } = await import('./temporal-profile.js');
  const profile = readProfile(env, profilePath(env));
  const address = given.address ?? profile.address;
  if (address === undefined) return { temporal: undefined };
  return {
    temporal: { address, namespace: given.namespace ?? profile.namespace ?? 'default' },
    profile: profilePath(env) ?? 'temporal.toml',
  };
}

/**
 * How to connect to the server at `at`: for the user's own cluster with TLS, API key and headers by the `TEMPORAL_*`
 * variables and the profile; to the embedded server always plainly, so that no key is sent to it.
 *
 * @throws FermataError `BadConfig`, also for certificates and keys that cannot be read
 */
export async function temporalServer(
  settings: Pick<Settings, 'temporal'>,
  env: Environment,
  at: { readonly address: string; readonly namespace: string },
): Promise<TemporalServer> {
  const plain = { address: at.address, namespace: at.namespace };
  if (settings.temporal === undefined || !mayHaveProfile(env)) return plain;
  const { readProfile, securityOf } = await import('./temporal-profile.js');
  return { ...plain, ...securityOf(readProfile(env, profilePath(env))) };
}

/** Whether there can be a profile at all; the reader of profiles is loaded only then. */
function mayHaveProfile(env: Environment): boolean {
  const path = profilePath(env);
  return Object.keys(env).some((name) => name.startsWith('TEMPORAL_')) || (path !== undefined && existsSync(path));
}

/** Where `@temporalio/envconfig` looks for profiles. */
function profilePath(env: Environment): string | undefined {
  const named = envValue(env, 'TEMPORAL_CONFIG_FILE');
  if (named !== undefined) return named;
  const folder = configFolder(env);
  return folder === undefined ? undefined : join(folder, 'temporalio', 'temporal.toml');
}

function configFolder(env: Environment): string | undefined {
  if (process.platform === 'win32') return envValue(env, 'APPDATA');
  const home = envValue(env, 'HOME');
  const inHome = (...parts: string[]): string | undefined => (home === undefined ? undefined : join(home, ...parts));
  if (process.platform === 'darwin') return inHome('Library', 'Application Support');
  return envValue(env, 'XDG_CONFIG_HOME') ?? inHome('.config');
}
