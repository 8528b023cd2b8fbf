/** Any clip as mono samples at 16 kHz, in a stream. */
import { CallError } from '../../../../plans/protocol/call-errors.js';
import { decoders } from './decoders.js';
import { createResampler, type Resampler } from './resample.js';
import { type AudioSource, sniffSource } from './source.js';

/** What speech models were trained on. */
export const sampleRate = 16_000;
/** Longest clip. */
export const maxSeconds = 4 * 3600;

const rates = { least: 1_000, most: 768_000 } as const;

function badAudio(message: string, cause?: unknown): CallError {
  return new CallError('badMedia', `the clip ${message}`, cause === undefined ? {} : { cause });
}

/**
 * Blocks of samples in [-1,1]; channels are averaged. Nothing is held beyond a block, whatever the clip's length.
 * Throws `CallError` `badMedia` for what is no audio, damaged, without any samples, or longer than four hours.
 */
export async function* openAudio(source: AudioSource): AsyncGenerator<Float32Array> {
  const sniffed = await sniffSource(source);
  if (!sniffed.ok) throw badAudio(sniffed.problem);
  const { mediaType } = sniffed.kind;
  const decode = decoders[mediaType];
  if (decode === undefined) throw badAudio(`is ${mediaType}`);
  let resampler: { readonly from: number; readonly by: Resampler } | undefined;
  let samples = 0;
  try {
    for await (const { channelData, sampleRate: from } of decode(source)) {
      const [first] = channelData;
      if (first === undefined || first.length === 0) continue;
      if (resampler === undefined) resampler = { from, by: resamplerFor(from) };
      else if (resampler.from !== from) throw new Error('its sampling rate changes on the way');
      const block = resampler.by.push(channelData.length === 1 ? first : mean(channelData, first.length));
      samples += block.length;
      if (samples > maxSeconds * sampleRate) throw new Error(`is longer than ${maxSeconds / 3600} hours`);
      yield block;
    }
  } catch (error) {
    if (error instanceof CallError) throw error;
    const said = (error as Error).message;
    throw badAudio(said.startsWith('is ') ? said : `(${mediaType}) cannot be read: ${said}`, error);
  }
  if (resampler === undefined) throw badAudio(`(${mediaType}) holds no sound at all`);
  yield resampler.by.end();
}

function resamplerFor(from: number): Resampler {
  if (from < rates.least || from > rates.most) throw new Error(`its sampling rate is ${from} Hz`);
  return createResampler(from, sampleRate);
}

function mean(channels: readonly Float32Array[], length: number): Float32Array {
  const mono = new Float32Array(length);
  for (const channel of channels) {
    for (let at = 0; at < length; at++) mono[at] = (mono[at] ?? 0) + (channel[at] ?? 0) / channels.length;
  }
  return mono;
}
