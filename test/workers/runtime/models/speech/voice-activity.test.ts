import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { openOnnx } from '../../../../../workers/runtime/models/onnx/open.js';
import { SegmentFinder } from '../../../../../workers/runtime/models/speech/voice-activity.js';
import { lackOf, modelsDir } from '../../../../support/weights.js';
import { fixture, sine, wav } from '../../media/clips.js';
import { never } from '../requests.js';

const lack = await lackOf('silero-vad');
const settings = {
  kind: 'onnx',
  weights: 'silero-vad',
  executionProviders: ['cpu'],
  modalities: ['audio'],
  limits: { concurrency: 1 },
} as const;

describe.skipIf(lack !== undefined)(`Silero VAD ${lack ?? ''}`, async () => {
  const opened = await openOnnx('vad', settings, { env: {}, modelsDir });
  afterAll(() => opened.close());
  const detect = (audio: Uint8Array) => opened.model.speechDetector!.detect(audio, never);

  test('finds the six sentences of a clip', async () => {
    const { segments, seconds } = await detect(await fixture('speech-opus.ogg'));
    expect(seconds).toBeCloseTo(9.96, 1);
    expect(segments).toHaveLength(6);
    for (const { startSeconds, endSeconds, score } of segments) {
      expect(endSeconds - startSeconds).toBeGreaterThan(0.4);
      expect(endSeconds - startSeconds).toBeLessThan(1.5);
      expect(score).toBeGreaterThan(0.7);
    }
    expect(await detect(await fixture('speech-opus.ogg'))).toEqual({ segments, seconds });
  });

  test('finds none in silence, in a tone and in noise', async () => {
    let seed = 1;
    const noise = new Float32Array(32_000).map(
      () => ((seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647 - 0.5) * 0.2,
    );
    for (const samples of [new Float32Array(32_000), sine(440, 2), noise]) {
      expect(await detect(wav(samples))).toEqual({ segments: [], seconds: 2 });
    }
  });

  test('what is no audio is an error of the row', async () => {
    await expect(detect(Buffer.from('%PDF'))).rejects.toMatchObject({ code: 'badMedia', fate: 'row' });
  });
});

test('segments are in order, apart, within the clip, and hold every stretch of sure speech', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 40 })), { maxLength: 20 }), (runs) => {
      const frames = runs.flatMap(([speech, length]) => Array.from({ length }, () => (speech ? 0.9 : 0.1)));
      const finder = new SegmentFinder();
      for (const frame of frames) finder.add(frame);
      const seconds = (frames.length * 512) / 16_000;
      const segments = finder.finish(frames.length * 512);
      let last = 0;
      for (const { startSeconds, endSeconds, score } of segments) {
        expect(startSeconds).toBeGreaterThanOrEqual(last);
        expect(endSeconds).toBeGreaterThan(startSeconds);
        expect(score).toBeGreaterThan(0.3);
        last = endSeconds;
      }
      expect(last).toBeLessThanOrEqual(seconds);
      const covered = (at: number) => segments.some((one) => one.startSeconds <= at && at <= one.endSeconds);
      let run = 0;
      for (const [at, frame] of [...frames, 0].entries()) {
        if (frame === 0.9) run++;
        else {
          if (run >= 8) expect(covered(((at - run / 2) * 512) / 16_000)).toBe(true);
          run = 0;
        }
      }
    }),
  );
});
