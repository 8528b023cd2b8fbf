import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fermata } from '../../client/api.js';
import { loadSettings } from '../../workers/config/load.js';
import { down } from '../../workers/embedded/stack.js';
import { askCounted, noCalls } from '../support/counted.js';
import { openProject, type Project, reviews } from '../support/project.js';
import { lackOf } from '../support/weights.js';

/** Vectors through the real stack; only the endpoint is a fake. */

const lack = await lackOf('minilm');
let project: Project;
let fermata: Fermata;

beforeAll(async () => {
  project = await openProject({
    endpoint: { tooLong: /endless/ },
    embedder: 'vectors',
    others: { vectors: { model: 'embed-1', task: 'embedding' } },
  });
  fermata = await project.connect();
});
afterAll(async () => {
  await fermata.close();
  await project.close();
});

const ask = (sql: string, tables: Parameters<typeof askCounted>[3]) => askCounted(project, fermata, sql, tables);

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
    expect(vectors.made).toEqual(noCalls);
    expect(first.rows[0]).toMatchObject({ n: 8n, t: 'FLOAT[]' });
    expect(first.rows[300]).toMatchObject({ n: null });

    const second = await ask(sql, tables);
    expect(second.made).toEqual(noCalls);
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
    expect(made).toEqual(noCalls);
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
    expect(made).toEqual(noCalls);
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
    expect(found.made).toEqual(noCalls);
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
