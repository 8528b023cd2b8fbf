import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectServer } from '../../client/server-connection.js';
import type { FermataError } from '../../plans/protocol/errors.js';
import { loadSettings } from '../../workers/config/load.js';
import { temporalServer } from '../../workers/config/temporal.js';
import { connectWithRetry } from '../../workers/process/connect.js';
import { type Authority, type Identity, makeAuthority, opensslMissing } from '../support/certificates.js';
import { type Gateway, type GatewayOptions, startGateway } from '../support/secure-gateway.js';
import { freePort, startTemporalServer, type TestServer } from '../support/temporal-server.js';

const key = 'secret-api-key-0123';

// A machine without the openssl command cannot make certificates: Node has no way to.
describe.skipIf(opensslMissing)('a secured cluster (needs the openssl command)', () => {
  let dir: string;
  let temporal: TestServer;
  let ours: Authority;
  let theirs: Authority;
  let identity: Identity;
  let client: Identity;
  const gateways: Gateway[] = [];

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'fermata-tls-'));
    ours = makeAuthority(dir, 'ours');
    theirs = makeAuthority(dir, 'theirs');
    identity = ours.issue('server', ['localhost', 'temporal.internal']);
    client = ours.issue('client');
    temporal = await startTemporalServer();
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await temporal.stop();
    rmSync(dir, { recursive: true });
  });

  async function gateway(options: Partial<GatewayOptions> = {}): Promise<Gateway> {
    const started = await startGateway({ to: temporal.address, identity, ...options });
    gateways.push(started);
    return started;
  }

  /** What the variables mean, by the way that every command takes. */
  async function serverOf(address: string, variables: Readonly<Record<string, string>>) {
    const env = { HOME: dir, TEMPORAL_ADDRESS: address, ...variables };
    const { settings } = await loadSettings({ cwd: dir, env });
    expect(JSON.stringify(settings)).not.toContain(key);
    return temporalServer(settings, env, settings.temporal!);
  }

  async function reach(address: string, variables: Readonly<Record<string, string>>): Promise<string> {
    const connection = await connectServer(await serverOf(address, variables));
    try {
      const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace: 'default' });
      return namespaceInfo?.name ?? '';
    } finally {
      await connection.close();
    }
  }

  async function refusal(address: string, variables: Readonly<Record<string, string>>): Promise<FermataError> {
    const error = await reach(address, variables).then(
      () => undefined,
      (reason: unknown) => reason as FermataError,
    );
    expect(error).toMatchObject({ code: 'ServerRefused' });
    return error!;
  }

  const authority = () => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: ours.cert });
  const certificate = ({ cert, key: path }: Identity) => ({
    ...authority(),
    TEMPORAL_TLS_CLIENT_CERT_PATH: cert,
    TEMPORAL_TLS_CLIENT_KEY_PATH: path,
  });

  test('is reached with the CA of its certificate, by path or text', async () => {
    const { address } = await gateway();
    expect(await reach(address, authority())).toBe('default');
    expect(await reach(address, { TEMPORAL_TLS_SERVER_CA_CERT_DATA: readFileSync(ours.cert, 'utf8') })).toBe('default');
  });

  test('is reached under another name than its own by TEMPORAL_TLS_SERVER_NAME', async () => {
    const { address } = await gateway({ identity: ours.issue('inner', ['temporal.internal']) });
    expect((await refusal(address, authority())).message).toContain('its certificate is for another name');
    expect(await reach(address, { ...authority(), TEMPORAL_TLS_SERVER_NAME: 'temporal.internal' })).toBe('default');
  });

  test('is refused when its CA is not known', async () => {
    const { address } = await gateway();
    for (const variables of [{ TEMPORAL_TLS: 'true' }, { TEMPORAL_TLS_SERVER_CA_CERT_PATH: theirs.cert }]) {
      const { message } = await refusal(address, variables);
      expect(message).toBe(
        `no TLS connection to the Temporal server at ${address}: its certificate is not signed by a CA that is trusted here`,
      );
    }
  });

  test('mutual TLS: takes our client certificate, and no other or none', async () => {
    const { address } = await gateway({ clientCa: ours.cert });
    expect(await reach(address, certificate(client))).toBe('default');
    expect((await refusal(address, authority())).message).toContain('asks for a client certificate');
    expect((await refusal(address, certificate(theirs.issue('stranger')))).message).toContain('client certificate');
  });

  test('speaks TLS only, or not at all', async () => {
    const { address } = await gateway();
    expect(await refusal(address, {})).toMatchObject({
      message: `the Temporal server at ${address} speaks TLS only`,
      hint: expect.stringContaining('TEMPORAL_TLS') as string,
    });
    expect((await refusal(temporal.address, { TEMPORAL_TLS: 'true' })).message).toContain('does not speak TLS');
  });

  test('gets the API key and the headers, and nobody else hears of the key', async () => {
    const { address, requests } = await gateway({ apiKey: key });
    const variables = { ...authority(), TEMPORAL_API_KEY: key, TEMPORAL_GRPC_META_TEAM_NAME: 'films' };
    expect(await reach(address, variables)).toBe('default');
    expect(requests.at(-1)).toMatchObject({ authorization: `Bearer ${key}`, 'team-name': 'films' });
    // The server's answer repeats the key that it was given.
    const error = await refusal(address, { ...variables, TEMPORAL_API_KEY: `${key}-old` });
    expect(error.message).toContain('no such key');
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(key);
    expect(JSON.stringify(error)).not.toContain(key);
  });

  describe('worker', () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const join = async (address: string, variables: Readonly<Record<string, string>>) =>
      connectWithRetry(await serverOf(address, variables), log, AbortSignal.timeout(15_000));

    test('connects by mutual TLS and API key; its log holds no key', async () => {
      const { address, requests } = await gateway({ clientCa: ours.cert, apiKey: key });
      const connection = await join(address, { ...certificate(client), TEMPORAL_API_KEY: key });
      await connection.close();
      expect(requests.at(-1)).toMatchObject({ authorization: `Bearer ${key}` });
      expect(lines.join()).not.toContain(key);
    });

    test('gives up at once when the handshake is refused', async () => {
      const { address } = await gateway({ clientCa: ours.cert });
      await expect(join(address, authority())).rejects.toMatchObject({
        code: 'ServerRefused',
        message: expect.stringContaining('asks for a client certificate') as string,
      });
    });
  });
});

test('nobody at the address is ServerUnreachable', async () => {
  const server = { address: `127.0.0.1:${await freePort()}`, namespace: 'default' };
  await expect(connectServer(server)).rejects.toMatchObject({ code: 'ServerUnreachable' });
}, 15_000);
