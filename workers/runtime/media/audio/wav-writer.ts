/** WAV of 16-bit mono samples at 16 kHz. */
import { sampleRate } from './open-audio.js';

export const wavHeaderBytes = 44;

/** The header for that many bytes of samples. */
export function wavHeader(dataBytes: number): Buffer {
  const header = Buffer.alloc(wavHeaderBytes);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(dataBytes, 40);
  return header;
}

/** Samples in [-1,1] as 16-bit ones; what is beyond is clipped. */
export function pcm16(samples: Float32Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  for (let at = 0; at < samples.length; at++) {
    const value = Math.round((samples[at] ?? 0) * 0x8000);
    bytes.writeInt16LE(Math.max(-0x8000, Math.min(0x7fff, value)), at * 2);
  }
  return bytes;
}
