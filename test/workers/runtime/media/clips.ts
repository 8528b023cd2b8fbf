/** Audio clips for tests: made ones, and those of `test/fixtures/media`. */
import { readFile } from 'node:fs/promises';

export const fixture = (name: string): Promise<Buffer> =>
  readFile(new URL(`../../../fixtures/media/${name}`, import.meta.url));

export function sine(hertz: number, seconds: number, rate = 16_000, amplitude = 0.5): Float32Array {
  const samples = new Float32Array(Math.round(seconds * rate));
  return samples.map((_, at) => amplitude * Math.sin((2 * Math.PI * hertz * at) / rate));
}

type Write = (bytes: Buffer, at: number, value: number) => void;

/** G.711 by search: the code whose decoded value, by the tables of the standard, is nearest. */
function lawCode(decode: (code: number) => number): Write {
  const table = Array.from({ length: 256 }, (_, code) => decode(code));
  return (bytes, at, value) => {
    let best = 0;
    for (let code = 1; code < 256; code++) {
      if (Math.abs((table[code] ?? 9) - value) < Math.abs((table[best] ?? 9) - value)) best = code;
    }
    bytes[at] = best;
  };
}

/** Segments and steps as the standard tabulates them, positive half: start of each of the eight segments, and its step. */
const muStarts = [0, 30, 93, 219, 471, 975, 1983, 3999];
const mu = lawCode((code) => {
  const inverted = 255 - code;
  const segment = (inverted >> 4) & 7;
  const size =
    segment === 0
      ? (inverted & 15) * 2
      : (muStarts[segment] ?? 0) + 1.5 + (inverted & 15) * 2 ** (segment + 1) + 2 ** segment - 1;
  return ((inverted & 128 ? -1 : 1) * size) / 8192;
});
const aStarts = [0, 32, 64, 128, 256, 512, 1024, 2048];
const a = lawCode((code) => {
  const even = code ^ 0x55;
  const segment = (even >> 4) & 7;
  const step = segment === 0 ? 2 : 2 ** segment;
  return ((even & 128 ? 1 : -1) * ((aStarts[segment] ?? 0) + step * ((even & 15) + 0.5))) / 4096;
});

const codecs = {
  pcm8: { tag: 1, bits: 8, write: (bytes, at, value) => void bytes.writeUInt8(Math.round(value * 127) + 128, at) },
  pcm16: { tag: 1, bits: 16, write: (bytes, at, value) => void bytes.writeInt16LE(Math.round(value * 32767), at) },
  pcm24: { tag: 1, bits: 24, write: (bytes, at, value) => void bytes.writeIntLE(Math.round(value * 8388607), at, 3) },
  pcm32: { tag: 1, bits: 32, write: (bytes, at, value) => void bytes.writeInt32LE(Math.round(value * 2147483647), at) },
  float32: { tag: 3, bits: 32, write: (bytes, at, value) => void bytes.writeFloatLE(value, at) },
  float64: { tag: 3, bits: 64, write: (bytes, at, value) => void bytes.writeDoubleLE(value, at) },
  alaw: { tag: 6, bits: 8, write: a },
  mulaw: { tag: 7, bits: 8, write: mu },
} as const satisfies Record<string, { tag: number; bits: number; write: Write }>;

interface WavOptions {
  readonly codec?: keyof typeof codecs;
  readonly rate?: number;
  readonly channels?: number;
  readonly extensible?: boolean;
}

/** A WAV file with the same samples in each channel. */
export function wav(samples: Float32Array, options: WavOptions = {}): Buffer {
  const { codec = 'pcm16', rate = 16_000, channels = 1, extensible = false } = options;
  const { tag, bits, write } = codecs[codec];
  const width = bits / 8;
  const format = Buffer.alloc(extensible ? 40 : 16);
  format.writeUInt16LE(extensible ? 0xfffe : tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt32LE(rate * channels * width, 8);
  format.writeUInt16LE(channels * width, 12);
  format.writeUInt16LE(bits, 14);
  if (extensible) {
    format.writeUInt16LE(22, 16);
    format.writeUInt16LE(tag, 24);
  }
  const data = Buffer.alloc(samples.length * channels * width);
  for (const [at, value] of samples.entries()) {
    for (let channel = 0; channel < channels; channel++) write(data, (at * channels + channel) * width, value);
  }
  const chunk = (name: string, body: Buffer): Buffer => {
    const head = Buffer.alloc(8);
    head.write(name);
    head.writeUInt32LE(body.length, 4);
    return Buffer.concat([head, body]);
  };
  const body = Buffer.concat([Buffer.from('WAVE'), chunk('fmt ', format), chunk('data', data)]);
  return chunk('RIFF', body);
}
