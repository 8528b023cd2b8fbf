import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FermataError } from '../../../plans/protocol/errors.js';
import { loadSettings } from '../../../workers/config/load.js';
import { temporalServer } from '../../../workers/config/temporal.js';
import { makeAuthority, opensslMissing } from '../../support/certificates.js';

const key = 'secret-api-key-4567';
const at = { address: 'cloud:7233', namespace: 'films' };
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fermata-temporal-'));
  await writeFile(
    join(dir, 'temporal.toml'),
    [
      '[profile.cloud]',
      'address = "cloud:7233"',
      'namespace = "films"',
      `api_key = "${key}"`,
      '[profile.cloud.grpc_meta]',
      'team-name = "films"',
      'region = "eu"',
      '[profile.open]',
      'address = "open:7233"',
      `api_key = "${key}"`,
      '[profile.open.tls]',
      'disabled = true',
    ].join('\n'),
  );
  await writeFile(join(dir, 'garbage.pem'), 'no PEM at all');
});
afterAll(() => rm(dir, { recursive: true }));

const environment = (variables: Readonly<Record<string, string>>) => ({ HOME: dir, ...variables });

async function load(variables: Readonly<Record<string, string>>) {
  const loaded = await loadSettings({ cwd: dir, env: environment(variables) });
  expect(JSON.stringify(loaded)).not.toContain(key);
  return loaded;
}

const security = (variables: Readonly<Record<string, string>>) =>
  temporalServer({ temporal: at }, environment(variables), at);

async function failure(variables: Readonly<Record<string, string>>): Promise<FermataError> {
  const error = await security(variables).then(
    () => undefined,
    (reason: unknown) => reason as FermataError,
  );
  expect(error).toMatchObject({ code: 'BadConfig' });
  return error!;
}

const profile = (name: string) => ({ TEMPORAL_CONFIG_FILE: join(dir, 'temporal.toml'), TEMPORAL_PROFILE: name });

test('a profile fills in what is not given, and is named as the origin', async () => {
  const { settings, origins } = await load(profile('cloud'));
  expect(settings.temporal).toEqual(at);
  expect(origins['temporal.address']).toEqual({ kind: 'file', from: join(dir, 'temporal.toml') });
  const given = await load({ ...profile('cloud'), TEMPORAL_NAMESPACE: 'music' });
  expect(given.settings.temporal).toEqual({ ...at, namespace: 'music' });
  expect(given.origins['temporal.namespace']).toEqual({ kind: 'env', from: 'TEMPORAL_NAMESPACE' });
});

test('the profile at its usual place is found without any variable', async () => {
  await mkdir(join(dir, 'config', 'temporalio'), { recursive: true });
  await writeFile(join(dir, 'config', 'temporalio', 'temporal.toml'), '[profile.default]\naddress = "usual:7233"\n');
  const usual = process.platform === 'darwin' ? {} : { XDG_CONFIG_HOME: join(dir, 'config') };
  const { settings } = await load(usual);
  expect(settings.temporal?.address).toBe(process.platform === 'darwin' ? undefined : 'usual:7233');
});

test('an API key means TLS unless TLS is switched off; headers of variables win over those of the profile', async () => {
  const cloud = await security({
    ...profile('cloud'),
    TEMPORAL_GRPC_META_TEAM_NAME: 'music',
    TEMPORAL_GRPC_META_REGION: '',
  });
  expect(cloud).toEqual({ ...at, apiKey: key, tls: {}, metadata: { 'team-name': 'music' } });
  expect(await security(profile('open'))).toEqual({ ...at, apiKey: key });
  expect(await security({ TEMPORAL_TLS: '1' })).toEqual({ ...at, tls: {} });
  expect(await security({ TEMPORAL_TLS: 'false' })).toEqual(at);
  expect(await security({})).toEqual(at);
});

test('the embedded server is sent no key', async () => {
  const variables = environment({ TEMPORAL_API_KEY: key, TEMPORAL_TLS: 'true', TEMPORAL_GRPC_META_A: 'b' });
  const { settings } = await loadSettings({ cwd: dir, env: variables });
  expect(settings.temporal).toBeUndefined();
  const embedded = { address: '127.0.0.1:20000', namespace: 'default' };
  expect(await temporalServer(settings, variables, embedded)).toEqual(embedded);
});

describe('refused before anything is connected', () => {
  const privateKey = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  });

  test.each<[string, () => Record<string, string>, RegExp]>([
    [
      'a switch that is neither yes nor no',
      () => ({ TEMPORAL_TLS: 'yes' }),
      /TEMPORAL_TLS is none of true, 1, false, 0/,
    ],
    [
      'no verification of the server',
      () => ({ TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'true' }),
      /TEMPORAL_TLS_DISABLE_HOST_VERIFICATION is not supported/,
    ],
    [
      'a CA file that is not there',
      () => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(dir, 'no.pem') }),
      /server CA certificate .* cannot be read.*no\.pem/,
    ],
    [
      'a CA that is no PEM',
      () => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(dir, 'garbage.pem') }),
      /garbage\.pem is not valid PEM/,
    ],
    ['a key that is no PEM', () => ({ TEMPORAL_TLS_CLIENT_KEY_DATA: key }), /client key for Temporal is not valid PEM/],
    [
      'a key without certificate',
      () => ({ TEMPORAL_TLS_CLIENT_KEY_DATA: String(privateKey) }),
      /a client key for Temporal, but no client certificate/,
    ],
    ['a profile that is not there', () => profile('nowhere'), /Profile 'nowhere' not found/],
    [
      'both path and text',
      () => ({ TEMPORAL_TLS_CLIENT_KEY_DATA: key, TEMPORAL_TLS_CLIENT_KEY_PATH: join(dir, 'garbage.pem') }),
      /Cannot specify both client_key_path and client_key_data/,
    ],
  ])('%s', async (_what, variables, message) => {
    const error = await failure(variables());
    expect(error.message).toMatch(message);
    expect(JSON.stringify(error)).not.toContain(key);
  });

  test.each([
    ['a table', '[profile.default.tls]\ndisable_host_verification = true\n', true],
    [
      'among others',
      '[profile.default.tls]\nserver_name = "x"\ndisable_host_verification=true\ndisabled = false\n',
      true,
    ],
    ['an inline table', '[profile.default]\ntls = { disable_host_verification = true }\n', true],
    ['a dotted key', '[profile.default]\ntls.disable_host_verification = true\n', true],
    ['a quoted key', '[profile.default.tls]\n"disable_host_verification" = true\n', true],
    ['switched off', '[profile.default.tls]\ndisable_host_verification = false\n', false],
    ['a comment', '[profile.default.tls]\nserver_name = "x"\n# disable_host_verification = true\n', false],
    [
      'another profile',
      '[profile.default.tls]\nserver_name = "x"\n[profile.b.tls]\ndisable_host_verification = true\n',
      false,
    ],
    ['no TLS at all', '[profile.default.tls]\ndisabled = true\ndisable_host_verification = true\n', false],
  ])('no verification of the server in the profile: %s', async (what, text, refused) => {
    const path = join(dir, `${what}.toml`);
    await writeFile(path, text);
    const variables = { TEMPORAL_CONFIG_FILE: path, TEMPORAL_ADDRESS: 'cloud:7233' };
    if (refused) {
      const error = await failure(variables);
      expect(error.message).toBe(
        `tls.disable_host_verification in ${path} is not supported: Temporal's TypeScript SDK always verifies the server`,
      );
      expect(error.hint).toContain('server_ca_cert_path');
      await expect(loadSettings({ cwd: dir, env: environment(variables) })).rejects.toMatchObject({
        code: 'BadConfig',
      });
      const overruled = { ...variables, TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'false' };
      expect((await security(overruled)).tls).toBeDefined();
    } else {
      expect((await load(variables)).settings.temporal?.address).toBe('cloud:7233');
      await security(variables);
    }
  });

  test('a damaged file, whose lines are not repeated', async () => {
    const path = join(dir, 'damaged.toml');
    await writeFile(path, `[profile.default]\napi_key = "${key}\naddress = 3\n`);
    const error = await failure({ TEMPORAL_CONFIG_FILE: path });
    expect(error.message).toContain('damaged.toml');
    expect(`${error.message}${error.hint ?? ''}${String(error.cause)}`).not.toContain(key);
  });

  test.skipIf(opensslMissing)('a key of another certificate (needs the openssl command)', async () => {
    const authority = makeAuthority(dir, 'pair');
    const error = await failure({
      TEMPORAL_TLS_CLIENT_CERT_PATH: authority.issue('one').cert,
      TEMPORAL_TLS_CLIENT_KEY_PATH: authority.issue('two').key,
    });
    expect(error.message).toContain('does not belong to the client certificate');
  });
});
