import type { lookup as dnsLookup, LookupAddress } from 'node:dns';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createMediaFetch,
  isPrivateAddress,
  type MediaFetchOptions,
} from '../../../../workers/runtime/media/fetch-media.js';
import { storeMediaText } from '../../../../workers/runtime/media/media-source.js';
import { openWorkshop, type Workshop } from '../../../support/relations.js';

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
let server: Server;
let port: number;
let host: string;
let asked: string[];
let workshop: Workshop;

const routes: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  '/car.png': (_, response) => response.end(pixel),
  '/car-as-html': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(pixel),
  '/page-as-png': (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('<html>hello</html>'),
  '/empty': (_, response) => response.end(),
  '/missing': (_, response) => response.writeHead(404).end('no'),
  '/hang': () => undefined,
  '/stall': (_, response) => response.writeHead(200).write(pixel.subarray(0, 10)),
  '/cut': (_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write(pixel, () => setImmediate(() => response.destroy()));
  },
  '/large': (_, response) => response.end(Buffer.alloc(2 ** 20 + 1)),
  '/endless': (_, response) => {
    const more = () =>
      response.write(Buffer.alloc(65_536), () => (response.destroyed ? undefined : setImmediate(more)));
    more();
  },
  '/loop': (_, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/nowhere': (_, response) => response.writeHead(302).end(),
  '/ok': (_, response) => response.writeHead(302, { location: '/car.png' }).end(),
  '/to-file': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/to-private': (request, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${request.socket.localPort}/car.png` }).end(),
  '/to-private-name': (request, response) =>
    response.writeHead(301, { location: `http://inside.test:${request.socket.localPort}/car.png` }).end(),
};

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    routes[request.url ?? '']?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  host = `127.0.0.1:${port}`;
  workshop = await openWorkshop();
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await workshop.close();
});

/** Names of a made-up internet; `outside.test` stands for a public host, which the test allows by name. */
const names: Readonly<Record<string, readonly string[]>> = {
  'outside.test': ['127.0.0.1'],
  'inside.test': ['127.0.0.1'],
  localhost: ['::1', '127.0.0.1'],
  'both.test': ['93.184.216.34', '10.1.2.3'],
  'mapped.test': ['::ffff:192.168.0.1'],
};
const lookup = ((name: string, options: { all?: boolean }, done: (...results: unknown[]) => void) => {
  const found: LookupAddress[] = (names[name] ?? []).map((address) => ({
    address,
    family: address.includes(':') ? 6 : 4,
  }));
  if (found.length === 0) done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), []);
  else if (options.all === true) done(null, found);
  else done(null, found[0]?.address, found[0]?.family);
}) as typeof dnsLookup;

const fetchMedia = (url: string, options: MediaFetchOptions = {}) => createMediaFetch({ lookup, ...options })(url);
const local = (path: string, options: MediaFetchOptions = {}) =>
  fetchMedia(`http://${host}${path}`, { privateHosts: [host], maxBytes: 2 ** 20, timeoutMs: 5000, ...options });

describe('private addresses', () => {
  test.each([
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ])('%s is one', (address) => expect(isPrivateAddress(address)).toBe(true));
  test.each(['93.184.216.34', '172.32.0.1', '100.128.0.1', '8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8'])(
    '%s is none',
    (address) => expect(isPrivateAddress(address)).toBe(false),
  );

  test.each([
    ['an address', () => `http://${host}/car.png`],
    ['localhost', () => `http://localhost:${port}/car.png`],
    ['a short form', () => `http://127.1:${port}/car.png`],
    ['hexadecimal', () => `http://0x7f000001:${port}/car.png`],
    ['a number', () => `http://2130706433:${port}/car.png`],
    ['IPv6', () => `http://[::1]:${port}/car.png`],
    ['IPv4 in IPv6', () => `http://[::ffff:127.0.0.1]:${port}/car.png`],
    ['a name that resolves to one', () => `http://inside.test:${port}/car.png`],
    ['a name that resolves to one among others', () => 'http://both.test/car.png'],
    ['a name that resolves to a mapped one', () => 'https://mapped.test/car.png'],
    ['a metadata service', () => 'http://169.254.169.254/latest/meta-data/'],
  ])('written as %s are not asked', async (_, url) => {
    const got = await fetchMedia(url());
    expect(got).toMatchObject({
      ok: false,
      problem: expect.stringContaining('leads to the private address') as string,
    });
    expect(got).toMatchObject({ problem: expect.stringContaining('FERMATA_MEDIA_HOSTS') as string });
    expect(asked).toEqual([]);
  });

  test('may be named by the user, with or without the port', async () => {
    for (const privateHosts of [[host], ['127.0.0.1'], ['other', host]]) {
      expect(await local('/car.png', { privateHosts })).toEqual({ ok: true, bytes: pixel });
    }
    expect(await local('/car.png', { privateHosts: ['127.0.0.1:1', '127.0.0', 'localhost'] })).toMatchObject({
      ok: false,
    });
    expect(await fetchMedia(`http://outside.test:${port}/car.png`, { privateHosts: ['outside.test'] })).toMatchObject({
      ok: true,
    });
  });

  test.each(['/to-private', '/to-private-name'])(
    'are not reached by a redirect of a host that is allowed (%s)',
    async (path) => {
      const got = await fetchMedia(`http://outside.test:${port}${path}`, { privateHosts: ['outside.test'] });
      expect(got).toMatchObject({ ok: false, problem: expect.stringContaining('private address 127.0.0.1') as string });
      expect(asked).toEqual([path]);
    },
  );
});

describe('what a server may do', () => {
  test.each([
    ['/missing', /^cannot be fetched \(HTTP 404\)$/],
    ['/nowhere', /^cannot be fetched \(HTTP 302\)$/],
    ['/loop', /more than 5 redirects/],
    ['/to-file', /^leads to file:/],
    ['/cut', /^cannot be fetched/],
    ['/large', /^is larger than 1 MiB$/],
    ['/endless', /^is larger than 1 MiB$/],
  ])('%s', async (path, problem) => {
    expect(await local(path)).toMatchObject({ ok: false, problem: expect.stringMatching(problem) as string });
    expect(asked.length).toBeLessThanOrEqual(6);
  });

  test.each(['/hang', '/stall'])('%s: it is given up after the time limit', async (path) => {
    expect(await local(path, { timeoutMs: 200 })).toEqual({
      ok: false,
      problem: 'cannot be fetched (it took longer than 0.2 s)',
    });
  });

  test('a redirect is followed', async () => {
    expect(await local('/ok')).toEqual({ ok: true, bytes: pixel });
  });

  test('names that do not exist, ports that nobody listens at, URLs that are none', async () => {
    expect(await fetchMedia('http://none.test/a.png')).toMatchObject({
      problem: expect.stringContaining('ENOTFOUND') as string,
    });
    expect(await fetchMedia('http://127.0.0.1:1/', { privateHosts: ['127.0.0.1'] })).toMatchObject({
      problem: expect.stringContaining('ECONNREFUSED') as string,
    });
    expect(await fetchMedia('http://')).toMatchObject({ ok: false });
  });
});

describe('a URL in a media column', () => {
  const store = (path: string, modality: 'image' | 'audio' = 'image') =>
    storeMediaText(`http://${host}${path}`, {
      store: workshop.store,
      modality,
      baseDir: workshop.dir,
      fetchUrl: (url) => fetchMedia(url, { privateHosts: [host] }),
    });

  test('is told by its bytes, whatever the server calls it', async () => {
    expect(await store('/car-as-html')).toMatchObject({
      ok: true,
      ref: expect.stringMatching(/^object:image\/png:/) as string,
    });
    expect(await store('/page-as-png')).toMatchObject({ ok: false });
    expect(await store('/empty')).toMatchObject({ ok: false });
    expect(await store('/car.png', 'audio')).toEqual({ ok: false, problem: 'is image/png, not audio' });
  });

  test('at a private address is an error of its row, by default', async () => {
    const error = await workshop
      .snapshot(`id,pic\n1,\n2,http://${host}/car.png\n`, 'csv', { image: ['pic'] })
      .catch((failure: unknown) => failure);
    expect(error).toMatchObject({
      code: 'BadMedia',
      where: { row: 2, column: 'pic' },
      message: expect.stringContaining('private address') as string,
    });
    expect(asked).toEqual([]);
  });
});
