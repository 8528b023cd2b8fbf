/** Reads WAV files in a stream. */
import type { Block } from './decoders.js';
import { type WavFormat, wavFormat } from './wav-format.js';

/** No chunk before the samples that matters is larger. */
const maxHeaderBytes = 1 << 20;

interface Samples {
  readonly format: WavFormat;
  /** Bytes of samples as the header says; undefined where a streamed file does not know. */
  readonly length: number | undefined;
  /** Offset of the first sample. */
  readonly start: number;
}

/** Finds the samples; undefined when the header goes on beyond what is here. Throws `Error`. */
function findSamples(head: Buffer): Samples | undefined {
  let format: WavFormat | undefined;
  for (let at = 12; at + 8 <= head.length; ) {
    const id = head.toString('latin1', at, at + 4);
    const length = head.readUInt32LE(at + 4);
    if (id === 'data') {
      if (format === undefined) throw new Error('it does not say its format');
      const unknown = length === 0xffffffff || (length === 0 && head.readUInt32LE(4) === 0);
      return { format, length: unknown ? undefined : length, start: at + 8 };
    }
    if (id === 'fmt ') {
      if (at + 8 + length > head.length) return undefined;
      format = wavFormat(head.subarray(at + 8, at + 8 + length));
    }
    at += 8 + length + (length % 2);
  }
  return undefined;
}

/** Blocks of samples. Throws `Error` for a file that is cut short or of a codec that is not read. */
export async function* readWav(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  let samples: Samples | undefined;
  let held = Buffer.alloc(0);
  let left = Number.POSITIVE_INFINITY;
  for await (const piece of pieces) {
    held = Buffer.concat([held, piece]);
    if (samples === undefined) {
      samples = findSamples(held);
      if (samples === undefined) {
        if (held.length > maxHeaderBytes) throw new Error('it has no samples');
        continue;
      }
      left = samples.length ?? left;
      held = held.subarray(samples.start);
    }
    const { format } = samples;
    const frameBytes = format.channels * format.bytesPerSample;
    const frames = Math.floor(Math.min(held.length, left) / frameBytes);
    if (frames > 0) yield block(held, frames, format);
    left -= frames * frameBytes;
    held = held.subarray(frames * frameBytes);
    if (left < frameBytes) return;
  }
  if (samples === undefined) throw new Error('it has no samples');
  if (samples.length !== undefined) throw new Error('it is cut short');
}

function block(data: Buffer, frames: number, { channels, bytesPerSample, sample, sampleRate }: WavFormat): Block {
  const frameBytes = channels * bytesPerSample;
  const channelData = Array.from({ length: channels }, (_, channel) => {
    const values = new Float32Array(frames);
    for (let frame = 0; frame < frames; frame++) {
      values[frame] = sample(data, frame * frameBytes + channel * bytesPerSample);
    }
    return values;
  });
  return { channelData, sampleRate };
}
