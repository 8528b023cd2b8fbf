/** Tells whether running workers still have the settings and secrets that a new command would give them. */
import { createHmac } from 'node:crypto';
import type { Environment } from './models.js';
import type { Settings } from './settings.js';

/** Variables beside the models' own keys whose value changes what a worker can do. */
const secretVariables = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_PROFILE',
  'AWS_REGION',
  'AWS_ENDPOINT_URL',
  'AWS_ENDPOINT_URL_S3',
  'OPENAI_ORG_ID',
  'TEMPORAL_API_KEY',
  'TEMPORAL_PROFILE',
  'TEMPORAL_CONFIG_FILE',
  'TEMPORAL_TLS_CLIENT_CERT_PATH',
  'TEMPORAL_TLS_CLIENT_KEY_PATH',
];

/** Keys in order, so that equal settings have equal text. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, canonical(inner)]));
}

/**
 * HMAC-SHA256, in hex, over the settings and over the secrets they refer to. `salt` is random and kept with the stack's
 * state, so that the fingerprint of a guessed key cannot be computed from elsewhere.
 */
export function settingsFingerprint(settings: Settings, env: Environment, salt: string): string {
  const keys = Object.values(settings.models).flatMap((model) => (model.kind === 'openai' ? [model.apiKeyEnv] : []));
  const names = [...new Set([...keys, ...secretVariables])].sort();
  const secrets = names.map((name) => [name, env[name] ?? null]);
  return createHmac('sha256', salt)
    .update(JSON.stringify([canonical(settings), secrets]))
    .digest('hex');
}
