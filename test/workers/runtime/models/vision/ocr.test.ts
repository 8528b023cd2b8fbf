import sharp, { type Sharp } from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { openOnnx } from '../../../../../workers/runtime/models/onnx/open.js';
import { lackOf, modelsDir } from '../../../../support/weights.js';
import { never } from '../requests.js';

const lack = await lackOf('pp-ocr');
const settings = {
  kind: 'onnx',
  weights: 'pp-ocr',
  executionProviders: ['cpu'],
  modalities: ['image'],
  limits: { concurrency: 1 },
} as const;

const invoice = [
  'INVOICE No. 2024-0815',
  'The quick brown fox jumps over the lazy dog.',
  'Total amount due: EUR 1,234.56',
  'Delivery date 17 March 2025',
  'Customer: Miller & Sons, 12 High Street',
];

interface Page {
  readonly size?: number;
  readonly rotate?: number;
  readonly ink?: string;
  readonly paper?: string;
  readonly font?: string;
}

function page({ size = 28, rotate = 0, ink = '#000', paper = '#fff', font = 'DejaVu Sans' }: Page = {}): Sharp {
  const lines = invoice.map((line, at) => `<text x="60" y="${90 + at * 80}">${line.replace('&', '&amp;')}</text>`);
  const text = `<g transform="rotate(${rotate} 500 260)" fill="${ink}" font-family="${font}" font-size="${size}">${lines.join('')}</g>`;
  return sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="520"><rect width="100%" height="100%" fill="${paper}"/>${text}</svg>`,
    ),
  );
}

/** Share of the expected characters that were read: 1 − edit distance / length. */
function accuracy(read: string, expected: string): number {
  let row = Array.from({ length: read.length + 1 }, (_, at) => at);
  for (const [i, letter] of Array.from(expected).entries()) {
    const next = [i + 1];
    for (let j = 0; j < read.length; j++) {
      const cost = read[j] === letter ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + cost, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return 1 - (row[read.length] ?? 0) / expected.length;
}

describe.skipIf(lack !== undefined)(`PP-OCR ${lack ?? ''}`, async () => {
  const opened = await openOnnx('ocr', settings, { env: {}, modelsDir });
  afterAll(() => opened.close());
  const read = async (image: Uint8Array) => {
    const reader = opened.model.ocr;
    if (reader === undefined) throw new Error('no reader');
    return reader.read(image, never);
  };

  const pages = [
    { name: 'PNG', image: page().png() },
    { name: 'JPEG of quality 60', image: page().jpeg({ quality: 60 }) },
    { name: 'white on blue', image: page({ ink: '#fff', paper: '#204080' }).png() },
    { name: 'turned by 5°', image: page({ rotate: 5 }).png() },
    { name: 'serif', image: page({ font: 'DejaVu Serif' }).webp() },
    { name: 'small type, 12 px', image: page({ size: 12 }).png() },
  ];
  for (const { name, image } of pages) {
    test(`reads 95 % of the characters of a page: ${name}`, async () => {
      const { lines } = await read(await image.toBuffer());
      expect(accuracy(lines.map(({ text }) => text).join('\n'), invoice.join('\n'))).toBeGreaterThanOrEqual(0.95);
      for (const { score } of lines) expect(score).toBeGreaterThan(0.8);
    });
  }

  test('boxes lie on the lines, in pixels of the upright image', async () => {
    const plain = await page().png().toBuffer();
    const { lines, width, height } = await read(plain);
    expect([width, height]).toEqual([1000, 520]);
    for (const [at, { box }] of lines.entries()) {
      const [a, , c] = box;
      const baseline = 90 + at * 80;
      expect(a.x).toBeGreaterThan(45);
      expect(a.x).toBeLessThan(65);
      expect(a.y).toBeLessThan(baseline - 14);
      expect(c.y).toBeGreaterThan(baseline - 2);
      expect(c.y).toBeLessThan(baseline + 24);
    }
    // The same page lying on its side, with EXIF that says so.
    const side = await sharp(plain).rotate(-90).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const turned = await read(side);
    expect([turned.width, turned.height]).toEqual([1000, 520]);
    expect(turned.lines.map(({ text }) => text)).toEqual(lines.map(({ text }) => text));
  });

  test('an image without text has no lines', async () => {
    for (const image of [
      page({ ink: '#fff' }).png(),
      sharp({ create: { width: 5, height: 3, channels: 3, background: '#888' } }).png(),
    ]) {
      expect((await read(await image.toBuffer())).lines).toEqual([]);
    }
  });

  test('what is no image is an error of the row', async () => {
    await expect(read(Buffer.from('%PDF-1.7'))).rejects.toMatchObject({ code: 'badMedia', fate: 'row' });
  });
});
