import sharp from 'sharp';
import { expect, test } from 'vitest';
import { specialistOf, vectorMaker } from '../../../activities/inference/specialists.js';
import type { ModelRequest } from '../../../activities/ports.js';
import { openOnnx } from '../../../workers/runtime/models/onnx/open.js';
import { call } from '../../support/relations.js';
import { lackOf, modelsDir } from '../../support/weights.js';

const lack = await lackOf('efficientnet-lite0');
const never = new AbortController().signal;
const embedImage = {
  ...call('c0', ['pic'], { kind: 'vector' }),
  parameters: { kind: 'embed' } as const,
  inputs: [{ sql: 'pic', label: 'pic', modality: 'image' as const }],
};

test.skipIf(lack !== undefined)(`images become vectors of an image model ${lack ?? ''}`, async () => {
  const settings = {
    kind: 'onnx',
    weights: 'efficientnet-lite0',
    executionProviders: ['cpu'],
    modalities: ['image'],
    limits: { concurrency: 1 },
  } as const;
  const opened = await openOnnx('pictures', settings, { env: {}, modelsDir });
  const { model } = opened;
  const image = async (background: string, size: number): Promise<ModelRequest> => {
    const bytes = await sharp({ create: { width: size, height: size, channels: 3, background } })
      .png()
      .toBuffer();
    const content = [{ type: 'image', mediaType: 'image/png', bytes } as const];
    const rest = { output: embedImage.output, maxOutputTokens: 0, temperature: 0, confidence: false };
    return { system: '', content, ...rest };
  };
  try {
    expect(specialistOf(embedImage)).toBe('imageEmbedder');
    const requests = [await image('#f00', 300), await image('#e00', 400), await image('#00f', 300)];
    const made = await vectorMaker(model, embedImage)?.(requests, never);
    const [red, reddish, blue] = made?.vectors ?? [];
    const cosine = (b?: Float32Array): number => red?.reduce((sum, x, at) => sum + x * (b?.[at] ?? 0), 0) ?? 0;
    expect(red).toHaveLength(1280);
    expect(cosine(red)).toBeCloseTo(1, 5);
    expect(cosine(reddish)).toBeGreaterThan(cosine(blue));
    expect(made?.usage).toEqual({ inputTokens: 0, outputTokens: 0 });
    // texts are another model's
    expect(vectorMaker(model, { ...embedImage, inputs: call('c0', ['text']).inputs })).toBeUndefined();
  } finally {
    await opened.close();
  }
});
