import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fermata, RunOptions } from '../../client/api.js';
import { loadSettings } from '../../workers/config/load.js';
import { down } from '../../workers/embedded/stack.js';
import type { ChatCall } from '../support/endpoint.js';
import { openProject, type Project, reviews } from '../support/project.js';
import { lackOf } from '../support/weights.js';
import { sine, wav } from '../workers/runtime/media/clips.js';

/** Functions that specialised models answer, and prepared media, through the real stack; only the endpoint is a fake. */

const lack = await lackOf('minilm');
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
      tooLong: /endless/,
      transcript: (form) => `heard ${/name="language"\r\n\r\n(\w+)/.exec(form)?.[1] ?? 'something'}`,
      answer: (call) => {
        seen.push(call);
        return call.system.startsWith('Write down all text') ? 'SALE\n50 %' : '{"answer": true}';
      },
    },
    embedder: 'vectors',
    others: {
      vectors: { model: 'embed-1', task: 'embedding' },
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

type Tables = NonNullable<RunOptions['tables']>;

async function ask(sql: string, tables: Tables) {
  const { counts } = project.endpoint;
  const before = { ...counts };
  seen = [];
  const run = await fermata.sql(sql, { tables });
  const rows = await run.rows();
  const { spend, operators } = await run.result();
  const made = {
    chat: counts.chat - before.chat,
    embeddings: counts.embeddings - before.embeddings,
    embedded: counts.embedded - before.embedded,
    transcriptions: counts.transcriptions - before.transcriptions,
  };
  return { rows, spend, made, operators };
}

const nothing = { chat: 0, embeddings: 0, embedded: 0, transcriptions: 0 };

describe('AI_EMBED', () => {
  const sql = 'SELECT id, len(AI_EMBED(text)) AS n, typeof(AI_EMBED(text)) AS t FROM r ORDER BY id';

  test('embeds each distinct text once, many in a call, and nothing in a second run', async () => {
    const rows = `${reviews(300, { distinct: 150, tag: 'v' })}300,\n`;
    const tables = { r: await project.write('v.csv', rows) };
    const estimate = await fermata.estimate(sql, { tables });
    const first = await ask(sql, tables);
    expect(first.made.embedded).toBe(150);
    expect(first.made.embeddings).toBeLessThanOrEqual(8);
    expect(first.spend).toMatchObject({ calls: first.made.embeddings, failed: 0, unpriced: 0, answered: 150 });
    expect(first.spend.usd).toBeGreaterThan(0);
    expect(estimate.total.calls.expected).toBe(first.made.embeddings);
    expect(first.rows).toHaveLength(301);
    const vectors = await ask('SELECT AI_EMBED(text) AS v FROM r LIMIT 1', tables);
    const [{ v } = {}] = vectors.rows;
    expect(Array.from(v as Iterable<number>, (x) => x * x).reduce((a, b) => a + b)).toBeCloseTo(1, 5);
    expect(vectors.made).toEqual(nothing);
    expect(first.rows[0]).toMatchObject({ n: 8n, t: 'FLOAT[]' });
    expect(first.rows[300]).toMatchObject({ n: null });

    const second = await ask(sql, tables);
    expect(second.made).toEqual(nothing);
    expect(second.spend).toMatchObject({ calls: 0, cached: 150, usd: 0 });
    expect(second.spend.savedUsd).toBeCloseTo(first.spend.usd, 9);
    expect((await fermata.estimate(sql, { tables })).total.calls.expected).toBe(0);
  });

  test('other processes find the vectors, whichever call asks', async () => {
    const tables = { r: await project.write('w.csv', reviews(40, { tag: 'w' })) };
    await ask(sql, tables);
    await fermata.close();
    const { settings } = await loadSettings({ cwd: project.dir, env: project.env });
    await down(settings);
    fermata = await project.connect();
    const { made, rows } = await ask('SELECT id FROM r WHERE AI_SIMILARITY(text, text) > 0.999', tables);
    expect(made).toEqual(nothing);
    expect(rows).toHaveLength(40);
  });

  test('a text that the model refuses is an error of its row', async () => {
    const texts = Array.from({ length: 21 }, (_, id) => `${id},${id === 13 ? 'an endless text' : `fine text ${id}`}`);
    const tables = { r: await project.write('long.csv', `id,text\n${texts.join('\n')}\n`) };
    const { rows, spend } = await ask(sql, tables);
    expect(rows.filter(({ n }) => n === null).map(({ id }) => Number(id))).toEqual([13]);
    expect(spend).toMatchObject({ failed: 1, answered: 20 });
  });

  test('no row asks nothing', async () => {
    const tables = { r: await project.write('none.csv', reviews(3, { tag: 'none' })) };
    const { rows, made } = await ask('SELECT AI_EMBED(text) AS v FROM r WHERE id < 0', tables);
    expect(rows).toEqual([]);
    expect(made).toEqual(nothing);
  });

  test('a chat model cannot, and images need a model of their own: said before any call', async () => {
    const tables = { r: { path: await project.write('p.csv', 'id,text,pic\n1,a,\n'), image: ['pic'] } };
    const before = project.endpoint.counts.calls;
    for (const [call, message] of [
      ["AI_EMBED(text, {model: 'fake'})", /model fake cannot embed text/],
      ['AI_EMBED(pic)', /no configured model can embed images/],
      ["AI_PARSE(pic, {model: 'fake'})", /takes no image/],
    ] as const) {
      await expect(
        fermata.sql(`SELECT ${call} AS x FROM r`, { tables }).then((run) => run.result()),
      ).rejects.toMatchObject({
        code: 'ModalityUnsupported',
        message: expect.stringMatching(message) as string,
        hint: expect.stringMatching(/./) as string,
      });
    }
    expect(project.endpoint.counts.calls).toBe(before);
  });
});

describe('AI_SIMILARITY and AI_SEARCH', () => {
  test('a search gives the nearest rows, embeds the query once, and shares its vectors', async () => {
    const tables = { docs: await project.write('docs.csv', reviews(50, { tag: 'docs' })) };
    const { rows: all, made } = await ask(
      "SELECT id, AI_SIMILARITY(text, 'a bad film') AS s FROM docs ORDER BY s DESC, id",
      tables,
    );
    expect(made.embedded).toBe(51);
    expect(all.every(({ s }) => Math.abs(Number(s)) <= 1)).toBe(true);
    const found = await ask("SELECT id, score FROM AI_SEARCH('docs', 'text', 'a bad film', 5) AS s", tables);
    expect(found.rows).toEqual(all.slice(0, 5).map(({ id, s }) => ({ id, score: s })));
    expect(found.made).toEqual(nothing);
  });

  test.skipIf(lack !== undefined)(`MiniLM finds what is meant ${lack ?? ''}`, async () => {
    const texts = [
      'The engine would not start',
      'Soup was cold and the waiter rude',
      'The film was far too long',
      'Rain is expected on Sunday',
    ];
    const csv = `id,text\n${texts.map((text, id) => `${id},${text}`).join('\n')}\n`;
    const tables = { docs: await project.write('meant.csv', csv) };
    const search = (query: string): string =>
      `SELECT id FROM AI_SEARCH('docs', 'text', '${query}', 1, {model: 'minilm'})`;
    const nearest = [];
    for (const query of ['car trouble', 'a bad restaurant']) {
      nearest.push(Number((await ask(search(query), tables)).rows[0]?.['id']));
    }
    expect(nearest).toEqual([0, 1]);
  });
});

describe('media', () => {
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
    expect((await ask(sql, tables)).made).toEqual(nothing);
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
    expect((await ask(sql, tables)).made).toEqual(nothing);
  });

  test.skipIf(lackOfOcr !== undefined)(`AI_PARSE reads print by OCR ${lackOfOcr ?? ''}`, async () => {
    const text = ['Delivery date 17 March', 'Total amount due 42'];
    const lines = text.map((line, at) => `<text x="30" y="${60 + 70 * at}" font-size="28">${line}</text>`);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="500" height="180"><rect width="100%" height="100%" fill="#fff"/>${lines.join('')}</svg>`;
    await project.write('print.png', await sharp(Buffer.from(svg)).png().toBuffer());
    const tables = { i: { path: await project.write('print.csv', 'id,pic\n0,print.png\n1,\n'), image: ['pic'] } };
    const { rows, made, spend } = await ask('SELECT AI_PARSE(pic) AS t FROM i ORDER BY id', tables);
    expect(rows).toEqual([{ t: text.join('\n') }, { t: null }]);
    expect(made).toEqual(nothing);
    expect(spend).toMatchObject({ calls: 1, usd: 0, unpriced: 0 });
    expect((await ask('SELECT AI_PARSE(pic) AS t FROM i', tables)).spend).toMatchObject({ calls: 0, cached: 1 });
  });

  test('AI_PARSE asks a model that sees where it is named', async () => {
    await project.write('sale.png', await page(80, 50));
    const tables = { i: { path: await project.write('sale.csv', 'id,pic\n0,sale.png\n'), image: ['pic'] } };
    const { rows, made, operators } = await ask("SELECT AI_PARSE(pic, {model: 'eyes'}) AS t FROM i", tables);
    expect(rows).toEqual([{ t: 'SALE\n50 %' }]);
    expect(operators).toMatchObject([{ operator: 'parse', calls: 1, images: 1 }]);
    expect(made.chat).toBe(1);
    expect(seen[0]?.body['model']).toBe('sees-1');
  });
});
