import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clipsOf } from '../../../../workers/runtime/media/audio/clips.js';
import { openAudio } from '../../../../workers/runtime/media/audio/open-audio.js';
import { prepareAudio } from '../../../../workers/runtime/media/audio/prepare-audio.js';
import { createResampler } from '../../../../workers/runtime/media/audio/resample.js';
import { fixture, sine, wav } from './clips.js';

async function samplesOf(bytes: Uint8Array): Promise<Float32Array> {
  const blocks: Float32Array[] = [];
  for await (const block of openAudio({ bytes })) blocks.push(block);
  const all = new Float32Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    all.set(block, at);
    at += block.length;
  }
  return all;
}

/** Amplitude of one frequency, the ends left out, and the share of the energy that it is. */
function tone(samples: Float32Array, hertz: number, rate = 16_000) {
  const inner = samples.subarray(800, samples.length - 800);
  let [re, im, all] = [0, 0, 0];
  for (const [at, value] of inner.entries()) {
    re += value * Math.cos((2 * Math.PI * hertz * at) / rate);
    im += value * Math.sin((2 * Math.PI * hertz * at) / rate);
    all += value * value;
  }
  const amplitude = (2 * Math.hypot(re, im)) / inner.length;
  return { amplitude, purity: (amplitude * amplitude * inner.length) / 2 / all };
}

const noFfmpeg = spawnSync('ffmpeg', ['-version']).status !== 0;

describe('formats', () => {
  test.each(['tone.mp3', 'tone.flac', 'tone-vorbis.ogg', 'tone-opus.ogg'])('%s', async (name) => {
    const samples = await samplesOf(await fixture(name));
    expect(Math.abs(samples.length - 8000)).toBeLessThan(100);
    expect(tone(samples, 440).amplitude).toBeCloseTo(0.5, 1);
    expect(tone(samples, 440).purity).toBeGreaterThan(0.99);
  });

  test.skipIf(noFfmpeg)('tone.m4a by ffmpeg (skipped where there is none)', async () => {
    const samples = await samplesOf(await fixture('tone.m4a'));
    expect(tone(samples, 440).purity).toBeGreaterThan(0.99);
  });

  test('M4A without ffmpeg says what to install', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '';
    try {
      await expect(samplesOf(await fixture('tone.m4a'))).rejects.toMatchObject({
        code: 'badMedia',
        message: expect.stringContaining('ffmpeg') as string,
      });
    } finally {
      process.env['PATH'] = path;
    }
  });

  const codecs = ['pcm8', 'pcm16', 'pcm24', 'pcm32', 'float32', 'float64', 'alaw', 'mulaw'] as const;
  test.each(codecs)('WAV %s, extensible or not, one to six channels, any rate', async (codec) => {
    for (const rate of [8_000, 16_000, 44_100, 48_000]) {
      const bytes = wav(sine(440, 0.5, rate, 0.4), {
        codec,
        rate,
        channels: rate === 48_000 ? 6 : 2,
        extensible: rate > 40_000,
      });
      const found = tone(await samplesOf(bytes), 440);
      expect(found.amplitude).toBeCloseTo(0.4, 1);
      expect(found.purity).toBeGreaterThan(codec === 'pcm8' || codec.endsWith('law') ? 0.99 : 0.9999);
    }
  });
});

describe('what is refused', () => {
  const refused = (bytes: Uint8Array, message: string | RegExp) =>
    expect(samplesOf(bytes)).rejects.toMatchObject({
      name: 'CallError',
      code: 'badMedia',
      message: (typeof message === 'string'
        ? expect.stringContaining(message)
        : expect.stringMatching(message)) as string,
    });

  test('nothing, no audio, no samples', async () => {
    await refused(new Uint8Array(), 'is empty');
    await refused(Buffer.from('hello'), 'neither');
    await refused(wav(new Float32Array()), 'no sound at all');
  });

  test('a codec that is not read, named', async () => {
    const bytes = wav(sine(440, 0.1));
    bytes.writeUInt16LE(0x11, 20);
    await refused(bytes, 'codec 17');
    await refused(Buffer.concat([Buffer.from('OggS'), Buffer.alloc(60)]), 'unknown codec');
  });

  test('a WAV cut short anywhere', async () => {
    const bytes = wav(sine(440, 0.2));
    for (const length of [20, 44, 60, 1000, bytes.length - 2])
      await refused(bytes.subarray(0, length), /cut short|no samples/);
    // Whole by its outer header, not by its inner one.
    const inner = Buffer.from(bytes.subarray(0, 2000));
    inner.writeUInt32LE(1992, 4);
    await refused(inner, 'cut short');
  });

  test('damaged FLAC, and names that lie', async () => {
    const flac = Buffer.from(await fixture('tone.flac'));
    for (let at = 3000; at < 5000; at++) flac[at] = (at * 37) & 255;
    await refused(flac, 'damaged');
    const cut = (await fixture('tone.flac')).subarray(0, 5000);
    await refused(cut, 'damaged');
    // MP3 bytes behind a FLAC magic.
    await refused(Buffer.concat([Buffer.from('fLaC'), await fixture('tone.mp3')]), /cannot be read|no sound/);
  });
});

describe('preparation', () => {
  test('gives 16-bit mono WAV at 16 kHz with its length and loudness, and leaves no file behind', async () => {
    const before = (await readdir(tmpdir())).filter((name) => name.startsWith('fermata-audio-'));
    const bytes = wav(sine(440, 1.5, 44_100, 0.5), { rate: 44_100, channels: 2 });
    const [clip, made] = await prepareAudio({ bytes }, async (clip) => [clip, await readFile(clip.path)] as const);
    expect(clip.seconds).toBeCloseTo(1.5, 3);
    expect(clip.rmsDb).toBeCloseTo(-9.03, 1);
    expect(clip.peakDb).toBeCloseTo(-6.02, 1);
    expect([made.readUInt16LE(22), made.readUInt32LE(24), made.readUInt16LE(34)]).toEqual([1, 16_000, 16]);
    expect(made.length).toBe(44 + 2 * Math.round(clip.seconds * 16_000));
    const after = (await readdir(tmpdir())).filter((name) => name.startsWith('fermata-audio-'));
    expect(after.filter((name) => !before.includes(name))).toEqual([]);
  });

  test('says that silence is silence', async () => {
    const clip = await prepareAudio({ bytes: wav(new Float32Array(16_000)) }, (made) => Promise.resolve(made));
    expect(clip).toMatchObject({ seconds: 1, rmsDb: -120, peakDb: -120 });
  });
});

test('an hour is cut into clips at its pauses, with nothing lost', async () => {
  // A pause of half a second at the start of each minute.
  const samples = sine(97, 60);
  samples.fill(0, 0, 8_000);
  const minute = wav(samples, { codec: 'pcm8' });
  const header = Buffer.from(minute.subarray(0, 44));
  const data = minute.subarray(44);
  header.writeUInt32LE(data.length * 60, 40);
  header.writeUInt32LE(data.length * 60 + 36, 4);
  const bytes = Buffer.concat([header, ...Array.from({ length: 60 }, () => data)]);
  let [seconds, clips] = [0, 0];
  for await (const clip of clipsOf({ bytes }, 630)) {
    expect(clip.seconds).toBeLessThanOrEqual(630);
    expect(clip.silent).toBe(false);
    seconds += clip.seconds;
    clips++;
    // Each cut is within a pause.
    if (clips <= 5) expect(seconds % 60).toBeLessThan(0.5);
  }
  expect(seconds).toBeCloseTo(3600, 2);
  expect(clips).toBe(6);
});

test('the resampler does not depend on how its input is cut', () => {
  const input = sine(300, 0.2, 44_100, 0.7);
  const whole = createResampler(44_100, 16_000);
  const expected = [...whole.push(input), ...whole.end()];
  expect(expected).toHaveLength(3200);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 12 }), (cuts) => {
      const resampler = createResampler(44_100, 16_000);
      const got: number[] = [];
      let at = 0;
      for (const length of [...cuts, input.length]) {
        got.push(...resampler.push(input.subarray(at, at + length)));
        at += length;
      }
      got.push(...resampler.end());
      expect(got).toEqual(expected);
    }),
    { numRuns: 30 },
  );
});

test('what lies above the new rate is gone, not folded down', () => {
  const resampler = createResampler(48_000, 16_000);
  const made = Float32Array.from([...resampler.push(sine(11_000, 0.5, 48_000, 1)), ...resampler.end()]);
  expect(tone(made, 5_000).amplitude).toBeLessThan(1e-3);
});
