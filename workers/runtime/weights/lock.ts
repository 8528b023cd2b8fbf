/** A lock between processes: a file made exclusively, kept fresh, taken over when its owner is dead. */
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '../../../plans/protocol/json.js';

const pollMs = 300;
const beatMs = 10_000;
/** Older than this without a beat: the owner's machine is gone. */
const staleMs = 60_000;

interface Owner {
  readonly host: string;
  readonly pid: number;
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function isStale(path: string, text: string): Promise<boolean> {
  const parsed = parseJson(text);
  const owner = parsed.ok ? (parsed.value as unknown as Partial<Owner> | null) : null;
  if (owner?.host === hostname() && owner.pid !== undefined) return !alive(owner.pid);
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > staleMs;
}

async function takeOver(path: string, text: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  await rename(path, aside).catch(() => undefined);
  const moved = await readFile(aside, 'utf8').catch(() => undefined);
  // Another process was quicker and this is its fresh lock: put it back.
  if (moved !== undefined && moved !== text) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

/**
 * Runs `work` while no other process holds the lock at `path`. `onWait` is called once when another one does.
 * Throws the signal's reason when aborted while it waits.
 */
export async function withLock<T>(
  path: string,
  work: () => Promise<T>,
  options: { readonly signal?: AbortSignal | undefined; readonly onWait?: () => void } = {},
): Promise<T> {
  const mine = JSON.stringify({ host: hostname(), pid: process.pid, id: randomUUID() } satisfies Owner & {
    id: string;
  });
  let waited = false;
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      await writeFile(path, mine, { flag: 'wx' });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    if (await isStale(path, text)) {
      await takeOver(path, text);
      continue;
    }
    if (!waited) options.onWait?.();
    waited = true;
    await delay(pollMs, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
  const beat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), beatMs);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    if ((await readFile(path, 'utf8').catch(() => undefined)) === mine) await rm(path, { force: true });
  }
}
