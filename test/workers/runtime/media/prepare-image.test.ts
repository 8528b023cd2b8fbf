import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { prepareImage } from '../../../../workers/runtime/media/image/prepare-image.js';

const solid = (
  width: number,
  height: number,
  background: string | { r: number; g: number; b: number; alpha: number } = '#2060a0',
) => sharp({ create: { width, height, channels: typeof background === 'string' ? 3 : 4, background } });
const prepare = (bytes: Uint8Array, maxSide = 1024) => prepareImage(bytes, { maxSide });
const pixel = async (bytes: Uint8Array, x: number, y: number) => {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * info.channels;
  return info.channels < 3 ? [data[at], data[at], data[at]] : [...data.subarray(at, at + 3)];
};
const near = (got: readonly (number | undefined)[], want: readonly number[], by = 6): void => {
  for (const [at, value] of want.entries()) expect(Math.abs((got[at] ?? -1) - value)).toBeLessThanOrEqual(by);
};

/** A PNG that states a size and holds next to nothing. */
function pngOf(width: number, height: number, interlaced: boolean): Buffer {
  const crcTable = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  const chunk = (name: string, body: Buffer): Buffer => {
    const typed = Buffer.concat([Buffer.from(name, 'latin1'), body]);
    let crc = 0xffffffff;
    for (const byte of typed) crc = (crcTable[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(body.length);
    sum.writeUInt32BE((crc ^ 0xffffffff) >>> 0);
    return Buffer.concat([length, typed, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, interlaced ? 1 : 0], 8);
  const magic = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const data = chunk('IDAT', deflateSync(Buffer.alloc(1000)));
  return Buffer.concat([magic, chunk('IHDR', header), data, chunk('IEND', Buffer.alloc(0))]);
}

function bmp(bits: 8 | 24 | 32): Buffer {
  const palette = bits === 8 ? 8 : 0;
  const stride = Math.ceil((3 * bits) / 32) * 4;
  const file = Buffer.alloc(54 + palette + stride * 2);
  file.write('BM');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54 + palette, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(3, 18);
  file.writeInt32LE(2, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(bits, 28);
  // Lower left pixel red, the others black.
  if (bits === 8) {
    file.writeUInt32LE(0x00ff0000, 54 + 4);
    file[54 + palette] = 1;
  } else file[54 + 2] = 255;
  return file;
}

describe('what is given out', () => {
  test('is cut to the longest side, keeps its shape, and is JPEG for a photograph, PNG for a drawing', async () => {
    const photo = await prepare(await solid(3000, 1500).jpeg().toBuffer());
    expect(photo).toMatchObject({ mediaType: 'image/jpeg', width: 1024, height: 512 });
    const drawing = await prepare(await solid(300, 600).png().toBuffer(), 200);
    expect(drawing).toMatchObject({ mediaType: 'image/png', width: 100, height: 200 });
    near(await pixel(drawing.bytes, 50, 100), [0x20, 0x60, 0xa0]);
  });

  test('is the very file where nothing is to be done', async () => {
    for (const bytes of [await solid(90, 60).jpeg().toBuffer(), await solid(90, 60).png().toBuffer()]) {
      expect((await prepare(bytes)).bytes).toEqual(bytes);
    }
  });

  test('stands upright, and says nothing of where a photo was taken', async () => {
    const exif = { IFD0: { Orientation: '6' }, IFD3: { GPSLatitude: '51/1 30/1 3230/100' } };
    const turned = await solid(80, 40).jpeg().withExif(exif).withMetadata({ orientation: 6 }).toBuffer();
    const made = await prepare(turned);
    expect(made).toMatchObject({ width: 40, height: 80 });
    expect((await sharp(made.bytes).metadata()).exif).toBeUndefined();
    const tagged = await solid(80, 40)
      .jpeg()
      .withExif({ IFD3: { GPSLatitude: '51/1 30/1 3230/100' } })
      .toBuffer();
    expect((await sharp((await prepare(tagged)).bytes).metadata()).exif).toBeUndefined();
  });

  test('is white where the source is transparent', async () => {
    const clear = await solid(20, 20, { r: 255, g: 0, b: 0, alpha: 0 }).png().toBuffer();
    near(await pixel((await prepare(clear)).bytes, 10, 10), [255, 255, 255]);
  });

  test('has the colours of gray, CMYK and 16-bit sources', async () => {
    const gray = await solid(20, 20, '#808080').toColourspace('b-w').png().toBuffer();
    near(await pixel((await prepare(gray)).bytes, 5, 5), [128, 128, 128]);
    const cmyk = await solid(20, 20, '#ff0000').toColourspace('cmyk').jpeg().toBuffer();
    const [red = 0, green = 0] = await pixel((await prepare(cmyk)).bytes, 5, 5);
    expect(red - green).toBeGreaterThan(120);
    const deep = await solid(20, 20, '#4080c0').toColourspace('rgb16').png().toBuffer();
    near(await pixel((await prepare(deep)).bytes, 5, 5), [0x40, 0x80, 0xc0]);
  });

  test('is the first frame of an animation', async () => {
    const frames = await Promise.all(['#ff0000', '#0000ff'].map((colour) => solid(30, 20, colour).raw().toBuffer()));
    const raw = { width: 30, height: 40, channels: 3, pageHeight: 20 } as const;
    for (const made of [sharp(Buffer.concat(frames), { raw }).gif(), sharp(Buffer.concat(frames), { raw }).webp()]) {
      const one = await prepare(await made.toBuffer());
      expect(one).toMatchObject({ width: 30, height: 20 });
      near(await pixel(one.bytes, 15, 10), [255, 0, 0], 12);
    }
  });

  test.each([8, 24, 32] as const)('has the pixels of a BMP of %i bits', async (bits) => {
    const made = await prepare(bmp(bits));
    expect(made).toMatchObject({ mediaType: 'image/png', width: 3, height: 2 });
    expect(await pixel(made.bytes, 0, 1)).toEqual([255, 0, 0]);
    expect(await pixel(made.bytes, 0, 0)).toEqual([0, 0, 0]);
  });
});

describe('what is refused', () => {
  const refused = (bytes: Uint8Array) =>
    expect(prepare(bytes)).rejects.toMatchObject({ name: 'CallError', code: 'badMedia', fate: 'row' });

  test('nothing, text, SVG, PDF and audio', async () => {
    const texts = ['', 'not an image', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', '%PDF-1.7\n'];
    for (const text of texts) await refused(Buffer.from(text));
    const wav = Buffer.alloc(60);
    wav.write('RIFF');
    wav.writeUInt32LE(52, 4);
    wav.write('WAVE', 8);
    await refused(wav);
  });

  test('a file cut short anywhere, or with bytes turned over', async () => {
    const noise = await sharp({
      create: {
        width: 200,
        height: 200,
        channels: 3,
        background: '#000',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .png()
      .toBuffer();
    const photo = await sharp(noise).jpeg().toBuffer();
    for (const bytes of [noise, photo, await sharp(noise).webp().toBuffer(), await sharp(noise).gif().toBuffer()]) {
      for (const share of [0.01, 0.3, 0.9]) await refused(bytes.subarray(0, Math.floor(bytes.length * share)));
      // With its end in place, the middle missing.
      const holed = Buffer.concat([bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length - 40)]);
      await refused(holed);
    }
    const flipped = Buffer.from(noise);
    for (let at = 1000; at < 3000; at++) flipped[at] = 255 - (flipped[at] ?? 0);
    await refused(flipped);
    await refused(bmp(24).subarray(0, 60));
  });

  test('more pixels than can be held, from the header alone', async () => {
    await expect(prepare(pngOf(30_000, 30_000, false))).rejects.toThrow('900 megapixels');
    await expect(prepare(pngOf(8_000, 8_000, true))).rejects.toThrow('64 megapixels');
  });
});

test('100 megapixels are read where the format lets them be', async () => {
  const huge = await sharp({ create: { width: 10_000, height: 10_000, channels: 3, background: '#205080' } })
    .jpeg()
    .toBuffer();
  const made = await prepare(huge);
  expect(made).toMatchObject({ width: 1024, height: 1024 });
  near(await pixel(made.bytes, 512, 512), [0x20, 0x50, 0x80]);
});
