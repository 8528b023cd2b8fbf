import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import type { ObjectHash } from '../../../activities/ports.js';
import { FermataError } from '../../../plans/protocol/errors.js';

export interface Digest {
  readonly hash: ObjectHash;
  readonly bytes: number;
}

export function hashBytes(bytes: Uint8Array): ObjectHash {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Hashes the first `bytes` bytes of a file in pieces; what is appended meanwhile is left out. */
export async function hashFile(path: string, bytes: number): Promise<Digest> {
  const sha = createHash('sha256');
  let read = 0;
  for await (const chunk of readStart(path, bytes)) {
    sha.update(chunk);
    read += chunk.length;
  }
  return { hash: sha.digest('hex'), bytes: read };
}

/** The first `bytes` bytes of a file. */
export function readStart(path: string, bytes: number): AsyncIterable<Buffer> {
  if (bytes === 0) return Readable.from([]);
  return createReadStream(path, { highWaterMark: 1 << 20, end: bytes - 1 });
}

/** Lets bytes through and, in place of the end, fails with `otherwise()` when they were not those of `hash`. */
export function hashGuard(hash: ObjectHash, otherwise: () => Error): Transform {
  const sha = createHash('sha256');
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sha.update(chunk);
      done(null, chunk);
    },
    flush(done) {
      done(sha.digest('hex') === hash ? null : otherwise());
    },
  });
}

export function changedWhileRead(path: string): FermataError {
  return new FermataError('BadData', `${path} was changed while it was being read.`, {
    hint: 'Run again when nothing writes to the file.',
    where: { file: path },
  });
}

export function missingObject(hash: ObjectHash): FermataError {
  return new FermataError('ObjectMissing', `Object ${hash} is not in the store.`, {
    hint: 'It was removed, or the run began with another store (FERMATA_STORE). Start the run again from its files.',
  });
}

/** `place`: the path or address of the bytes that are not what their name says. */
export function damagedObject(hash: ObjectHash, place: string): FermataError {
  return new FermataError('BadData', `Object ${hash} is damaged: its bytes have another hash.`, {
    hint: `Remove ${place} and start the run again from its files: they are then stored anew.`,
    where: { file: place },
  });
}
