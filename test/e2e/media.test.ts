import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Fermata } from '../../client/api.js';
import { askCounted, noCalls } from '../support/counted.js';
import type { ChatCall } from '../support/endpoint.js';
import { openProject, type Project } from '../support/project.js';
import { lackOf } from '../support/weights.js';
import { sine, wav } from '../workers/runtime/media/clips.js';

/** Prepared media, and the functions that specialised models answer, through the real stack; only the endpoint is a fake. */

const lackOfOcr = await lackOf('pp-ocr');
/** Beside the fake models, whose fields it must not have. */
const none = undefined;
const ocr = { kind: 'onnx', weights: 'pp-ocr', model: none, baseUrl: none, apiKeyEnv: none, price: none };

let project: Project;
let fermata: Fermata;
let seen: ChatCall[] = [];

beforeAll(async () => {
  project = await openProject({
    endpoint: {
      transcript: (form) => `heard ${/name="language"\r\n\r\n(\w+)/.exec(form)?.[1] ?? 'something'}`,
      answer: (call) => {
        seen.push(call);
        return call.system.startsWith('Write down all text') ? 'SALE\n50 %' : '{"answer": true}';
      },
    },
    others: {
      ears: { model: 'whisper-1', task: 'transcription' },
      eyes: { model: 'sees-1', modalities: ['text', 'image'] },
      ...(lackOfOcr === undefined ? { reader: ocr } : {}),
    },
  });
  fermata = await project.connect();
});
afterAll(async () => {
  await fermata.close();
  await project.close();
});

function ask(sql: string, tables: Parameters<typeof askCounted>[3]) {
  seen = [];
  return askCounted(project, fermata, sql, tables);
}

test('AI_TRANSCRIBE: a clip is heard once, silence is empty, a broken clip is an error of its row', async () => {
  const speech = wav(sine(440, 1));
  await project.write('speech.wav', speech);
  await project.write('silent.wav', wav(new Float32Array(16_000)));
  // whole, and in a format that nobody knows
  const strange = Buffer.from(speech);
  strange.writeUInt16LE(0x9999, 20);
  await project.write('broken.wav', strange);
  const csv = 'id,clip\n0,speech.wav\n1,silent.wav\n2,\n3,speech.wav\n4,broken.wav\n';
  const tables = { c: { path: await project.write('clips.csv', csv), audio: ['clip'] } };
  const sql = "SELECT AI_TRANSCRIBE(clip, {language: 'de'}) AS said FROM c ORDER BY id";
  const { rows, made, spend } = await ask(sql, tables);
  expect(rows.map(({ said }) => said)).toEqual(['heard de', '', null, 'heard de', null]);
  expect(made.transcriptions).toBe(1);
  expect(spend.failed).toBe(1);
  expect((await ask(sql, tables)).made).toEqual(noCalls);
  // another language is another question
  const other = await ask('SELECT AI_TRANSCRIBE(clip) AS said FROM c WHERE id = 0', tables);
  expect(other.rows).toEqual([{ said: 'heard something' }]);
});

const page = async (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#fa0' } })
    .png()
    .toBuffer();

test('images are shrunk before they are sent, once, and a broken one is an error of its row', async () => {
  const large = await page(3000, 2000);
  await project.write('large.png', large);
  await project.write('small.png', await page(60, 40));
  const broken = Buffer.from(large);
  broken.fill(0xff, 60, large.length - 60);
  await project.write('broken.png', broken);
  const csv = 'id,pic\n0,large.png\n1,broken.png\n2,small.png\n3,\n';
  const tables = { i: { path: await project.write('pics.csv', csv), image: ['pic'] } };
  const sql = "SELECT id, AI_FILTER('Is it orange? {pic}', {model: 'eyes'}) AS ok FROM i ORDER BY id";
  const { rows, spend, made } = await ask(sql, tables);
  expect(rows.map(({ ok }) => ok)).toEqual([true, null, true, null]);
  expect(spend).toMatchObject({ calls: 2, failed: 1 });
  expect(made.chat).toBe(2);
  const sizes = await Promise.all(
    seen.map(async ({ body }) => {
      const [, data = ''] = /;base64,([^"]+)"/.exec(JSON.stringify(body)) ?? [];
      const { width, height } = await sharp(Buffer.from(data, 'base64')).metadata();
      return [width, height];
    }),
  );
  expect(sizes.sort()).toEqual([
    [1024, 683],
    [60, 40],
  ]);
  expect((await fermata.estimate(sql, { tables })).calls).toMatchObject([{ cached: 2 }]);
  expect((await ask(sql, tables)).made).toEqual(noCalls);
});

test.skipIf(lackOfOcr !== undefined)(`AI_PARSE reads print by OCR ${lackOfOcr ?? ''}`, async () => {
  const text = ['Delivery date 17 March', 'Total amount due 42'];
  const lines = text.map((line, at) => `<text x="30" y="${60 + 70 * at}" font-size="28">${line}</text>`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="500" height="180"><rect width="100%" height="100%" fill="#fff"/>${lines.join('')}</svg>`;
  await project.write('print.png', await sharp(Buffer.from(svg)).png().toBuffer());
  const tables = { i: { path: await project.write('print.csv', 'id,pic\n0,print.png\n1,\n'), image: ['pic'] } };
  const { rows, made, spend } = await ask('SELECT AI_PARSE(pic) AS t FROM i ORDER BY id', tables);
  expect(rows).toEqual([{ t: text.join('\n') }, { t: null }]);
  expect(made).toEqual(noCalls);
  expect(spend).toMatchObject({ calls: 1, usd: 0, unpriced: 0 });
  expect((await ask('SELECT AI_PARSE(pic) AS t FROM i', tables)).spend).toMatchObject({ calls: 0, cached: 1 });
});

test('AI_PARSE asks a model that sees where it is named', async () => {
  await project.write('sale.png', await page(80, 50));
  const tables = { i: { path: await project.write('sale.csv', 'id,pic\n0,sale.png\n'), image: ['pic'] } };
  const { rows, made } = await ask("SELECT AI_PARSE(pic, {model: 'eyes'}) AS t FROM i", tables);
  expect(rows).toEqual([{ t: 'SALE\n50 %' }]);
  expect(made.chat).toBe(1);
  expect(seen[0]?.body['model']).toBe('sees-1');
});
