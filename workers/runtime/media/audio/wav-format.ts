/** How a WAV file keeps its samples. */

export interface WavFormat {
  readonly channels: number;
  readonly sampleRate: number;
  readonly bytesPerSample: number;
  /** The sample at an offset, in [-1,1]. */
  readonly sample: (data: Buffer, at: number) => number;
}

const codecs: Readonly<Record<string, WavFormat['sample']>> = {
  'pcm 8': (data, at) => ((data[at] ?? 128) - 128) / 0x80,
  'pcm 16': (data, at) => data.readInt16LE(at) / 0x8000,
  'pcm 24': (data, at) => data.readIntLE(at, 3) / 0x800000,
  'pcm 32': (data, at) => data.readInt32LE(at) / 0x80000000,
  'float 32': (data, at) => data.readFloatLE(at),
  'float 64': (data, at) => data.readDoubleLE(at),
  'A-law 8': (data, at) => aLaw(data[at] ?? 0),
  'mu-law 8': (data, at) => muLaw(data[at] ?? 0),
};

const tags: Readonly<Record<number, string>> = { 1: 'pcm', 3: 'float', 6: 'A-law', 7: 'mu-law' };
/** The true tag is in the first two bytes of the format's GUID. */
const extensible = 0xfffe;

/** ITU-T G.711, A-law to linear. */
function aLaw(byte: number): number {
  const code = byte ^ 0x55;
  const exponent = (code >> 4) & 7;
  const mantissa = ((code & 15) << 4) + 8;
  const size = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1);
  return (code & 0x80 ? size : -size) / 0x8000;
}

/** ITU-T G.711, mu-law to linear. */
function muLaw(byte: number): number {
  const code = ~byte & 0xff;
  const size = ((((code & 15) << 3) + 0x84) << ((code >> 4) & 7)) - 0x84;
  return (code & 0x80 ? -size : size) / 0x8000;
}

/** Reads the body of a `fmt ` chunk. Throws `Error` for a codec that is not read. */
export function wavFormat(chunk: Buffer): WavFormat {
  if (chunk.length < 16) throw new Error('its format chunk is cut short');
  const stated = chunk.readUInt16LE(0);
  const tag = stated === extensible && chunk.length >= 26 ? chunk.readUInt16LE(24) : stated;
  const channels = chunk.readUInt16LE(2);
  const sampleRate = chunk.readUInt32LE(4);
  const bits = chunk.readUInt16LE(14);
  const codec = `${tags[tag] ?? `codec ${tag},`} ${bits}`;
  const sample = codecs[codec];
  if (sample === undefined) throw new Error(`its samples are ${codec} bits, which is not read`);
  if (channels === 0) throw new Error('it has no channels');
  return { channels, sampleRate, bytesPerSample: bits / 8, sample };
}
