import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** Where LMDB's first meta page has its magic number, and the number (little-endian), as lmdb 3.5 writes them. */
const magicOffset = 24;
const magic = 0xbeefc0de;

/**
 * Refuses a data file that is not LMDB's: the library ends the process on one instead of reporting it. A missing or
 * empty file passes, since that is how a new environment begins.
 */
export function checkDataFile(dir: string): void {
  const head = Buffer.alloc(magicOffset + 4);
  let length: number;
  try {
    const file = openSync(join(dir, 'data.mdb'), 'r');
    try {
      length = readSync(file, head, 0, head.length, 0);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (length > 0 && (length < head.length || head.readUInt32LE(magicOffset) !== magic)) {
    throw new Error(`${join(dir, 'data.mdb')} is not a ledger file, or it is damaged`);
  }
}
