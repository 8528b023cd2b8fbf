/** One row an audio format: encoded bytes in, blocks of samples out. Each library is loaded with the first such file. */
import { type AudioSource, piecesOf } from './source.js';
import { readFfmpeg } from './ffmpeg.js';
import { readWav } from './wav-reader.js';

export interface Block {
  /** One array a channel, all of one length; samples in [-1,1]. */
  readonly channelData: readonly Float32Array[];
  readonly sampleRate: number;
}

/** Throws `Error` for bytes that cannot be decoded, and whatever reading the source throws. */
export type Decode = (source: AudioSource) => AsyncIterable<Block>;

interface Decoded extends Block {
  readonly errors: readonly unknown[];
}

/** What the WebAssembly decoders have in common. */
interface Decoder {
  readonly ready: Promise<void>;
  decode(bytes: Uint8Array): Decoded | Promise<Decoded>;
  flush?(): Promise<Decoded>;
  free(): void;
}

const throughDecoder = (create: () => Promise<Decoder>): Decode =>
  async function* decoded(source) {
    const decoder = await create();
    try {
      await decoder.ready;
      for await (const piece of piecesOf(source)) yield usable(await decoder.decode(piece));
      if (decoder.flush !== undefined) yield usable(await decoder.flush());
    } finally {
      decoder.free();
    }
  };

function usable({ channelData, sampleRate, errors }: Decoded): Block {
  const [first] = errors as readonly { readonly message?: string }[];
  if (first !== undefined) throw new Error(`its data are damaged (${first.message ?? 'unknown fault'})`);
  return { channelData, sampleRate };
}

const decodeFlac = throughDecoder(async () => new (await import('@wasm-audio-decoders/flac')).FLACDecoder());

/** Samples that a FLAC file states in its first block; 0 where it does not. */
function statedSamples(head: Buffer): number {
  return head.length < 26 ? 0 : ((head[21] ?? 0) & 15) * 2 ** 32 + head.readUInt32BE(22);
}

/** The decoder leaves damaged frames out without a word: the samples are counted. */
async function* readFlac(source: AudioSource): AsyncGenerator<Block> {
  let stated = 0;
  for await (const piece of piecesOf(source)) {
    stated = statedSamples(Buffer.from(piece));
    break;
  }
  let read = 0;
  for await (const block of decodeFlac(source)) {
    read += block.channelData[0]?.length ?? 0;
    yield block;
  }
  if (stated > 0 && read !== stated) throw new Error(`its data are damaged (${read} of ${stated} samples are whole)`);
}

/** Ogg is a container; its first page names the codec. */
async function* readOgg(source: AudioSource): AsyncGenerator<Block> {
  const [codec, decode] = await oggCodec(source);
  if (decode === undefined) throw new Error(`it is Ogg with ${codec}, which is not read`);
  yield* decode(source);
}

const oggCodecs: Readonly<Record<string, Decode>> = {
  OpusHead: throughDecoder(async () => new (await import('ogg-opus-decoder')).OggOpusDecoder()),
  '\x01vorbis': throughDecoder(async () => new (await import('@wasm-audio-decoders/ogg-vorbis')).OggVorbisDecoder()),
  '\x7fFLAC': decodeFlac,
};

async function oggCodec(source: AudioSource): Promise<readonly [string, Decode | undefined]> {
  for await (const piece of piecesOf(source)) {
    const head = Buffer.from(piece).toString('latin1', 0, 64);
    const found = Object.entries(oggCodecs).find(([magic]) => head.includes(magic));
    if (found !== undefined) return found;
    break;
  }
  return ['an unknown codec', undefined];
}

export const decoders: Readonly<Record<string, Decode>> = {
  'audio/wav': (source) => readWav(piecesOf(source)),
  'audio/mpeg': throughDecoder(async () => new (await import('mpg123-decoder')).MPEGDecoder()),
  'audio/flac': readFlac,
  'audio/ogg': readOgg,
  'audio/mp4': readFfmpeg,
};
