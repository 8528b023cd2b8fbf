import type { Sharp, SharpOptions } from 'sharp';
import { CallError } from '../../../../plans/protocol/call-errors.js';

export type { Sharp };

type SharpFactory = (input: Uint8Array, options?: SharpOptions) => Sharp;
let loading: Promise<SharpFactory> | undefined;

/** The image library, loaded with the first image. Throws `CallError` `backendMissing`. */
export function loadSharp(): Promise<SharpFactory> {
  loading ??= import('sharp').then(
    ({ default: sharp }) => {
      // Images are seen once: what libvips would keep of them is memory lost.
      sharp.cache(false);
      return sharp;
    },
    (error: unknown) => {
      loading = undefined;
      throw new CallError('backendMissing', `images need the package sharp: ${(error as Error).message}`);
    },
  );
  return loading;
}
