import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ObjectStore } from '../../../../activities/ports.js';
import { openObjectStore } from '../../../../workers/runtime/objects/open.js';
import { FaultProxy } from '../../../support/fault-proxy.js';
import { accessKey, installVersitygw, secretKey, Versitygw } from '../../../support/versitygw.js';
import { objectStoreContract } from './contract.js';

const installed = await installVersitygw();
if ('reason' in installed) console.warn(`Skipped: ${installed.reason}.`);

describe.skipIf('reason' in installed)('S3 on versitygw', () => {
  const bucket = 'fermata-test';
  let server: Versitygw;
  let proxy: FaultProxy;
  let root: string;
  let prefix = 0;
  let store: ObjectStore;

  const open = (change: { endpoint?: string; bucket?: string; cacheDir?: string } = {}) =>
    openObjectStore({
      kind: 's3',
      bucket,
      prefix: `p${String(prefix)}/deep`,
      endpoint: server.endpoint,
      forcePathStyle: true,
      cacheDir: join(root, 'cache'),
      ...change,
    });
  const credentials = (key: string, secret: string) => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', key);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', secret);
  };
  const failureOf = async (work: Promise<unknown>): Promise<Error> => {
    const [outcome] = await Promise.allSettled([work]);
    if (outcome.status === 'fulfilled') throw new Error('it went well');
    return outcome.reason as Error;
  };

  beforeAll(async () => {
    if ('path' in installed) server = await Versitygw.start(installed.path, bucket);
    proxy = await FaultProxy.start(server.port);
  }, 240_000);
  afterAll(async () => {
    await proxy.stop();
    await server.stop();
  });
  beforeEach(async () => {
    prefix += 1;
    root = mkdtempSync(join(tmpdir(), 'fermata-s3-files-'));
    mkdirSync(join(root, 'files'));
    credentials(accessKey, secretKey);
    store = await open();
  });
  afterEach(() => {
    proxy.decide = () => undefined;
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true, force: true });
  });

  describe('contract', () => objectStoreContract(() => ({ store, files: join(root, 'files') })));

  test('a server that dies in the middle of an upload leaves no object, and the upload works after its restart', async () => {
    const path = join(root, 'files', 'large');
    const bytes = randomBytes(40 << 20);
    writeFileSync(path, bytes);
    const through = await open({ endpoint: proxy.endpoint });
    let dying: Promise<void> | undefined;
    proxy.decide = ({ url }) => {
      if (url?.includes('partNumber=3') === true) dying ??= server.kill();
      return undefined;
    };
    const error = await failureOf(through.putFile(path));
    expect(dying).toBeDefined();
    await dying;
    expect(error).toMatchObject({ code: 'StoreUnreachable', retryable: true });
    expect(error.message).toContain(new URL(proxy.endpoint).host);
    await server.restart();
    const { hash } = await through.putFile(path);
    expect(Buffer.from(await store.get(hash)).equals(bytes)).toBe(true);
  });

  test('a few 5xx answers and cut connections cost only time', async () => {
    const through = await open({ endpoint: proxy.endpoint });
    const bytes = randomBytes(200_000);
    const faults = [{ kind: 'status', status: 500 }, { kind: 'cut' }, { kind: 'status', status: 503 }] as const;
    const everyRequestFails = (times: number) => {
      const seen = new Map<string, number>();
      proxy.decide = ({ method, url }) => {
        const request = `${String(method)} ${String(url)}`;
        const count = seen.get(request) ?? 0;
        seen.set(request, count + 1);
        return count < times ? faults[count] : undefined;
      };
    };
    everyRequestFails(3);
    const hash = await through.put(bytes);
    everyRequestFails(2);
    expect(Buffer.from(await through.get(hash)).equals(bytes)).toBe(true);
    everyRequestFails(2);
    await through.putNamed('a/b', Buffer.from('x'));
    everyRequestFails(2);
    await through.removeNamed('a');
    expect(await through.getNamed('a/b')).toBeUndefined();
  });

  test('a store that only fails is given up after a bounded number of requests', async () => {
    const through = await open({ endpoint: proxy.endpoint });
    for (const fault of [{ kind: 'status', status: 500 }, { kind: 'status', status: 503 }, { kind: 'cut' }] as const) {
      proxy.decide = () => fault;
      proxy.count = 0;
      const error = await failureOf(through.put(Buffer.from('x')));
      expect(error).toMatchObject({ code: 'StoreUnreachable', retryable: true });
      expect(proxy.count).toBeLessThanOrEqual(4);
    }
  });

  test('a download that is cut in the middle begins again; one that is always cut is given up', async () => {
    const through = await open({ endpoint: proxy.endpoint });
    const bytes = randomBytes(500_000);
    const hash = await store.put(bytes);
    await store.putNamed('n', bytes);
    const cutGets = (times: number) => {
      let left = times;
      proxy.decide = ({ method }) => {
        if (method !== 'GET' || left === 0) return undefined;
        left -= 1;
        return { kind: 'cut-body', after: 100_000 };
      };
    };
    cutGets(2);
    expect(Buffer.from(await through.get(hash)).equals(bytes)).toBe(true);
    cutGets(2);
    expect(readFileSync(await through.localPath(hash)).equals(bytes)).toBe(true);
    cutGets(2);
    expect(readFileSync(await through.localPathNamed('n')).equals(bytes)).toBe(true);
    cutGets(1000);
    expect(await failureOf(through.get(hash))).toMatchObject({ code: 'StoreUnreachable' });
    const fresh = await open({ endpoint: proxy.endpoint, cacheDir: join(root, 'fresh') });
    expect(await failureOf(fresh.localPath(hash))).toMatchObject({ code: 'StoreUnreachable' });
  });

  test('errors say what is wrong and hold no secret', async () => {
    const wrongKey = 'WRONGACCESSKEY000001';
    const wrongSecret = 'wrong-secret-in-this-test';
    const closed = new URL(server.endpoint);
    closed.port = '1';
    const cases: readonly { name: string; store: () => Promise<ObjectStore>; code: string; says: string }[] = [
      {
        name: 'unknown access key',
        store: () => {
          credentials(wrongKey, wrongSecret);
          return open();
        },
        code: 'BadConfig',
        says: 'credentials',
      },
      {
        name: 'wrong secret',
        store: () => {
          credentials(accessKey, wrongSecret);
          return open();
        },
        code: 'BadConfig',
        says: 'credentials',
      },
      {
        name: 'missing bucket',
        store: () => open({ bucket: 'no-such-bucket' }),
        code: 'BadConfig',
        says: 'no such bucket',
      },
      {
        name: 'nobody listens',
        store: () => open({ endpoint: closed.origin }),
        code: 'StoreUnreachable',
        says: '127.0.0.1:1',
      },
    ];
    for (const { name, store: opening, code, says } of cases) {
      const bad = await opening();
      const uses = [
        () => bad.put(Buffer.from('x')),
        () => bad.get('a'.repeat(64)),
        () => bad.has('b'.repeat(64)),
        () => bad.getNamed('x'),
      ];
      for (const use of uses) {
        const error = await failureOf(use());
        expect(error, name).toMatchObject({ code });
        expect(error.message, name).toContain(says);
        const everything = inspect(error, { depth: 20, showHidden: true });
        for (const secret of [wrongKey, wrongSecret, accessKey, secretKey, 'AWS4-HMAC', 'Signature=']) {
          expect(everything, name).not.toContain(secret);
        }
      }
      credentials(accessKey, secretKey);
    }
  }, 60_000);

  test('a damaged object in the bucket is found, by get and by localPath, and its place is named', async () => {
    const hash = await store.put(Buffer.from('precious'));
    const key = `objects/${hash.slice(0, 2)}/${hash.slice(2)}`;
    writeFileSync(server.pathOf(bucket, `p${String(prefix)}/deep/${key}`), 'prexious');
    for (const use of [() => store.get(hash), () => store.localPath(hash)]) {
      const error = await failureOf(use());
      expect(error).toMatchObject({ code: 'BadData' });
      expect((error as Error & { hint: string }).hint).toContain(key);
    }
    await store.putNamed('n', Buffer.from('precious'));
    writeFileSync(server.pathOf(bucket, `p${String(prefix)}/deep/named/n`), 'prexious');
    for (const use of [() => store.getNamed('n'), () => store.localPathNamed('n')]) {
      expect(await failureOf(use())).toMatchObject({ code: 'BadData' });
    }
  });

  test('a damaged copy in the cache is fetched anew by the next process', async () => {
    const hash = await store.put(Buffer.from('precious'));
    const path = await store.localPath(hash);
    chmodSync(path, 0o644);
    writeFileSync(path, 'prexious');
    const next = await open();
    expect(readFileSync(await next.localPath(hash), 'utf8')).toBe('precious');
    rmSync(path);
    expect(readFileSync(await next.localPath(hash), 'utf8')).toBe('precious');
  });

  test('an object is downloaded once, and a named one again when it has changed', async () => {
    const through = await open({ endpoint: proxy.endpoint });
    const hash = await store.put(Buffer.from('once'));
    let gets = 0;
    proxy.decide = ({ method }) => {
      gets += method === 'GET' ? 1 : 0;
      return undefined;
    };
    await Promise.all([1, 2, 3].map(() => through.localPath(hash)));
    await through.localPath(hash);
    expect(gets).toBe(1);
    await store.putNamed('n', Buffer.from('one'));
    const first = await through.localPathNamed('n');
    expect(await through.localPathNamed('n')).toBe(first);
    expect(gets).toBe(2);
    await store.putNamed('n', Buffer.from('two'));
    expect(readFileSync(await through.localPathNamed('n'), 'utf8')).toBe('two');
    expect(gets).toBe(3);
    // Whoever still has the path of the old version reads the old version.
    expect(readFileSync(first, 'utf8')).toBe('one');
  });

  test('more names than fit one answer are listed and removed', async () => {
    const names = Array.from({ length: 1100 }, (_, index) => `many/${String(index).padStart(4, '0')}`);
    mkdirSync(server.pathOf(bucket, `p${String(prefix)}/deep/named/many`), { recursive: true });
    for (const name of names) writeFileSync(server.pathOf(bucket, `p${String(prefix)}/deep/named/${name}`), 'x');
    const listed: string[] = [];
    for await (const name of store.listNamed('many/')) listed.push(name);
    expect(listed).toEqual(names);
    await store.removeNamed('many/');
    for await (const name of store.listNamed('')) throw new Error(`${name} is still there`);
  });
});
