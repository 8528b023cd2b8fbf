import { describe, expect, it } from 'vitest';
import type { Settings } from '../../../workers/config/settings.js';
import { stackFingerprint } from '../../../workers/embedded/stack-fingerprint.js';
import { projectAt } from './project.js';

const { settings } = projectAt('/tmp/nowhere', []);
const env = { TEST_KEY: 'a', PATH: '/bin', HTTPS_PROXY: 'http://proxy' };
const base = stackFingerprint(settings, env);
const hosted = settings.models['hosted']!;

describe('stackFingerprint', () => {
  const changes: Record<string, [Settings, Record<string, string>]> = {
    'an API key': [settings, { ...env, TEST_KEY: 'b' }],
    'an API key that is gone': [settings, { PATH: '/bin', HTTPS_PROXY: 'http://proxy' }],
    'a proxy': [settings, { ...env, HTTPS_PROXY: 'http://other' }],
    'credentials of the store': [settings, { ...env, AWS_SECRET_ACCESS_KEY: 'x' }],
    'the log level': [settings, { ...env, FERMATA_LOG_LEVEL: 'debug' }],
    'a model': [{ ...settings, models: { ...settings.models, more: hosted } }, env],
    'a nested value': [{ ...settings, models: { hosted: { ...hosted, limits: { concurrency: 2 } } } }, env],
    'the store': [{ ...settings, store: { kind: 'local', dir: '/elsewhere' } }, env],
  };
  it.each(Object.entries(changes))('changes with %s', (_name, [changed, environment]) => {
    expect(stackFingerprint(changed, environment)).not.toBe(base);
  });

  const same: Record<string, [Settings, Record<string, string>]> = {
    'the order of settings': [Object.fromEntries(Object.entries(settings).reverse()) as unknown as Settings, env],
    'the order of variables': [settings, Object.fromEntries(Object.entries(env).reverse())],
    'limits of runs': [{ ...settings, limits: { confirmAboveUsd: 9, maxErrorRatio: 0 } }, env],
    'variables that no worker reads': [settings, { ...env, PATH: '/usr/bin', SHLVL: '2', PWD: '/' }],
  };
  it.each(Object.entries(same))('does not change with %s', (_name, [changed, environment]) => {
    expect(stackFingerprint(changed, environment)).toBe(base);
  });
});
