import type { MediaRef } from '../protocol/model.js';

const pattern = /^object:((?:image|audio)\/[a-z0-9.+-]+):([0-9a-f]{64})$/;

/**
 * How a snapshot names an image or audio clip: the media type and the hash of its bytes, so that prompts are keyed and
 * priced without reading them.
 *
 * @example
 * formatMediaRef({ type: 'image', mediaType: 'image/png', hash }) // 'object:image/png:3fc9…'
 */
export function formatMediaRef(ref: Pick<MediaRef, 'mediaType' | 'hash'>): string {
  return `object:${ref.mediaType}:${ref.hash}`;
}

/** Undefined for a text that is not such a reference. */
export function parseMediaRef(text: string): MediaRef | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, mediaType = '', hash = ''] = match;
  return { type: mediaType.startsWith('image/') ? 'image' : 'audio', mediaType, hash };
}
