import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A real S3 server (Apache-2.0), built from source once for each user of the machine. */
const version = 'v1.8.0';
const module = `github.com/versity/versitygw/cmd/versitygw@${version}`;
const run = promisify(execFile);

export const accessKey = 'FERMATATESTACCESSKEY';
export const secretKey = 'fermata-test-secret-0123456789';

/** The server's binary, built when it is missing (about two minutes), or why there is none. */
export async function installVersitygw(): Promise<{ readonly path: string } | { readonly reason: string }> {
  const tools = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'fermata', 'tools');
  const folder = join(tools, `versitygw-${version}`);
  const path = join(folder, 'versitygw');
  if (existsSync(path)) return { path };
  try {
    await run('go', ['version']);
  } catch {
    return { reason: 'no Go on this machine to build versitygw with, so S3 is not tested' };
  }
  console.log(`Building versitygw ${version}: about two minutes, once.`);
  mkdirSync(tools, { recursive: true });
  const fresh = mkdtempSync(join(tools, 'build-'));
  try {
    await run('go', ['install', module], { env: { ...process.env, GOBIN: fresh }, cwd: fresh });
    if (!existsSync(path)) renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return { path };
}

/** One server on a free port over a temporary folder, with one empty bucket a directory. */
export class Versitygw {
  readonly port: number;
  readonly #binary: string;
  readonly #dir: string;
  #process: ChildProcess | undefined;

  private constructor(binary: string, port: number, dir: string) {
    this.#binary = binary;
    this.port = port;
    this.#dir = dir;
  }

  static async start(binary: string, bucket: string): Promise<Versitygw> {
    const dir = mkdtempSync(join(tmpdir(), 'fermata-s3-'));
    mkdirSync(join(dir, 'data', bucket), { recursive: true });
    mkdirSync(join(dir, 'meta'));
    const server = new Versitygw(binary, await freePort(), dir);
    await server.restart();
    return server;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Where the server keeps an object's bytes, for tests that damage them. */
  pathOf(bucket: string, key: string): string {
    return join(this.#dir, 'data', bucket, key);
  }

  /** Starts the server again on the same port and folder. */
  async restart(): Promise<void> {
    const options = ['--port', `127.0.0.1:${this.port}`, '--quiet', '--health', '/health'];
    const backend = ['posix', '--sidecar', join(this.#dir, 'meta'), join(this.#dir, 'data')];
    const started = spawn(this.#binary, [...options, ...backend], {
      env: { ...process.env, ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.#process = started;
    for (let tries = 0; tries < 200; tries += 1) {
      if (started.exitCode !== null) throw new Error(`versitygw ended with ${started.exitCode}`);
      if (await answers(`${this.endpoint}/health`)) return;
      await delay(50);
    }
    throw new Error('versitygw did not answer within 10 s');
  }

  /** Kills the process at once; its folder stays. */
  async kill(): Promise<void> {
    const running = this.#process;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    running.kill('SIGKILL');
    await once(running, 'exit');
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
