/** From decoded images to the planes that vision models take. */
import { brokenImage, type OpenedImage } from '../../media/image/open-image.js';
import type { Sharp } from '../../media/image/sharp.js';

export interface Pixels {
  /** RGB, row by row, 8 bits a channel. */
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Decodes an image through `shape`. Throws `CallError` `badMedia`. */
export async function pixelsOf(image: OpenedImage, shape: (pipeline: Sharp) => Sharp): Promise<Pixels> {
  try {
    const { data, info } = await shape(image.pipeline()).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    return { data: channels === 3 ? data : grayToRgb(data), width, height };
  } catch (error) {
    throw brokenImage(error);
  }
}

function grayToRgb(gray: Uint8Array): Uint8Array {
  const rgb = new Uint8Array(gray.length * 3);
  for (const [at, value] of gray.entries()) rgb.fill(value, at * 3, at * 3 + 3);
  return rgb;
}

/** Writes (value / 255 − mean) / deviation of each channel as one plane after the other, from `offset` of `planes`. */
export function writePlanes(
  { data }: Pixels,
  planes: Float32Array,
  offset: number,
  normal: { readonly mean: readonly number[]; readonly deviation: readonly number[] },
): void {
  const size = data.length / 3;
  for (let channel = 0; channel < 3; channel++) {
    const mean = normal.mean[channel] ?? 0;
    const deviation = normal.deviation[channel] ?? 1;
    for (let at = 0; at < size; at++) {
      planes[offset + channel * size + at] = ((data[at * 3 + channel] ?? 0) / 255 - mean) / deviation;
    }
  }
}
