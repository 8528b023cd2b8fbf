/** Pulls the weights of a manifest entry: sources in order, resumable, verified, safe beside another process. */
import { mkdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { FermataError } from '../../../plans/protocol/errors.js';
import { entryState, fileState, hashFile, recordVerified, weightPath } from './files.js';
import { withLock } from './lock.js';
import {
  type WeightEntry,
  type WeightFile,
  type WeightManifest,
  type WeightSource,
  weightManifest,
} from './manifest.js';
import { partialFile } from './partial.js';
import { fetchSource, sourceLabel } from './sources.js';

export interface PullProgress {
  readonly name: string;
  readonly file: string;
  /** Bytes of the whole entry that are here, and that it has. */
  readonly doneBytes: number;
  readonly totalBytes: number;
  /** Where the bytes come from, `verifying`, or that another process is at it. */
  readonly note: string;
}

export interface PullOptions {
  /** Models folder; the files go to `<dir>/<name>/`. */
  readonly dir: string;
  readonly onProgress?: (progress: PullProgress) => void;
  readonly signal?: AbortSignal;
  /** A URL or path to try first, for the entry's first file. */
  readonly from?: string;
  readonly manifest?: WeightManifest;
  /** Limit for a source's first reply, in ms; default 20,000. */
  readonly connectMs?: number;
}

const defaultConnectMs = 20_000;
const idleMs = 60_000;
/** Space beside the file itself: one wheel while it is being read. */
const headroomBytes = 128 * 2 ** 20;

/** The manifest entry of that name. Throws `FermataError` `UnknownModel`. */
export function manifestEntry(name: string, manifest: WeightManifest = weightManifest): WeightEntry {
  const entry = manifest[name];
  if (entry !== undefined) return entry;
  throw new FermataError('UnknownModel', `no weights named ${name} are known`, {
    hint: `Known: ${Object.keys(manifest).join(', ')}. A GGUF file of your own is named by its path in fermata.yaml.`,
  });
}

/** Where to try a file when the user names a place. */
export function sourceOf(text: string): WeightSource {
  return /^https?:\/\//i.test(text) ? { kind: 'url', url: text } : { kind: 'file', path: text };
}

/**
 * Brings all files of an entry into `<dir>/<name>/` and returns their paths, the runtime's own first. Returns at once
 * when they are there. Throws `FermataError`: `UnknownModel`, `DownloadFailed` with what each source said, `DiskFull`.
 *
 * @example await pullWeights('minilm', { dir: settings.modelsDir, onProgress: (p) => bar.update(p.doneBytes) });
 */
export async function pullWeights(name: string, options: PullOptions): Promise<readonly string[]> {
  const entry = manifestEntry(name, options.manifest);
  const paths = entry.files.map((file) => weightPath(options.dir, name, file.file));
  if ((await entryState(options.dir, name, entry)) === 'ready') return paths;
  try {
    await pullEntry(name, entry, options);
  } catch (error) {
    if (!FermataError.is(error) && isDiskFull(error)) throw diskFull(options.dir, entry.files[0]);
    throw error;
  }
  return paths;
}

async function pullEntry(name: string, entry: WeightEntry, options: PullOptions): Promise<void> {
  await mkdir(join(options.dir, name), { recursive: true });
  const totalBytes = entry.files.reduce((sum, file) => sum + file.bytes, 0);
  const report = (file: WeightFile, before: number, bytes: number, note: string): void =>
    options.onProgress?.({ name, file: file.file, doneBytes: before + bytes, totalBytes, note });
  await withLock(
    join(options.dir, `${name}.lock`),
    async () => {
      const unreachable = new Set<string>();
      let before = 0;
      for (const [index, file] of entry.files.entries()) {
        const at = before;
        const own = index === 0 && options.from !== undefined ? [sourceOf(options.from)] : [];
        const job = { name, file: { ...file, sources: [...own, ...file.sources] }, options, unreachable };
        await pullFile(job, (bytes, note) => report(file, at, bytes, note));
        before += file.bytes;
      }
    },
    {
      signal: options.signal,
      onWait: () => report(entry.files[0], 0, 0, 'another process is pulling it; waiting'),
    },
  );
}

interface Job {
  readonly name: string;
  readonly file: WeightFile;
  readonly options: PullOptions;
  /** Hosts that did not reply during this pull: not asked again. */
  readonly unreachable: Set<string>;
}

async function pullFile(job: Job, report: (bytes: number, note: string) => void): Promise<void> {
  const { name, file, options } = job;
  const target = weightPath(options.dir, name, file.file);
  if ((await fileState(options.dir, name, file)) === 'ready') return;
  await rm(target, { force: true });
  await requireSpace(options.dir, file, await partialFile(target).size());
  // An earlier pull may have ended between the last byte and the check.
  if ((await partialFile(target).size()) === file.bytes && (await finish(job, target))) return;
  const failures: string[] = [];
  for (const source of file.sources) {
    const label = sourceLabel(source);
    const host = source.kind === 'url' && URL.canParse(source.url) ? new URL(source.url).host : undefined;
    if (host !== undefined && job.unreachable.has(host)) {
      failures.push(`${label}: ${host} did not reply a moment ago`);
      continue;
    }
    try {
      await tryOne(job, source, target, report);
      return;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (isDiskFull(error)) throw diskFull(options.dir, file);
      if (host !== undefined && isConnectionFault(error)) job.unreachable.add(host);
      failures.push(`${label}: ${reasonOf(error)}`);
    }
  }
  throw new FermataError('DownloadFailed', `${name}/${file.file} could not be pulled:\n  ${failures.join('\n  ')}`, {
    hint: `Put the file at ${target} yourself, or give a place with \`fermata models pull ${name} --from <url or path>\`. What arrived is kept and the next pull goes on from there.`,
  });
}

async function tryOne(job: Job, source: WeightSource, target: string, report: (bytes: number, note: string) => void) {
  const { file, options } = job;
  const partial = partialFile(target);
  const label = sourceLabel(source);
  report(0, label);
  await fetchSource(source, {
    file,
    partial,
    signal: options.signal ?? new AbortController().signal,
    connectMs: options.connectMs ?? defaultConnectMs,
    idleMs,
    onBytes: (size) => report(size, label),
  });
  const size = await partial.size();
  if (size < file.bytes) throw new Error(`the transfer ended after ${size} of ${file.bytes} bytes`);
  report(file.bytes, 'verifying');
  if (!(await finish(job, target)))
    throw new Error(`the bytes there are not those of ${job.name}: their SHA-256 differs`);
}

/** Checks the partial file: moves it into place, or removes it and answers false. */
async function finish({ file, options }: Job, target: string): Promise<boolean> {
  const partial = partialFile(target);
  const right = (await hashFile(partial.path, options.signal)) === file.sha256;
  if (right) await rename(partial.path, target);
  await partial.remove();
  if (right) await recordVerified(target, file.sha256);
  return right;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return error.message + cause;
}

function isConnectionFault(error: unknown): boolean {
  return error instanceof Error && (error.message === 'fetch failed' || error.message.startsWith('no reply'));
}

/** Told by the code of the error or of what caused it, or in the words of a registry's client. */
function isDiskFull(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT' || /no space left|disk quota exceeded|ENOSPC/i.test(at.message))
      return true;
  }
  return false;
}

const mb = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;

function diskFull(dir: string, file: WeightFile, free?: number): FermataError {
  const left = free === undefined ? '' : `, ${mb(free)} are free`;
  return new FermataError('DiskFull', `no space left in ${dir}: ${file.file} needs ${mb(file.bytes)}${left}`, {
    hint: 'Free some space (there, or where temporary files go), or choose another folder with FERMATA_MODELS_DIR.',
  });
}

async function requireSpace(dir: string, file: WeightFile, have: number): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  const free = bavail * bsize;
  if (free < file.bytes - have + Math.min(headroomBytes, file.bytes)) throw diskFull(dir, file, free);
}
