/** Reads one member of a gzipped tar archive (ustar, as npm packs it), in a stream. */
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';

const block = 512;

/** Hands out exact lengths of a stream of chunks. */
class Slices {
  readonly #source: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Yields `length` bytes in pieces; fewer only where the stream ends. */
  async *take(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.#held.length === 0) {
        const next = await this.#source.next();
        if (next.done === true) return;
        this.#held = next.value;
      }
      const piece = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async skip(length: number): Promise<void> {
    const pieces = this.take(length);
    while ((await pieces.next()).done !== true);
  }

  async whole(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.take(length)) pieces.push(piece);
    return Buffer.concat(pieces);
  }
}

const textAt = (header: Buffer, from: number, to: number): string =>
  header.toString('utf8', from, to).replace(/\0.*$/s, '');

/** Bytes of `name` in the archive at `path`. Throws `Error` when it is not there or the archive is cut short. */
export async function* tarMember(path: string, name: string): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path);
  const unpacked = createGunzip();
  file.once('error', (error) => unpacked.destroy(error));
  file.pipe(unpacked);
  try {
    const slices = new Slices(unpacked);
    for (;;) {
      const header = await slices.whole(block);
      if (header.length < block || header[0] === 0) throw new Error(`no ${name} in the archive`);
      const size = Number.parseInt(textAt(header, 124, 136), 8);
      const prefix = textAt(header, 345, 500);
      const member = `${prefix === '' ? '' : `${prefix}/`}${textAt(header, 0, 100)}`;
      if (member === name) {
        yield* slices.take(size);
        return;
      }
      await slices.skip(Math.ceil(size / block) * block);
    }
  } finally {
    file.destroy();
    unpacked.destroy();
  }
}
