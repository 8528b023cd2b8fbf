import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { FermataError } from '../../plans/protocol/errors.js';
import { parseJson } from '../../plans/protocol/json.js';
import { identify, isAlive, type ProcessIdentity } from './process-identity.js';

const ownerSchema = z.object({ pid: z.number(), start: z.string(), command: z.string() });
const pollMs = 50;
/** A lock file without a readable owner belongs to a process that was killed while it wrote, unless it is this young. */
const unreadableIsStaleMs = 3_000;

/**
 * Runs `work` while no other process of this project starts or stops the stack. A lock whose owner is gone is taken over.
 *
 * @param limitMs - how long to wait for another owner
 * @throws FermataError `StackFailed` when another process holds the lock for longer than that
 */
export async function withLock<T>(file: string, limitMs: number, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + limitMs;
  while (!take(file)) {
    takeOverIfStale(file);
    if (performance.now() > deadline) throw lockedError(file);
    await sleep(pollMs);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** Creates the file with our identity in it; false when it is there already. */
function take(file: string): boolean {
  try {
    const descriptor = openSync(file, 'wx', 0o600);
    writeSync(descriptor, JSON.stringify(identify(process.pid) ?? { pid: process.pid, start: '', command: '' }));
    closeSync(descriptor);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes a stale lock. Only the holder of a second lock may, and it looks again: otherwise two waiters could each remove
 * "the stale one", and the slower would remove the lock that the faster has just taken.
 */
function takeOverIfStale(file: string): void {
  if (!isStale(file)) return;
  const guard = `${file}.takeover`;
  if (!take(guard)) {
    if (isStale(guard)) rmSync(guard, { force: true });
    return;
  }
  try {
    if (isStale(file)) rmSync(file, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

function isStale(file: string): boolean {
  const owner = readOwner(file);
  if (owner !== undefined) return !isAlive(owner);
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > unreadableIsStaleMs;
}

function readOwner(file: string): ProcessIdentity | undefined {
  try {
    const parsed = parseJson(readFileSync(file, 'utf8'));
    return parsed.ok ? ownerSchema.safeParse(parsed.value).data : undefined;
  } catch {
    return undefined;
  }
}

function lockedError(file: string): FermataError {
  const owner = readOwner(file);
  const who = owner === undefined ? 'Another process' : `Process ${owner.pid} (${owner.command})`;
  return new FermataError('StackFailed', `${who} is starting or stopping the stack of this project.`, {
    hint: `Wait for it, or end it. The lock is ${file}.`,
  });
}
