/** Opens an encoded image: checks what it is and how large before any pixel is decoded. */
import type { Metadata } from 'sharp';
import { CallError } from '../../../../plans/protocol/call-errors.js';
import { sniffBuffer } from '../media-files.js';
import { bmpSize, readBmp } from './bmp.js';
import { loadSharp, type Sharp } from './sharp.js';

/**
 * Most pixels of an image that is read row by row, and of one that its format makes us hold whole (interlaced PNG,
 * progressive JPEG, GIF, BMP, a turned image other than JPEG): 100 megapixels of those take some 700 MB.
 */
export const pixelLimits = { streamed: 128e6, whole: 32e6 } as const;

export interface OpenedImage {
  /** A new pipeline that decodes the image: upright, sRGB, first frame of an animation. */
  pipeline(): Sharp;
  readonly mediaType: string;
  /** Upright, in pixels. */
  readonly width: number;
  readonly height: number;
  /** Whether it is as pipelines give it: upright, sRGB, opaque, without EXIF and the like. */
  readonly plain: boolean;
}

export function badMedia(message: string, cause?: unknown): CallError {
  return new CallError('badMedia', message, cause === undefined ? {} : { cause });
}

/** Throws `CallError` `badMedia` for what is no image, broken in its header, or too large. */
export async function openImage(bytes: Uint8Array): Promise<OpenedImage> {
  const sniffed = sniffBuffer(bytes);
  if (!sniffed.ok) throw badMedia(`the image ${sniffed.problem}`);
  const { mediaType, modality } = sniffed.kind;
  if (modality !== 'image') throw badMedia(`the image is ${mediaType}`);
  return mediaType === 'image/bmp' ? openBmp(bytes) : openEncoded(bytes, mediaType);
}

async function openEncoded(bytes: Uint8Array, mediaType: string): Promise<OpenedImage> {
  const sharp = await loadSharp();
  const options = { failOn: 'warning', limitInputPixels: pixelLimits.streamed, sequentialRead: true } as const;
  const meta = await sharp(bytes, { ...options, limitInputPixels: false })
    .metadata()
    .catch((error: unknown) => {
      throw brokenImage(error);
    });
  requireSize(meta.width, meta.height, heldWhole(meta) ? pixelLimits.whole : pixelLimits.streamed);
  const turned = (meta.orientation ?? 1) >= 5;
  return {
    pipeline: () => sharp(bytes, options).autoOrient().flatten({ background: '#ffffff' }).toColourspace('srgb'),
    mediaType,
    width: turned ? meta.height : meta.width,
    height: turned ? meta.width : meta.height,
    plain: isPlain(meta),
  };
}

function heldWhole({ isProgressive, format, orientation = 1 }: Metadata): boolean {
  return isProgressive || format === 'gif' || (orientation > 1 && format !== 'jpeg');
}

function isPlain({ orientation = 1, space, hasAlpha, exif, xmp, iptc, icc, pages = 1, depth }: Metadata): boolean {
  const tagged = exif ?? xmp ?? iptc ?? icc;
  return orientation === 1 && space === 'srgb' && !hasAlpha && tagged === undefined && pages === 1 && depth === 'uchar';
}

async function openBmp(bytes: Uint8Array): Promise<OpenedImage> {
  const sharp = await loadSharp();
  try {
    const { width, height } = bmpSize(bytes);
    requireSize(width, height, pixelLimits.whole);
    const { data } = readBmp(bytes);
    const raw = { width, height, channels: 3 } as const;
    return { pipeline: () => sharp(data, { raw }), mediaType: 'image/bmp', width, height, plain: false };
  } catch (error) {
    throw error instanceof CallError ? error : badMedia(`the image is ${(error as Error).message}`, error);
  }
}

function requireSize(width: number, height: number, limit: number): void {
  if (!(width > 0 && height > 0)) throw badMedia('the image has no pixels');
  if (width * height <= limit) return;
  const mega = (pixels: number): string => String(Math.round(pixels / 1e6));
  throw badMedia(`the image has ${mega(width * height)} megapixels (${width} × ${height}); ${mega(limit)} are read`);
}

/** The error for pixels that could not be decoded. */
export function brokenImage(error: unknown): CallError {
  if (error instanceof CallError) return error;
  const [said = ''] = (error as Error).message.split('\n').filter((line) => line.trim() !== '');
  return badMedia(`the image cannot be decoded: ${said.trim()}`, error);
}
