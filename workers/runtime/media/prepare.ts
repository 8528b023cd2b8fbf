/** Media in the form that models take, made once and kept in the store. */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { MediaPreparer, MediaRef, ObjectStore, PreparedAudio, PreparedImage } from '../../../activities/ports.js';
import { parseJson } from '../../../plans/protocol/json.js';
import { audioForm, prepareAudio } from './audio/prepare-audio.js';
import { defaultImagePreparation, type ImagePreparation, prepareImage } from './image/prepare-image.js';

export interface MediaPreparerOptions {
  readonly store: ObjectStore;
  /** Default: 1024 pixels a side. */
  readonly image?: ImagePreparation;
}

type Prepared = PreparedImage | PreparedAudio;
type Make<T> = (source: MediaRef) => Promise<T>;

/** Prepared media whose record this process remembers; the media themselves are in the store. */
const remembered = 20_000;
/** Part of each record's name: raised when the same parameters give other bytes. */
const version = 1;

/**
 * @example
 * const preparer = createMediaPreparer({ store });
 * const { hash, mediaType } = await preparer.image(ref);
 */
export function createMediaPreparer({ store, image = defaultImagePreparation }: MediaPreparerOptions): MediaPreparer {
  const forms = { image: formOf(image), audio: formOf(audioForm) };
  const known = new LRUCache<string, Promise<Prepared>>({ max: remembered });

  async function find<T extends Prepared>(name: string): Promise<T | undefined> {
    const record = await store.getNamed(name);
    if (record === undefined) return undefined;
    const parsed = parseJson(Buffer.from(record).toString('utf8'));
    const found = parsed.ok ? (parsed.value as unknown as T) : undefined;
    // The object may have been removed since.
    return found !== undefined && (await store.has(found.hash)) ? found : undefined;
  }

  const nameOf = (kind: MediaRef['type'], { hash }: MediaRef): string => `prepared/${kind}-${forms[kind]}/${hash}`;

  /** One making for all who ask at the same time; the record is found again by other processes. */
  function once<T extends Prepared>(kind: MediaRef['type'], make: Make<T>): Make<T> {
    return (source) => {
      const name = nameOf(kind, source);
      const pending = known.get(name) as Promise<T> | undefined;
      if (pending !== undefined) return pending;
      const making = (async () => {
        const found = await find<T>(name);
        if (found !== undefined) return found;
        const made = await make(source);
        await store.putNamed(name, Buffer.from(JSON.stringify(made)));
        return made;
      })();
      known.set(name, making);
      making.catch(() => known.delete(name));
      return making;
    };
  }

  return {
    image: once('image', async (source) => {
      const { bytes, mediaType, width, height } = await prepareImage(await store.get(source.hash), image);
      return { type: 'image', mediaType, hash: await store.put(bytes), width, height };
    }),
    audio: once('audio', async (source) => {
      const input = { path: await store.localPath(source.hash) };
      return prepareAudio(input, async (clip) => {
        const { path, ...measured } = clip;
        return { type: 'audio', mediaType: 'audio/wav', hash: (await store.putFile(path)).hash, ...measured };
      });
    }),
    find: (source) => find(nameOf(source.type, source)),
  };
}

/** Stands for the parameters of a preparation in the names of its records. */
function formOf(parameters: object): string {
  return createHash('sha256')
    .update(JSON.stringify([version, parameters]))
    .digest('hex')
    .slice(0, 16);
}
