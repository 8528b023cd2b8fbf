/** Reads one member of a ZIP archive as a stream: what a wheel needs, no more (stored or deflated, no ZIP64). */
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';

// Layouts: PKWARE APPNOTE 4.3.7 (local header), 4.3.12 (central directory), 4.3.16 (end of central directory).
const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const endSize = 22;
const maxComment = 0xffff;

interface Member {
  readonly method: number;
  readonly compressed: number;
  readonly headerOffset: number;
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

async function centralDirectory(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const tail = await readAt(file, Math.max(0, size - endSize - maxComment), Math.min(size, endSize + maxComment));
  for (let at = tail.length - endSize; at >= 0; at--) {
    if (tail.readUInt32LE(at) === endSignature) {
      return readAt(file, tail.readUInt32LE(at + 16), tail.readUInt32LE(at + 12));
    }
  }
  throw new Error('not a ZIP archive: no end of central directory');
}

function findMember(directory: Buffer, name: string): Member {
  let at = 0;
  while (at + 46 <= directory.length && directory.readUInt32LE(at) === entrySignature) {
    const nameLength = directory.readUInt16LE(at + 28);
    if (directory.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      return {
        method: directory.readUInt16LE(at + 10),
        compressed: directory.readUInt32LE(at + 20),
        headerOffset: directory.readUInt32LE(at + 42),
      };
    }
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  throw new Error(`no ${name} in the archive`);
}

/** Yields a member's bytes, uncompressed. Throws `Error` when the archive or the member cannot be read. */
export async function* zipMember(path: string, name: string): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    const member = findMember(await centralDirectory(file), name);
    const header = await readAt(file, member.headerOffset, 30);
    const start = member.headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
    if (member.compressed === 0) return;
    if (member.method !== 0 && member.method !== 8)
      throw new Error(`${name} is packed by method ${member.method}, which is not supported`);
    const raw = file.createReadStream({ start, end: start + member.compressed - 1, autoClose: false });
    yield* (member.method === 0 ? raw : inflated(raw)) as AsyncIterable<Uint8Array>;
  } finally {
    await file.close();
  }
}

function inflated(raw: Readable): Readable {
  const inflate = createInflateRaw();
  raw.once('error', (error) => inflate.destroy(error));
  return raw.pipe(inflate);
}
