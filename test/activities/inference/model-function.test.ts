import { expect, test } from 'vitest';
import { modelFunction, type ModelFunction } from '../../../activities/inference/model-function.js';
import type { Model } from '../../../activities/ports.js';
import { weightManifest } from '../../../workers/runtime/weights/manifest.js';

const bare: Model = { name: 'bare', identity: 'x', modalities: ['text'], limits: { concurrency: 1 } };
const names: readonly ModelFunction[] = [
  'language',
  'embedder',
  'ocr',
  'imageClassifier',
  'imageEmbedder',
  'speechDetector',
  'transcriber',
];

test.each(names)('a model without %s says what to configure', (name) => {
  expect(() => modelFunction(bare, name, 'AI_X')).toThrow(
    expect.objectContaining({
      code: 'ModalityUnsupported',
      message: expect.stringMatching(/^model bare cannot /) as string,
      hint: expect.stringMatching(/kind: (onnx|openai)/) as string,
      where: { operator: 'AI_X' },
    }),
  );
});

test('hints name weights that can be pulled', () => {
  for (const name of names) {
    let hint = '';
    try {
      modelFunction(bare, name);
    } catch (error) {
      hint = (error as { hint: string }).hint;
    }
    for (const [, weights = ''] of hint.matchAll(/weights: ([a-z0-9.-]*[a-z0-9])/g))
      expect(Object.keys(weightManifest)).toContain(weights);
  }
});

test('a function that is there is given', () => {
  const ocr = { read: () => Promise.reject(new Error('unused')) };
  expect(modelFunction({ ...bare, ocr }, 'ocr')).toBe(ocr);
});
