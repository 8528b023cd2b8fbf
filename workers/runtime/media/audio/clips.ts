/** Cuts long audio into clips that an endpoint takes, at quiet places. */
import { createLoudnessMeter, silentPeakDb } from './loudness.js';
import { openAudio, sampleRate } from './open-audio.js';
import type { AudioSource } from './source.js';
import { pcm16, wavHeader } from './wav-writer.js';

export interface Clip {
  /** WAV, 16 kHz, mono, 16 bits. */
  readonly wav: Uint8Array;
  readonly seconds: number;
  /** Whether there is nothing to hear. */
  readonly silent: boolean;
}

/** The pause that a cut is made in: the quietest of this length within the last part of a full clip. */
const pauseSamples = 0.1 * sampleRate;
const searchSamples = 30 * sampleRate;

/** Clips of at most `maxSeconds`, in order; nothing is left out between them. Throws `CallError` `badMedia`. */
export async function* clipsOf(source: AudioSource, maxSeconds: number): AsyncGenerator<Clip> {
  const most = Math.floor(maxSeconds * sampleRate);
  const held = new Float32Array(most);
  let used = 0;
  for await (const block of openAudio(source)) {
    for (let at = 0; at < block.length; ) {
      const taken = Math.min(most - used, block.length - at);
      held.set(block.subarray(at, at + taken), used);
      used += taken;
      at += taken;
      if (used < most) continue;
      const cut = quietPlace(held);
      yield clip(held.subarray(0, cut));
      held.copyWithin(0, cut);
      used -= cut;
    }
  }
  if (used > 0) yield clip(held.subarray(0, used));
}

/** Middle of the quietest pause near the end. */
function quietPlace(samples: Float32Array): number {
  const from = Math.max(pauseSamples, samples.length - Math.min(searchSamples, samples.length / 2));
  let [best, least] = [samples.length, Number.POSITIVE_INFINITY];
  for (let at = Math.floor(from); at + pauseSamples <= samples.length; at += pauseSamples / 2) {
    let squares = 0;
    for (let sample = at; sample < at + pauseSamples; sample++) squares += (samples[sample] ?? 0) ** 2;
    if (squares < least) [best, least] = [at + pauseSamples / 2, squares];
  }
  return best;
}

function clip(samples: Float32Array): Clip {
  const meter = createLoudnessMeter();
  meter.add(samples);
  const bytes = pcm16(samples);
  return {
    wav: Buffer.concat([wavHeader(bytes.length), bytes]),
    seconds: samples.length / sampleRate,
    silent: meter.read().peakDb < silentPeakDb,
  };
}
