/** Which Temporal cluster to use, as `@temporalio/envconfig` reads it from the environment and `temporal.toml`. */
import { FermataError } from '../../plans/protocol/errors.js';
import { type Environment, envValue } from './models.js';
import type { Settings } from './settings.js';

interface Given {
  readonly address: string | undefined;
  readonly namespace: string | undefined;
}

/**
 * The user's own cluster, or undefined for the embedded server. What is given wins; a profile fills in the rest. The
 * API key and TLS are not part of settings: whoever connects reads them the same way. Throws `FermataError` `BadConfig`.
 */
export async function temporalSettings(env: Environment, given: Given): Promise<Settings['temporal']> {
  const profile = await readProfile(env);
  const address = given.address ?? profile.address;
  if (address === undefined) return undefined;
  return { address, namespace: given.namespace ?? profile.namespace ?? 'default' };
}

async function readProfile(env: Environment): Promise<{ address?: string; namespace?: string }> {
  const { loadClientConfigProfile } = await import('@temporalio/envconfig');
  const variables = Object.fromEntries(
    Object.keys(env).flatMap((name) => {
      const value = envValue(env, name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  try {
    return loadClientConfigProfile({ overrideEnvVars: variables });
  } catch (error) {
    const path = variables['TEMPORAL_CONFIG_FILE'];
    throw new FermataError(
      'BadConfig',
      `the Temporal profile${path === undefined ? '' : ` in ${path}`} cannot be used: ${(error as Error).message}`,
      { hint: 'See TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE and temporal.toml.' },
    );
  }
}
