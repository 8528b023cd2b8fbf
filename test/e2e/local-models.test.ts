import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fermata } from '../../client/api.js';
import { openProject, type Project } from '../support/project.js';
import { lackOf } from '../support/weights.js';

/** Operators that local weights serve, through the real stack with real weights: few and plain rows. */

const lack = (await lackOf('qwen2.5-coder-0.5b')) ?? (await lackOf('minilm'));

const reviews = `id,text
1,"I loved this film. The actors are wonderful and I cried with joy."
2,"What a terrible, boring film. I want my money back."
`;

describe.skipIf(lack !== undefined)(`local weights ${lack ?? ''}`, () => {
  let project: Project;
  let fermata: Fermata;
  beforeAll(async () => {
    /** Beside the fake endpoint, whose fields they must not have. */
    const none = undefined;
    const local = { model: none, baseUrl: none, apiKeyEnv: none, price: none, limits: none };
    project = await openProject({
      others: {
        small: { ...local, kind: 'llama', weights: 'qwen2.5-coder-0.5b', contextTokens: 2048 },
        vectors: { ...local, kind: 'onnx', weights: 'minilm' },
      },
      embedder: 'vectors',
    });
    await project.write('reviews.csv', reviews);
    fermata = await project.connect();
  });
  afterAll(async () => {
    await fermata.close();
    await project.close();
  });

  async function ask(sql: string) {
    const run = await fermata.sql(sql, { tables: { reviews: 'reviews.csv' }, model: 'small' });
    const rows = await run.rows();
    const { spend, errors } = await run.result();
    expect(errors.count).toBe(0);
    return { rows, spend };
  }

  test('AI_FILTER', async () => {
    const { rows, spend } = await ask(
      "SELECT id FROM reviews WHERE AI_FILTER('Does the writer like the film? {text}')",
    );
    expect(rows.map(({ id }) => id)).toEqual([1n]);
    expect(spend).toMatchObject({ calls: 2, usd: 0, unpriced: 0 });
  });

  test('AI_CLASSIFY and AI_SENTIMENT', async () => {
    const { rows } = await ask(
      "SELECT AI_CLASSIFY(text, ['praise', 'complaint']) AS c, AI_SENTIMENT(text) AS s FROM reviews ORDER BY id",
    );
    expect(rows).toEqual([
      { c: 'praise', s: 'positive' },
      { c: 'complaint', s: 'negative' },
    ]);
  });

  test('AI_CLASSIFY, several labels', async () => {
    const { rows } = await ask(
      "SELECT AI_CLASSIFY(text, ['acting', 'price'], {multi: true}) AS c FROM reviews LIMIT 1",
    );
    const [{ c } = {}] = rows;
    for (const label of c as readonly unknown[]) expect(['acting', 'price']).toContain(label);
  });

  test('AI_EXTRACT and AI_COMPLETE keep to their types', async () => {
    const { rows } = await ask(
      "SELECT AI_EXTRACT(text, {kind: ['film', 'book'], liked: 'boolean'}) AS e, AI_COMPLETE('Is {text} about 1 film or 2?', 'integer') AS n FROM reviews ORDER BY id",
    );
    expect(rows[0]?.['e']).toMatchObject({ kind: 'film', liked: true });
    for (const row of rows) expect(typeof row['n']).toBe('bigint');
  });

  test('AI_SCORE ranks the kind text first', async () => {
    const { rows } = await ask(
      "SELECT id, AI_SCORE('How happy is the writer, from 0 to 10? {text}') AS a FROM reviews ORDER BY a DESC LIMIT 2",
    );
    for (const row of rows) expect(Number(row['a'])).toBeGreaterThanOrEqual(0);
    expect(rows.map(({ id }) => id)).toEqual([1n, 2n]);
  });

  test('AI_SUMMARIZE and AI_TRANSLATE write text', async () => {
    const { rows } = await ask(
      "SELECT AI_SUMMARIZE(text, 8) AS s, AI_TRANSLATE(text, 'en', 'de') AS d FROM reviews WHERE id = 2",
    );
    const [{ s, d } = {}] = rows;
    expect(String(s).length).toBeGreaterThan(5);
    expect(String(d)).toMatch(/\b(ein|der|das|die|und|ich|Film)\b/i);
  });

  test('AI_EMBED, AI_SIMILARITY and AI_SEARCH', async () => {
    const { rows } = await fermata
      .sql(
        "SELECT id, len(AI_EMBED(text)) AS n, AI_SIMILARITY(text, 'a happy viewer') > AI_SIMILARITY(text, 'an angry customer') AS glad FROM reviews ORDER BY id",
        { tables: { reviews: 'reviews.csv' } },
      )
      .then(async (run) => ({ rows: await run.rows() }));
    expect(rows).toEqual([
      { id: 1n, n: 384n, glad: true },
      { id: 2n, n: 384n, glad: false },
    ]);
    const found = await fermata.sql("SELECT id FROM AI_SEARCH('reviews', 'text', 'asks for a refund', 1)", {
      tables: { reviews: 'reviews.csv' },
    });
    expect(await found.rows()).toEqual([{ id: 2n }]);
  });
});
