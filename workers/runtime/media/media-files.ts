import { open } from 'node:fs/promises';
import { type Sniffed, sniffBytes, sniffMedia } from './sniff.js';

/** Sniffs a file by its two ends. Rejects as `fs.open` does when there is none. */
export async function sniffFile(path: string): Promise<Sniffed> {
  const file = await open(path, 'r');
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return { ok: false, problem: 'is not a file' };
    const length = Math.min(sniffBytes, stat.size);
    const head = Buffer.alloc(length);
    const tail = Buffer.alloc(length);
    await file.read(head, 0, length, 0);
    await file.read(tail, 0, length, stat.size - length);
    return sniffMedia(head, tail, stat.size);
  } finally {
    await file.close();
  }
}

export function sniffBuffer(bytes: Uint8Array): Sniffed {
  return sniffMedia(bytes, bytes.subarray(Math.max(0, bytes.length - sniffBytes)), bytes.length);
}
