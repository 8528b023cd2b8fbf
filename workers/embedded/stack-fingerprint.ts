import { createHash } from 'node:crypto';
import type { Settings } from '../config/settings.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that change how a worker does its work, beside the API keys that the models name. */
const workerVariables =
  /^(AWS_\w+|CUDA_VISIBLE_DEVICES|FERMATA_LOG_LEVEL|FERMATA_MEDIA_HOSTS|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|\w+_PROXY)$/i;

/**
 * Hash over all that the workers of a stack were started with: equal means that a running stack serves as it is. Limits
 * are left out, since they bind runs, not workers.
 */
export function stackFingerprint(settings: Settings, env: Environment): string {
  const working = { ...settings, limits: undefined };
  const keys = Object.values(settings.models).flatMap((model) => (model.kind === 'openai' ? [model.apiKeyEnv] : []));
  const names = new Set([...keys, ...Object.keys(env).filter((name) => workerVariables.test(name))]);
  const variables = [...names].sort().map((name) => [name, env[name] ?? null]);
  return createHash('sha256')
    .update(canonical([working, variables]))
    .digest('hex');
}

/** JSON with sorted keys, so that the order in which settings were put together does not matter. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
