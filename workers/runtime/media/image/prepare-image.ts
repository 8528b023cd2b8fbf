/** Images as endpoints take them. */
import type { OpenedImage } from './open-image.js';
import { brokenImage, openImage } from './open-image.js';

export interface ImagePreparation {
  /** Longest side of the result, in pixels; smaller images keep their size. */
  readonly maxSide: number;
}

export const defaultImagePreparation: ImagePreparation = { maxSide: 1024 };

export interface EncodedImage {
  readonly bytes: Uint8Array;
  readonly mediaType: 'image/jpeg' | 'image/png';
  readonly width: number;
  readonly height: number;
}

/** Formats of photographs; the others hold drawings and text as often as not, which JPEG blurs. */
const photographs = new Set(['image/jpeg', 'image/webp']);
/** High enough that a model sees no difference. */
const jpegQuality = 90;
const endpointTypes = new Set(['image/jpeg', 'image/png']);

/**
 * Decodes an image wholly and encodes it anew: upright, at most `maxSide` pixels a side, without metadata (a photo's place
 * is nobody's business), transparent parts white. What is that way already stays byte for byte.
 * Throws `CallError` `badMedia`.
 */
export async function prepareImage(bytes: Uint8Array, { maxSide }: ImagePreparation): Promise<EncodedImage> {
  const image = await openImage(bytes);
  try {
    if (image.plain && endpointTypes.has(image.mediaType) && Math.max(image.width, image.height) <= maxSide) {
      return await checked(image, bytes);
    }
    const resized = image
      .pipeline()
      .resize({ width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true });
    const photograph = photographs.has(image.mediaType);
    const encoded = photograph ? resized.jpeg({ quality: jpegQuality }) : resized.png();
    const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
    const { width, height } = info;
    return { bytes: data, mediaType: photograph ? 'image/jpeg' : 'image/png', width, height };
  } catch (error) {
    throw brokenImage(error);
  }
}

async function checked(image: OpenedImage, bytes: Uint8Array): Promise<EncodedImage> {
  await image.pipeline().raw().toBuffer();
  const { width, height } = image;
  return { bytes, mediaType: image.mediaType as EncodedImage['mediaType'], width, height };
}
