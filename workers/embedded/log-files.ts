import { closeSync, copyFileSync, mkdirSync, openSync, readSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';

/** A log longer than this is moved to `<file>.1`, over the one before. */
const rotateBytes = 16 * 1024 * 1024;
const tailBytes = 16 * 1024;

/** Opens a log for appending; only its owner may read it, since prompts may stand in it. The caller closes the descriptor. */
export function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return openSync(file, 'a', 0o600);
}

/** Bytes in the log; 0 when there is none. */
export function logSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Copies an overlong log aside and empties it. Writers append, so they go on at the start of the same file. */
export function rotateLog(file: string): void {
  if (logSize(file) < rotateBytes) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file, 0);
}

/** The last `count` lines of a log, of those after byte `from`. */
export function lastLines(file: string, count: number, from = 0): string[] {
  return readFrom(file, from)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-count);
}

/** At most the last 16 KiB of a log, of what stands after byte `from`. */
export function readFrom(file: string, from: number): string {
  const size = logSize(file);
  // A log that shrank was rotated: all of it is newer than `from`.
  const start = Math.max(size < from ? 0 : from, size - tailBytes);
  if (size <= start) return '';
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(size - start);
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, start));
  } finally {
    closeSync(descriptor);
  }
}
