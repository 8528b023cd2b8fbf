import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fermata } from '../../client/api.js';
import { openProject, type Project } from '../support/project.js';
import { lackOf } from '../support/weights.js';

/**
 * Operators that local weights serve, through the real stack with real weights. Few rows, and plain ones: a call takes a
 * second or two. Of answers that a model of half a billion parameters cannot be held to, only the type is.
 */

const lack = (await lackOf('qwen2.5-coder-0.5b')) ?? (await lackOf('minilm'));
/** For machines that do other work. */
const patienceMs = 300_000;

const reviews = `id,text
1,"I loved this wonderful film."
2,"A terrible, boring film. I want my money back."
`;
const tables = { reviews: 'reviews.csv' };

describe.skipIf(lack !== undefined)(`local weights ${lack ?? ''}`, { timeout: patienceMs }, () => {
  let project: Project;
  let fermata: Fermata;
  beforeAll(async () => {
    /** Beside the fake endpoint, whose fields they must not have. */
    const none = undefined;
    const local = { model: none, baseUrl: none, apiKeyEnv: none, price: none, limits: none };
    project = await openProject({
      others: {
        small: { ...local, kind: 'llama', weights: 'qwen2.5-coder-0.5b', contextTokens: 1024 },
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
    const run = await fermata.sql(sql, { tables, model: 'small' });
    const rows = await run.rows();
    const { spend, errors } = await run.result();
    expect(errors.count).toBe(0);
    expect(project.endpoint.counts.calls).toBe(0);
    return { rows, spend };
  }

  test('AI_FILTER', async () => {
    const { rows, spend } = await ask(
      "SELECT id FROM reviews WHERE AI_FILTER('Does the writer like the film? {text}')",
    );
    expect(rows).toEqual([{ id: 1n }]);
    expect(spend).toMatchObject({ calls: 2, usd: 0, unpriced: 0 });
  });

  test('AI_CLASSIFY, of one and of several labels, and AI_SENTIMENT', async () => {
    const { rows } = await ask(
      "SELECT AI_CLASSIFY(text, ['praise', 'complaint']) AS one, AI_CLASSIFY(text, ['film', 'food'], {multi: true}) AS some, " +
        'AI_SENTIMENT(text) AS s FROM reviews WHERE id = 2',
    );
    expect(rows).toMatchObject([{ one: 'complaint', s: 'negative' }]);
    for (const label of rows[0]?.['some'] as readonly unknown[]) expect(['film', 'food']).toContain(label);
  });

  test('AI_EXTRACT, AI_COMPLETE and AI_SCORE keep to their types', async () => {
    const { rows } = await ask(
      "SELECT AI_EXTRACT(text, {kind: ['film', 'book'], liked: 'boolean'}) AS e, AI_COMPLETE('How many words? {text}', 'integer') AS n, " +
        "AI_SCORE('How happy is the writer, from 0 to 10? {text}') AS s FROM reviews WHERE id = 1",
    );
    const [{ e, n, s } = {}] = rows;
    expect(e).toMatchObject({ kind: 'film' });
    expect(typeof (e as Record<string, unknown>)['liked']).toBe('boolean');
    expect(typeof n).toBe('bigint');
    expect(Number(s) >= 0 && Number(s) <= 10).toBe(true);
  });

  test('AI_SUMMARIZE and AI_TRANSLATE write text', async () => {
    const { rows } = await ask(
      "SELECT AI_SUMMARIZE(text, 8) AS s, AI_TRANSLATE(text, 'en', 'de') AS d FROM reviews WHERE id = 1",
    );
    expect(String(rows[0]?.['s']).length).toBeGreaterThan(5);
    expect(String(rows[0]?.['d'])).toMatch(/\b(ein|eine|der|den|das|die|und|ich|diese[nrs]?)\b/i);
  });

  test('AI_AGG over groups', async () => {
    const { rows, spend } = await ask(
      "SELECT id % 2 AS odd, AI_AGG(text, 'Is the opinion of the film good or bad? One word.') AS a FROM reviews GROUP BY ALL ORDER BY odd",
    );
    expect(rows.map(({ odd }) => Number(odd))).toEqual([0, 1]);
    for (const { a } of rows) expect(String(a).length).toBeGreaterThan(2);
    expect(spend.calls).toBe(2);
  });

  test('AI_GROUP gives as many labels as asked for, and one of them to each row', async () => {
    const { rows } = await ask("SELECT AI_GROUP(text, 'by opinion', {k: 2}) AS label FROM reviews");
    const labels = rows.map(({ label }) => String(label));
    expect(labels).toHaveLength(2);
    for (const label of labels) expect(label).toMatch(/\w/);
  });

  test('top-k by comparisons', async () => {
    const run = await fermata.sql(
      "SELECT id FROM reviews ORDER BY AI_SCORE('How much does the writer like the film? {text}') DESC LIMIT 1",
      { tables, model: 'small', strategy: { kind: 'heap' } },
    );
    expect((await run.rows()).length).toBe(1);
    expect((await run.result()).spend.calls).toBe(1);
  });

  test('AI_EMBED, AI_SIMILARITY and AI_SEARCH', async () => {
    const run = await fermata.sql(
      "SELECT id, len(AI_EMBED(text)) AS n, AI_SIMILARITY(text, 'I loved it') > AI_SIMILARITY(text, 'It was boring') AS glad " +
        'FROM reviews ORDER BY id',
      { tables },
    );
    expect(await run.rows()).toEqual([
      { id: 1n, n: 384n, glad: true },
      { id: 2n, n: 384n, glad: false },
    ]);
    const found = await fermata.sql("SELECT id FROM AI_SEARCH('reviews', 'text', 'asks for a refund', 1)", { tables });
    expect(await found.rows()).toEqual([{ id: 2n }]);
  });
});
