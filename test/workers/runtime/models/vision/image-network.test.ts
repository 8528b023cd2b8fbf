import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { openOnnx } from '../../../../../workers/runtime/models/onnx/open.js';
import { lackOf, modelsDir } from '../../../../support/weights.js';
import { never } from '../requests.js';

const lack = await lackOf('efficientnet-lite0');
const settings = {
  kind: 'onnx',
  weights: 'efficientnet-lite0',
  executionProviders: ['cpu'],
  modalities: ['image'],
  limits: { concurrency: 1 },
} as const;
const photos = join(process.env['FERMATA_DATA'] ?? '', 'gcompris-photos', 'images');
const names = process.env['FERMATA_DATA'] === undefined ? [] : await readdir(photos).catch(() => []);

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0);

describe.skipIf(lack !== undefined)(`EfficientNet-Lite0 ${lack ?? ''}`, async () => {
  const opened = await openOnnx('images', settings, { env: {}, modelsDir });
  afterAll(() => opened.close());
  const classifier = opened.model.imageClassifier!;
  const embedder = opened.model.imageEmbedder!;
  const plain = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#aa3311' } })
    .png()
    .toBuffer();

  test('probabilities of all labels sum to 1, likeliest first, and k is cut to what there is', async () => {
    const all = await classifier.classify(plain, 5_000, never);
    expect(all).toHaveLength(1_000);
    expect(all.reduce((sum, { score }) => sum + score, 0)).toBeCloseTo(1, 3);
    expect(all.map(({ score }) => score)).toEqual(all.map(({ score }) => score).sort((a, b) => b - a));
    expect(await classifier.classify(plain, 3, never)).toEqual(all.slice(0, 3));
    expect(await classifier.classify(plain, 0, never)).toEqual([]);
    expect(await classifier.labels()).toHaveLength(1_000);
  });

  test('vectors have length 1, depend on no batch, and hardly on format', async () => {
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480"><rect width="100%" height="100%" fill="#cde"/>
      <circle cx="320" cy="240" r="150" fill="#e33"/><rect x="40" y="60" width="180" height="90" fill="#284"/></svg>`;
    const png = await sharp(Buffer.from(drawing)).png().toBuffer();
    const jpeg = await sharp(png).jpeg({ quality: 95 }).toBuffer();
    const images = [png, jpeg, ...Array.from({ length: 9 }, () => plain)];
    const { vectors } = await embedder.embed(images, never);
    expect(vectors).toHaveLength(images.length);
    for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 4);
    expect(dot(vectors[0]!, vectors[1]!)).toBeGreaterThan(0.95);
    expect(dot(vectors[0]!, vectors[2]!)).toBeLessThan(0.9);
    const { vectors: alone } = await embedder.embed([plain], never);
    expect(dot(vectors[10]!, alone[0]!)).toBeCloseTo(1, 4);
    expect(embedder.dimensions).toBe(vectors[0]!.length);
  });

  test('what is no image is an error of the row', async () => {
    await expect(classifier.classify(Buffer.from('GIF89a'), 1, never)).rejects.toMatchObject({ code: 'badMedia' });
  });

  const animals = [
    ['cat', /cat|tabby|lynx/i],
    ['dog', /dog|retriever|terrier|hound|shepherd|spaniel|collie|husky|malamute|poodle|setter|pug/i],
    ['chicken', /hen|cock|rooster/i],
    ['bison', /bison/i],
    ['crocodile', /crocodile|alligator/i],
    ['chameleon', /chameleon/i],
    ['zebra', /zebra/i],
  ] as const;
  test.skipIf(names.length === 0)('photographs of animals (skipped without FERMATA_DATA)', async () => {
    const present = animals.filter(([name]) => names.includes(`${name}.webp`));
    expect(present.length).toBeGreaterThan(3);
    let right = 0;
    for (const [name, pattern] of present) {
      const classes = await classifier.classify(await readFile(join(photos, `${name}.webp`)), 5, never);
      if (classes.some(({ label }) => pattern.test(label))) right++;
    }
    expect(right / present.length).toBeGreaterThanOrEqual(0.8);
  });
});
