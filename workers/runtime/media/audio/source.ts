/** Where the bytes of a clip are. */
import { createReadStream } from 'node:fs';
import { sniffBuffer, sniffFile } from '../media-files.js';
import type { Sniffed } from '../sniff.js';

export type AudioSource = { readonly path: string } | { readonly bytes: Uint8Array };

/** Small enough that a decoder which runs in this thread holds it for some milliseconds only. */
const pieceBytes = 1 << 15;

export async function* piecesOf(source: AudioSource): AsyncGenerator<Uint8Array> {
  if ('path' in source) {
    yield* createReadStream(source.path, { highWaterMark: pieceBytes }) as AsyncIterable<Uint8Array>;
    return;
  }
  for (let at = 0; at < source.bytes.length; at += pieceBytes) yield source.bytes.subarray(at, at + pieceBytes);
}

export function sniffSource(source: AudioSource): Promise<Sniffed> {
  return 'path' in source ? sniffFile(source.path) : Promise.resolve(sniffBuffer(source.bytes));
}
