/** Clips as models take them: WAV, 16 kHz, mono, 16 bits. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLoudnessMeter, type Loudness } from './loudness.js';
import { openAudio, sampleRate } from './open-audio.js';
import type { AudioSource } from './source.js';
import { pcm16, wavHeader, wavHeaderBytes } from './wav-writer.js';

export interface PreparedClip extends Loudness {
  /** A file that is removed once `use` has ended. */
  readonly path: string;
  readonly seconds: number;
}

/** What every prepared clip is. */
export const audioForm = { container: 'wav', sampleRate, channels: 1, bits: 16 } as const;

/**
 * Converts a clip in a stream, through a temporary file, so that an hour of it takes no more memory than a second.
 * Throws `CallError` `badMedia`, and what `use` throws.
 */
export async function prepareAudio<T>(source: AudioSource, use: (clip: PreparedClip) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'fermata-audio-'));
  try {
    const path = join(folder, 'clip.wav');
    const meter = createLoudnessMeter();
    const file = await open(path, 'w');
    try {
      let at = wavHeaderBytes;
      for await (const block of openAudio(source)) {
        meter.add(block);
        const bytes = pcm16(block);
        await file.write(bytes, 0, bytes.length, at);
        at += bytes.length;
      }
      await file.write(wavHeader(at - wavHeaderBytes), 0, wavHeaderBytes, 0);
    } finally {
      await file.close();
    }
    const { samples, ...loudness } = meter.read();
    return await use({ path, seconds: samples / sampleRate, ...loudness });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
