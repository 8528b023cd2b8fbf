import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Model } from '../../../../../activities/ports.js';
import { openOnnx } from '../../../../../workers/runtime/models/onnx/open.js';
import { entryState } from '../../../../../workers/runtime/weights/files.js';
import { weightManifest } from '../../../../../workers/runtime/weights/manifest.js';
import { never } from '../requests.js';

const modelsDir = process.env['FERMATA_MODELS_DIR'] ?? join(homedir(), '.cache', 'fermata', 'models');
const ready = (await entryState(modelsDir, 'minilm', weightManifest.minilm)) === 'ready';
const title = ready ? 'MiniLM' : `MiniLM (skipped: no weights minilm in ${modelsDir})`;
const settings = {
  kind: 'onnx',
  weights: 'minilm',
  executionProviders: ['cpu'],
  modalities: ['text'],
  limits: { concurrency: 1 },
} as const;

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0);

describe.skipIf(!ready)(title, () => {
  const opened = openOnnx('minilm', settings, { env: {}, modelsDir });
  afterAll(async () => (await opened).close());
  const embed = async (texts: readonly string[]) => (await opened).model.embedder!.embed(texts, never);

  test('like texts are near, unlike ones far; vectors have length 1', async () => {
    const { vectors, usage } = await embed([
      'The brakes failed.',
      'My brake pedal did not work.',
      'I like jazz music.',
    ]);
    const [a, b, c] = vectors as [Float32Array, Float32Array, Float32Array];
    expect(a).toHaveLength(384);
    expect(dot(a, a)).toBeCloseTo(1, 4);
    expect(dot(a, b)).toBeGreaterThan(dot(a, c) + 0.3);
    expect(usage?.inputTokens).toBeGreaterThan(10);
  });

  test('a text’s vector hardly depends on its batch, and order is kept', async () => {
    const texts = Array.from({ length: 40 }, (_, at) => `complaint ${'word '.repeat((at * 7) % 30)}${at}`);
    const { vectors } = await embed(texts);
    for (const at of [0, 13, 39]) {
      const { vectors: alone } = await embed([texts[at]!]);
      // int8 activations are scaled over a batch.
      expect(dot(vectors[at]!, alone[0]!)).toBeGreaterThan(0.97);
    }
  });

  test('a megabyte, an empty text and emoji embed too', async () => {
    const { vectors } = await embed(['brake '.repeat(170_000), '', '🚗🔥']);
    for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 3);
  });

  test('cuda asked for and not there is an error that says so', async () => {
    const cuda = await openOnnx('m', { ...settings, executionProviders: ['cuda'] }, { env: {}, modelsDir });
    const outcome = await cuda.model.embedder!.embed(['x'], never).then(
      () => 'cuda works here',
      (error: unknown) => error,
    );
    if (outcome !== 'cuda works here') {
      expect(outcome).toMatchObject({ code: 'backendMissing', message: expect.stringContaining('cuda') as string });
    }
    await cuda.close();
  });
});

const media = Buffer.from('GIF89a');
const uses = {
  minilm: (model) => model.embedder?.embed(['x'], never),
  'pp-ocr': (model) => model.ocr?.read(media, never),
  'efficientnet-lite0': (model) => model.imageClassifier?.classify(media, 1, never),
  'silero-vad': (model) => model.speechDetector?.detect(media, never),
} as const satisfies Record<string, (model: Model) => Promise<unknown> | undefined>;

test.each(Object.entries(uses))('%s that was not pulled says how to pull it', async (weights, use) => {
  const opened = await openOnnx('m', { ...settings, weights }, { env: {}, modelsDir: '/nowhere' });
  await expect(use(opened.model)).rejects.toMatchObject({
    code: 'weightsMissing',
    fate: 'fatal',
    message: expect.stringContaining(`fermata models pull ${weights}`) as string,
  });
  await opened.close();
});

test('weights of a chat model are no ONNX model', async () => {
  const opening = openOnnx('m', { ...settings, weights: 'smollm2-135m' }, { env: {}, modelsDir: '/nowhere' });
  await expect(opening).rejects.toMatchObject({ code: 'BadConfig' });
});
