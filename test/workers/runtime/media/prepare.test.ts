import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import type { MediaRef, ObjectStore } from '../../../../activities/ports.js';
import { createMediaPreparer } from '../../../../workers/runtime/media/prepare.js';
import { LocalObjectStore } from '../../../../workers/runtime/objects/local.js';
import { sine, wav } from './clips.js';

const dir = await mkdtemp(join(tmpdir(), 'fermata-prepare-'));
afterAll(() => rm(dir, { recursive: true, force: true }));

/** A store that counts what is read from it. */
function counted(store: ObjectStore): { store: ObjectStore; reads: () => number } {
  let reads = 0;
  const counting = new Proxy(store, {
    get(target, name: keyof ObjectStore) {
      if (name === 'get' || name === 'localPath') reads++;
      return target[name].bind(target);
    },
  });
  return { store: counting, reads: () => reads };
}

const local = new LocalObjectStore({ kind: 'local', dir });
const photo = await sharp({ create: { width: 2000, height: 1000, channels: 3, background: '#336699' } })
  .jpeg()
  .toBuffer();
const image: MediaRef = { type: 'image', mediaType: 'image/jpeg', hash: await local.put(photo) };
const audio: MediaRef = {
  type: 'audio',
  mediaType: 'audio/wav',
  hash: await local.put(wav(sine(440, 1, 8_000), { rate: 8_000 })),
};

test('an image is prepared once, by this process and by the next', async () => {
  const { store, reads } = counted(local);
  const preparer = createMediaPreparer({ store });
  const [made, same] = await Promise.all([preparer.image(image), preparer.image(image)]);
  expect(made).toMatchObject({ type: 'image', mediaType: 'image/jpeg', width: 1024, height: 512 });
  expect(same).toEqual(made);
  expect(await createMediaPreparer({ store }).image(image)).toEqual(made);
  expect(reads()).toBe(1);
  expect((await sharp(await local.get(made.hash)).metadata()).width).toBe(1024);
  // What is prepared already stays what it is.
  expect((await preparer.image(made)).hash).toBe(made.hash);
});

test('what was prepared is found without being made, by these parameters alone', async () => {
  const { store, reads } = counted(local);
  const hash = await local.put(
    await sharp(await local.get(image.hash))
      .resize(50)
      .jpeg()
      .toBuffer(),
  );
  const fresh: MediaRef = { ...image, hash };
  expect(await createMediaPreparer({ store }).find(fresh)).toBeUndefined();
  expect(reads()).toBe(0);
  const made = await createMediaPreparer({ store: local }).image(fresh);
  expect(await createMediaPreparer({ store }).find(fresh)).toEqual(made);
  expect(await createMediaPreparer({ store, image: { maxSide: 9 } }).find(fresh)).toBeUndefined();
  expect(reads()).toBe(0);
});

test('other parameters give another object', async () => {
  const small = await createMediaPreparer({ store: local, image: { maxSide: 100 } }).image(image);
  expect(small).toMatchObject({ width: 100, height: 50 });
});

test('audio is prepared once', async () => {
  const { store, reads } = counted(local);
  const made = await createMediaPreparer({ store }).audio(audio);
  expect(made).toMatchObject({ type: 'audio', mediaType: 'audio/wav', seconds: 1 });
  expect(await createMediaPreparer({ store }).audio(audio)).toEqual(made);
  expect(reads()).toBe(1);
  expect((await local.get(made.hash)).length).toBe(44 + 32_000);
});

test('what cannot be prepared is an error each time, and leaves nothing', async () => {
  const hash = await local.put(Buffer.from('%PDF-1.7 and so on'));
  const preparer = createMediaPreparer({ store: local });
  for (let time = 0; time < 2; time++) {
    await expect(preparer.image({ type: 'image', mediaType: 'image/png', hash })).rejects.toMatchObject({
      code: 'badMedia',
    });
    await expect(preparer.audio({ type: 'audio', mediaType: 'audio/wav', hash })).rejects.toMatchObject({
      code: 'badMedia',
    });
  }
});
