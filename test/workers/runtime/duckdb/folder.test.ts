import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorkshop, type Workshop } from '../../../support/relations.js';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const flac = Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(60)]);

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

async function folder(files: Readonly<Record<string, Buffer>>) {
  const rows = [];
  for (const [path, bytes] of Object.entries(files)) {
    const name = path.split('/').at(-1);
    rows.push({ path: `/data/pics/${path}`, name, object: await workshop.store.put(bytes), bytes: bytes.length });
  }
  return workshop.snapshot(JSON.stringify({ v: 1, rows }), 'folder', { path: '/data/pics' });
}

test('images become rows; other files are passed over', async () => {
  const table = await folder({ 'a.png': png, 'notes.txt': Buffer.from('hello'), 'more/b.png': png });
  expect(table.rows).toBe(2);
  expect(table.columns.find(({ name }) => name === 'file')?.modality).toBe('image');
  expect(table.columns.map(({ name }) => name)).toEqual(['path', 'name', 'file', 'bytes', 'media_type']);
});

test('audio files too', async () => {
  const table = await folder({ 'a.flac': flac });
  expect(table.columns.find(({ name }) => name === 'file')?.modality).toBe('audio');
});

test.each([
  ['a broken image', { 'a.png': png, 'b.png': png.subarray(0, 60) }, 'BadMedia', 'b.png'],
  ['a text by the name of an image', { 'a.png': Buffer.from('no') }, 'BadMedia', 'a.png'],
  ['both kinds', { 'a.png': png, 'a.flac': flac }, 'BadData', 'both'],
  ['no media', { 'a.txt': Buffer.from('no') }, 'BadData', 'neither'],
])('%s is told', async (_, files, code, word) => {
  await expect(folder(files)).rejects.toMatchObject({ code, message: expect.stringContaining(word) });
});
