import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface BoundedOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ended when it runs longer. */
  readonly limitMs: number;
  /** A folder into which it downloads, and how long that may go without growing before it is ended. */
  readonly download?: { readonly folder: string; readonly stallMs: number };
}

const pollMs = 200;
const keptOutput = 4_000;
/** The last lines of what a failed program printed say why; more would bury the other failures. */
const shownOutput = 300;

/**
 * Runs a program to its end and gives its output.
 *
 * @throws Error with the end of its output when it fails, cannot be started, or is over a limit
 */
export async function runBounded(command: string, args: readonly string[], options: BoundedOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { env: { ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let ended: string | undefined;
    const end = (reason: string): void => {
      ended = reason;
      child.kill('SIGKILL');
    };
    const stopWatching = watch(options, end);
    collect(child, (text) => (output = (output + text).slice(-keptOutput)));
    child.once('error', (error: NodeJS.ErrnoException) => {
      stopWatching();
      reject(new Error(error.code === 'ENOENT' ? `${command} is not installed` : error.message));
    });
    child.once('close', (code) => {
      stopWatching();
      if (code === 0) resolve(output);
      else reject(new Error(ended ?? (output.trim().slice(-shownOutput) || `${command} ended with ${String(code)}`)));
    });
  });
}

function collect(child: ChildProcess, take: (text: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8');
    stream?.on('data', take);
  }
}

function watch({ limitMs, download }: BoundedOptions, end: (reason: string) => void): () => void {
  const limit = setTimeout(() => end(`it took longer than ${limitMs / 1000} s`), limitMs);
  let size = 0;
  let grew = performance.now();
  const poll = setInterval(() => {
    if (download === undefined) return;
    const now = folderSize(download.folder);
    if (now > size) [size, grew] = [now, performance.now()];
    else if (performance.now() - grew > download.stallMs) end(`nothing arrived for ${download.stallMs / 1000} s`);
  }, pollMs);
  return () => {
    clearTimeout(limit);
    clearInterval(poll);
  };
}

function folderSize(folder: string): number {
  let bytes = 0;
  try {
    for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      bytes += statSync(join(folder, entry), { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    // Files come and go while a download is written: the next look counts again.
  }
  return bytes;
}
