/** Tells images and audio files by their first bytes, and whether one is cut short where its header says how long it is. */

export interface MediaKind {
  readonly mediaType: string;
  readonly modality: 'image' | 'audio';
}

interface Format extends MediaKind {
  readonly matches: (head: Buffer) => boolean;
  /** Smallest file that can hold anything. */
  readonly least: number;
  /** Size of the file by its own header, where it has one; `size` is the true one. */
  readonly says?: (head: Buffer) => number | undefined;
  /** What must stand at the very end. */
  readonly ends?: (tail: Buffer) => boolean;
}

const ascii = (head: Buffer, from: number, to: number): string => head.toString('latin1', from, to);
const riff = (kind: string) => (head: Buffer) => ascii(head, 0, 4) === 'RIFF' && ascii(head, 8, 12) === kind;
const riffSize = (head: Buffer): number | undefined => {
  const size = head.readUInt32LE(4);
  // streamed WAV files have 0 or the largest number here
  return size === 0 || size === 0xffffffff ? undefined : size + 8;
};

const image = 'image';
const audio = 'audio';

const formats: readonly Format[] = [
  {
    mediaType: 'image/png',
    modality: image,
    matches: (head) => ascii(head, 0, 8) === '\x89PNG\r\n\x1a\n',
    least: 57,
    ends: (tail) => tail.includes('IEND'),
  },
  {
    mediaType: 'image/jpeg',
    modality: image,
    matches: (head) => head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff,
    least: 107,
    ends: (tail) => tail.includes(Buffer.from([0xff, 0xd9])),
  },
  {
    mediaType: 'image/gif',
    modality: image,
    matches: (head) => /^GIF8[79]a/.test(ascii(head, 0, 6)),
    least: 14,
    ends: (tail) => tail.includes(0x3b),
  },
  { mediaType: 'image/webp', modality: image, matches: riff('WEBP'), least: 20, says: riffSize },
  {
    mediaType: 'image/bmp',
    modality: image,
    matches: (head) => ascii(head, 0, 2) === 'BM' && head.readUInt32LE(6) === 0,
    least: 26,
    says: (head) => head.readUInt32LE(2) || undefined,
  },
  { mediaType: 'audio/wav', modality: audio, matches: riff('WAVE'), least: 44, says: riffSize },
  { mediaType: 'audio/flac', modality: audio, matches: (head) => ascii(head, 0, 4) === 'fLaC', least: 42 },
  { mediaType: 'audio/ogg', modality: audio, matches: (head) => ascii(head, 0, 4) === 'OggS', least: 28 },
  {
    mediaType: 'audio/mp4',
    modality: audio,
    matches: (head) => /^ftyp(M4[AB] |mp4[12]|isom)/.test(ascii(head, 4, 12)),
    least: 32,
  },
  {
    mediaType: 'audio/mpeg',
    modality: audio,
    matches: (head) => ascii(head, 0, 3) === 'ID3' || isMpegFrame(head),
    least: 24,
  },
];

/** An MPEG audio frame header: sync, a layer, a bit rate and a sampling rate that exist. */
function isMpegFrame(head: Buffer): boolean {
  const [first = 0, second = 0, third = 0] = head;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return false;
  const [version, layer, rate, sampling] = [(second >> 3) & 3, (second >> 1) & 3, third >> 4, (third >> 2) & 3];
  return version !== 1 && layer !== 0 && rate !== 15 && rate !== 0 && sampling !== 3;
}

/** Bytes that `sniffMedia` needs from the beginning and the end of a file. */
export const sniffBytes = 64;

export type Sniffed =
  | { readonly ok: true; readonly kind: MediaKind }
  | { readonly ok: false; readonly problem: string; readonly modality?: 'image' | 'audio' };

/** `head` and `tail`: up to `sniffBytes` (or more) from both ends of a file of `size` bytes. */
export function sniffMedia(head: Uint8Array, tail: Uint8Array, size: number): Sniffed {
  if (size === 0) return { ok: false, problem: 'is empty' };
  const start = Buffer.alloc(sniffBytes);
  start.set(head.subarray(0, sniffBytes));
  const format = formats.find((candidate) => candidate.matches(start));
  if (format === undefined) {
    return { ok: false, problem: 'is neither PNG, JPEG, GIF, WebP or BMP nor WAV, MP3, M4A, FLAC or OGG' };
  }
  const { mediaType, modality, least, says, ends } = format;
  const end = Buffer.from(tail.buffer, tail.byteOffset, tail.byteLength);
  const stated = says?.(start) ?? 0;
  if (size < least || size < stated || ends?.(end) === false) {
    const of = stated > size ? ` (${String(size)} of ${String(stated)} bytes)` : '';
    return { ok: false, problem: `is a ${mediaType} file that is cut short${of}`, modality };
  }
  return { ok: true, kind: { mediaType, modality } };
}
