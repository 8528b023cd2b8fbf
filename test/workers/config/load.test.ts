import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FermataError } from '../../../plans/protocol/errors.js';
import { loadSettings, type SettingsFlags } from '../../../workers/config/load.js';

let dir: string;

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'fermata-config-')));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const load = (env: Record<string, string> = {}, flags?: SettingsFlags, cwd = dir) =>
  loadSettings({
    cwd,
    env: { HOME: dir, TEMPORAL_CONFIG_FILE: join(dir, 'none.toml'), ...env },
    ...(flags ? { flags } : {}),
  });

const write = (text: string): Promise<void> => writeFile(join(dir, 'fermata.yaml'), text);

async function failure(promise: Promise<unknown>): Promise<FermataError> {
  return promise.then(
    () => {
      throw new Error('expected an error');
    },
    (error: unknown) => error as FermataError,
  );
}

describe('without a file', () => {
  test('local models, no key, nothing priced as unknown', async () => {
    const { settings, origins } = await load();
    expect(Object.keys(settings.models)).toEqual(['qwen-0.5b', 'qwen-1.5b', 'minilm']);
    expect(settings.defaults).toEqual({ llm: 'qwen-0.5b', embedder: 'minilm' });
    expect(settings.models['qwen-0.5b']?.price).toEqual({ unit: 'hour', usdPerHour: 0 });
    expect(settings.home).toBe(join(dir, '.fermata'));
    expect(settings.store).toEqual({ kind: 'local', dir: join(dir, '.fermata', 'store') });
    expect(settings.modelsDir).toBe(join(dir, '.cache', 'fermata', 'models'));
    expect(settings.temporal).toBeUndefined();
    expect(origins['home']).toEqual({ kind: 'default' });
  });

  test('a key brings the model openai and makes it the default', async () => {
    const { settings, origins } = await load({ OPENAI_API_KEY: 'sk-secret-1' });
    expect(settings.defaults.llm).toBe('openai');
    expect(origins['defaults.llm']).toEqual({ kind: 'env', from: 'OPENAI_API_KEY' });
    expect(origins['defaults.embedder']).toEqual({ kind: 'default' });
    expect(settings.models['openai']).toMatchObject({ model: 'gpt-4o-mini', price: { inputPerMTok: 0.15 } });
    expect(JSON.stringify(settings)).not.toContain('sk-secret-1');
  });

  test('a model without a known price has none', async () => {
    const { settings } = await load({ OPENAI_API_KEY: 'k', OPENAI_MODEL: 'some-new-model' });
    expect(settings.models['openai']).not.toHaveProperty('price');
    const elsewhere = await load({ OPENAI_BASE_URL: 'http://localhost:1' });
    expect(elsewhere.settings.models['openai']).not.toHaveProperty('price');
    const snapshot = await load({ OPENAI_API_KEY: 'k', OPENAI_MODEL: 'gpt-4o-mini-2024-07-18' });
    expect(snapshot.settings.models['openai']?.price).toBeDefined();
  });

  // flock/issues/93: base URL with and without /v1, trailing slash, key empty
  test.each([
    ['http://localhost:8000', 'http://localhost:8000/v1'],
    ['http://localhost:8000/', 'http://localhost:8000/v1'],
    ['http://localhost:8000/v1', 'http://localhost:8000/v1'],
    ['http://localhost:8000/v1/', 'http://localhost:8000/v1'],
    ['http://localhost:8000/v1///', 'http://localhost:8000/v1'],
    [' https://openrouter.ai/api/v1 ', 'https://openrouter.ai/api/v1'],
    ['https://host/v1/chat/completions', 'https://host/v1'],
  ])('OPENAI_BASE_URL %s', async (url, base) => {
    const { settings } = await load({ OPENAI_BASE_URL: url, OPENAI_API_KEY: '' });
    expect(settings.models['openai']).toMatchObject({ baseUrl: base });
    expect(settings.defaults.llm).toBe('openai');
  });

  test.each(['localhost:8000', 'ftp://x', 'http://user:pw@host/v1'])('OPENAI_BASE_URL %s is refused', async (url) => {
    const error = await failure(load({ OPENAI_BASE_URL: url }));
    expect(error.code).toBe('BadConfig');
    expect(error.message).not.toContain('pw');
  });
});

describe('precedence', () => {
  test('flag, then environment, then file, then default; each with its origin', async () => {
    await write('limits:\n  maxCostUsd: 1\n  confirmAboveUsd: 3\n');
    const env = { FERMATA_MAX_COST: '2' };
    const flagged = await load(env, { maxCostUsd: 4 });
    expect(flagged.settings.limits.maxCostUsd).toBe(4);
    expect(flagged.origins['limits.maxCostUsd']).toEqual({ kind: 'flag', from: '--max-cost-usd' });
    const fromEnv = await load(env);
    expect(fromEnv.settings.limits.maxCostUsd).toBe(2);
    expect(fromEnv.origins['limits.maxCostUsd']).toEqual({ kind: 'env', from: 'FERMATA_MAX_COST' });
    const fromFile = await load();
    expect(fromFile.settings.limits).toEqual({ maxCostUsd: 1, confirmAboveUsd: 3, maxErrorRatio: 0.05 });
    expect(fromFile.origins['limits.maxCostUsd']).toEqual({ kind: 'file', from: `${join(dir, 'fermata.yaml')}:2` });
  });

  test('the file of a folder above is found, and paths in it are relative to it', async () => {
    await write('home: state\nstore: data\n');
    await mkdir(join(dir, 'a', 'b'), { recursive: true });
    const { settings } = await load({}, undefined, join(dir, 'a', 'b'));
    expect(settings.projectDir).toBe(dir);
    expect(settings.home).toBe(join(dir, 'state'));
    expect(settings.store).toEqual({ kind: 'local', dir: join(dir, 'data') });
  });

  test('the file decides the default model even when there is a key', async () => {
    await write('defaults:\n  llm: qwen-1.5b\n');
    expect((await load({ OPENAI_API_KEY: 'k' })).settings.defaults.llm).toBe('qwen-1.5b');
  });

  test('a model of the file takes the place of a built-in one of its name', async () => {
    await write('models:\n  qwen-0.5b:\n    kind: llama\n    weights: ./my.gguf\n    price: { usdPerHour: 0.4 }\n');
    const model = (await load()).settings.models['qwen-0.5b'];
    expect(model).toMatchObject({ weights: join(dir, 'my.gguf'), price: { unit: 'hour', usdPerHour: 0.4 } });
  });

  test('Temporal: environment, then file; a profile fills in', async () => {
    await write('temporal:\n  address: from-file:7233\n');
    expect((await load()).settings.temporal).toEqual({ address: 'from-file:7233', namespace: 'default' });
    const env = { TEMPORAL_ADDRESS: 'from-env:7233', TEMPORAL_NAMESPACE: 'ns' };
    expect((await load(env)).settings.temporal).toEqual({ address: 'from-env:7233', namespace: 'ns' });
    const toml = join(dir, 'temporal.toml');
    await writeFile(toml, '[profile.default]\naddress = "from-toml:7233"\nnamespace = "tomlns"\n');
    await rm(join(dir, 'fermata.yaml'));
    expect((await load({ TEMPORAL_CONFIG_FILE: toml })).settings.temporal).toEqual({
      address: 'from-toml:7233',
      namespace: 'tomlns',
    });
  });

  test('S3 by URL and by keys', async () => {
    const byUrl = await load({ FERMATA_STORE: 's3://bucket/pre/fix' });
    expect(byUrl.settings.store).toMatchObject({
      kind: 's3',
      bucket: 'bucket',
      prefix: 'pre/fix',
      forcePathStyle: false,
    });
    await write('store:\n  url: s3://bucket\n  endpoint: http://localhost:9000\n  region: eu-1\n');
    expect((await load()).settings.store).toMatchObject({
      endpoint: 'http://localhost:9000',
      region: 'eu-1',
      forcePathStyle: true,
    });
  });
});

describe('what is wrong is told with its place', () => {
  const model = 'models:\n  fast:\n    kind: openai\n    model: m\n';
  test.each([
    ['unknown key at the top', 'modles: {}\n', 1, 'unknown key modles; did you mean models?'],
    ['unknown key of a model', `${model}    basUrl: http://x\n`, 5, 'models.fast.basUrl; did you mean baseUrl?'],
    ['unknown key of limits', `${model}    limits: { rmp: 5 }\n`, 5, 'models.fast.limits.rmp; did you mean rpm?'],
    ['wrong type', `${model}    timeoutMs: soon\n`, 5, 'models.fast.timeoutMs'],
    ['unknown kind', 'models:\n  a:\n    kind: gpt\n', 3, 'models.a'],
    ['missing key', 'models:\n  a:\n    kind: openai\n', 2, 'models.a.model'],
    ['half a price', `${model}    price: { inputPerMTok: 1 }\n`, 5, 'models.fast.price'],
    ['a price below zero', `${model}    price: { usdPerHour: -1 }\n`, 5, 'models.fast.price'],
    ['a key in place of its variable', `${model}    apiKeyEnv: sk-123\n`, 5, 'models.fast.apiKeyEnv'],
    ['broken YAML', 'models:\n  a: [1\nb: 2\n', undefined, 'fermata.yaml'],
    ['a ratio over one', 'limits:\n  maxErrorRatio: 5\n', 2, 'limits.maxErrorRatio'],
    ['a list in place of a map', 'models: [a]\n', 1, 'models'],
  ])('%s', async (_, text, line, message) => {
    await write(text);
    const error = await failure(load());
    expect(error.code).toBe('BadConfig');
    expect(error.message).toContain(message);
    expect(error.where.file).toBe(join(dir, 'fermata.yaml'));
    if (line !== undefined) expect(error.where.line).toBe(line);
  });

  test('unknown weights, and the nearest', async () => {
    await write('models:\n  a:\n    kind: llama\n    weights: qwen2.5-coder-0.5\n');
    expect((await failure(load())).message).toContain('did you mean qwen2.5-coder-0.5b?');
  });

  test('a default that is no model, or not of that kind', async () => {
    await write('defaults:\n  llm: qwen-0.6b\n');
    expect((await failure(load())).message).toContain('did you mean qwen-0.5b?');
    await write('defaults:\n  llm: minilm\n');
    expect((await failure(load())).code).toBe('BadConfig');
  });

  test.each([
    [{ FERMATA_MAX_COST: 'lots' }, 'FERMATA_MAX_COST'],
    [{ FERMATA_MAX_COST: '-1' }, 'FERMATA_MAX_COST'],
    [{ FERMATA_LEDGER: 'postgres://u:secret@h/db' }, 'postgres://'],
    [{ TEMPORAL_PROFILE: 'nope' }, 'nope'],
  ])('%j', async (env, message) => {
    const error = await failure(load(env));
    expect(error.code).toBe('BadConfig');
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('secret');
  });

  test('a file named by hand that is not there', async () => {
    expect((await failure(load({}, { config: 'other.yaml' }))).code).toBe('BadConfig');
  });
});
