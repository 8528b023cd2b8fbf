import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { settingsFingerprint } from '../../../workers/config/fingerprint.js';
import { loadSettings } from '../../../workers/config/load.js';

describe('fingerprint of settings', () => {
  const env = { OPENAI_API_KEY: 'sk-one', TEMPORAL_CONFIG_FILE: '/nowhere/none.toml' };
  const made = loadSettings({ cwd: tmpdir(), env });

  test('equal for equal settings, whatever the order of keys', async () => {
    const { settings } = await made;
    const models = Object.fromEntries(Object.entries(settings.models).reverse());
    expect(settingsFingerprint({ ...settings, models }, env, 'salt')).toBe(settingsFingerprint(settings, env, 'salt'));
  });

  test('another key, no key, another salt or setting changes it; none of them is in it', async () => {
    const { settings } = await made;
    const prints = [
      settingsFingerprint(settings, env, 'salt'),
      settingsFingerprint(settings, { ...env, OPENAI_API_KEY: 'sk-two' }, 'salt'),
      settingsFingerprint(settings, {}, 'salt'),
      settingsFingerprint(settings, env, 'pepper'),
      settingsFingerprint({ ...settings, home: '/other' }, env, 'salt'),
    ];
    expect(new Set(prints).size).toBe(prints.length);
    for (const print of prints) expect(print).toMatch(/^[0-9a-f]{64}$/);
  });

  test('variables that no worker reads do not matter', async () => {
    const { settings } = await made;
    expect(settingsFingerprint(settings, { ...env, TERM: 'x' }, 's')).toBe(settingsFingerprint(settings, env, 's'));
  });
});
