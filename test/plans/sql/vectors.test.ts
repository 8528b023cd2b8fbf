import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileTables } from '../../../plans/sql/tokens.js';
import type { FakeModel } from '../../support/sql-plan-executor.js';
import { type Bench, openBench } from '../../support/sql-plan-executor.js';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(
    [
      'CREATE TABLE docs(id INTEGER, txt VARCHAR, photo VARCHAR, clip VARCHAR)',
      "INSERT INTO docs VALUES (1, 'a', 'p', 'c'), (2, 'ab', 'p', 'c'), (3, NULL, 'p', 'c'), (4, 'b', 'p', 'c'), (5, 'bb', 'p', 'c')",
      'CREATE TABLE rated(id INTEGER, note VARCHAR, score INTEGER)',
      "INSERT INTO rated VALUES (1, 'a', 7), (2, 'b', 8)",
    ],
    { 'docs.photo': 'image', 'docs.clip': 'audio' },
  );
});
afterAll(() => bench.close());

/** How many a and b a text has, as a vector. */
const letters: FakeModel = (_, [text = '']) => [text.split('a').length - 1, text.split('b').length - 1];

async function run(sql: string) {
  const plan = await bench.plan(sql);
  return { plan, ...(await bench.execute(plan, letters)) };
}

describe('AI_EMBED', () => {
  test('is a FLOAT[] of the value as it stands, NULL for NULL', async () => {
    const { plan, rows } = await run('SELECT id, AI_EMBED(txt) AS v, typeof(AI_EMBED(txt)) AS t FROM docs LIMIT 3');
    expect(plan.calls).toMatchObject([{ parameters: { kind: 'embed' }, template: '{0}', output: { kind: 'vector' } }]);
    expect(rows).toEqual([
      [1, [1, 0], 'FLOAT[]'],
      [2, [1, 1], 'FLOAT[]'],
      [3, null, 'FLOAT[]'],
    ]);
  });

  test('takes an expression, a constant with braces in it, and the answer of another call', async () => {
    const { calls } = await bench.plan(
      "SELECT AI_EMBED('title: ' || txt) AS a, AI_EMBED('{no} column', {model: 'm'}) AS b, AI_EMBED(AI_TRANSCRIBE(clip, {language: 'DE'})) AS c FROM docs",
    );
    const embeds = calls.filter(({ parameters }) => parameters.kind === 'embed');
    expect(embeds.map(({ inputs }) => inputs[0]?.sql)).toEqual([
      "('title: ' || docs.txt)",
      "'{no} column'",
      expect.stringMatching(/__a_c\d/),
    ]);
    expect(embeds[1]?.model).toBe('m');
    expect(calls.find(({ parameters }) => parameters.kind === 'transcribe')).toMatchObject({
      parameters: { language: 'de' },
      inputs: [{ modality: 'audio' }],
    });
  });

  test('takes an image', async () => {
    const { calls } = await bench.plan('SELECT AI_EMBED(photo) AS v, AI_PARSE(photo) AS t FROM docs');
    expect(calls.map(({ parameters, inputs }) => [parameters.kind, inputs[0]?.modality])).toEqual([
      ['embed', 'image'],
      ['parse', 'image'],
    ]);
  });
});

describe('AI_SIMILARITY', () => {
  test('is the cosine of two embeddings, each text embedded once', async () => {
    const { plan, columns, rows } = await run(
      "SELECT id, AI_SIMILARITY(txt, 'a'), AI_SIMILARITY('a', txt) > 0.9 AS near, round(AI_SIMILARITY(txt, 'a'), 3) FROM docs",
    );
    expect(plan.calls).toHaveLength(2);
    expect(columns).toEqual(['id', 'ai_similarity', 'near', 'round(ai_similarity, 3)']);
    expect(rows.map(([id, s, near, r]) => [id, typeof s, near, r])).toEqual([
      [1, 'number', true, 1],
      [2, 'number', false, 0.707],
      [3, 'object', null, null],
      [4, 'number', false, 0],
      [5, 'number', false, 0],
    ]);
  });

  test('is a DOUBLE that filters, orders and stands beside other calls', async () => {
    const { rows } = await run(
      "SELECT id, typeof(AI_SIMILARITY(txt, 'b')) AS t FROM docs WHERE AI_SIMILARITY(txt, 'b') > 0.5 ORDER BY AI_SIMILARITY(txt, 'b') DESC, id LIMIT 2",
    );
    expect(rows).toEqual([
      [4, 'DOUBLE'],
      [5, 'DOUBLE'],
    ]);
  });

  test('reads answers of other calls, and hands its model on', async () => {
    const { calls } = await bench.plan(
      "SELECT AI_SIMILARITY(AI_SUMMARIZE(txt), AI_COMPLETE('sum up {txt}'), {model: 'm'}) AS s FROM docs",
    );
    expect(calls.filter(({ model }) => model === 'm').map(({ parameters }) => parameters.kind)).toEqual([
      'embed',
      'embed',
    ]);
    expect(calls).toHaveLength(4);
  });
});

describe('AI_SEARCH', () => {
  const search = "AI_SEARCH('docs', 'txt', 'a', 2)";

  test('finds the k rows nearest to the query, best first, without those that have no text', async () => {
    const { columns, rows, asked } = await run(`SELECT * FROM ${search}`);
    expect(columns).toEqual(['id', 'txt', 'photo', 'clip', 'score']);
    expect(rows.map(([id, text, , , score]) => [id, text, Number(score).toFixed(3)])).toEqual([
      [1, 'a', '1.000'],
      [2, 'ab', '0.707'],
    ]);
    expect(Object.values(asked).sort()).toEqual([4, 4]);
  });

  test.each([
    ["SELECT s.id FROM AI_SEARCH(docs, txt, 'b', 3) AS s WHERE s.score > 0.9 ORDER BY id DESC", [[5], [4]]],
    [`SELECT count(*) AS n, max(score) AS m FROM ${search}`, [['2', 1]]],
    [`SELECT id FROM ${search} s ORDER BY score LIMIT 1`, [[2]]],
    [`SELECT x FROM ${search} AS s(x, y)`, [[1], [2]]],
    [`SELECT DISTINCT txt FROM ${search} WHERE id <> 1`, [['ab']]],
    ["SELECT id FROM AI_SEARCH('docs', 'txt', 'a', 0)", []],
    ["SELECT id FROM AI_SEARCH('docs', 'txt', 'a', 99) WHERE txt LIKE 'b%'", [[4], [5]]],
    ["SELECT id, score, round(search_score) AS s FROM AI_SEARCH('rated', 'note', 'b', 1)", [[2, 8, 1]]],
    [`SELECT docs.id FROM docs JOIN ${search} AS s USING (id) WHERE docs.id > 1`, [[2]]],
    [
      `SELECT id, AI_SIMILARITY(txt, 'b') > 0.5 AS near FROM ${search} ORDER BY id`,
      [
        [1, false],
        [2, true],
      ],
    ],
    [`SELECT id, (SELECT max(id) FROM docs) AS m FROM ${search} WHERE id = 2`, [[2, 5]]],
  ])('%s', async (sql, wanted) => {
    expect((await run(sql)).rows).toEqual(wanted);
  });

  test('names a file as FROM does', () => {
    expect(fileTables("SELECT * FROM AI_SEARCH('a/docs.csv', 'txt', 'q', 3)")).toMatchObject([{ name: 'a/docs.csv' }]);
    expect(fileTables("SELECT * FROM AI_DEDUP('b.csv', 'txt', 'q')")).toMatchObject([{ name: 'b.csv' }]);
    expect(fileTables("SELECT AI_SIMILARITY(txt, 'q') FROM 't.csv'").map(({ name }) => name)).toEqual(['t.csv']);
  });
});

/** `«` stands where the error must point. */
test.each<[code: string, sql: string, message: RegExp]>([
  ['BadArgument', 'SELECT «AI_EMBED() FROM docs', /input is missing/],
  ['BadArgument', "SELECT AI_SIMILARITY(txt, 'a', «'b') FROM docs", /too many/],
  ['BadArgument', 'SELECT «AI_SIMILARITY(txt) FROM docs', /b is missing/],
  ['TypeMismatch', 'SELECT «AI_SIMILARITY(photo, txt) FROM docs', /image with text/],
  ['UnknownColumn', 'SELECT AI_SIMILARITY(txt, «tyt) FROM docs', /tyt/],
  ['BadArgument', "SELECT AI_TRANSCRIBE(clip, {language: «'German'}) FROM docs", /ISO 639-1/],
  ['UnknownTable', "SELECT * FROM AI_SEARCH(«'dogs', 'txt', 'q', 3)", /dogs/],
  ['UnknownColumn', "SELECT * FROM AI_SEARCH('docs', «'text', 'q', 3)", /text/],
  ['UnknownColumn', "SELECT «nothing FROM AI_SEARCH('docs', 'txt', 'q', 3)", /nothing/],
  ['TypeMismatch', "SELECT * FROM «AI_SEARCH('docs', 'photo', 'q', 3)", /image with text/],
  ['BadArgument', "SELECT * FROM AI_SEARCH('docs', 'txt', 'q', «-1)", /whole number/],
  ['BadArgument', "SELECT * FROM AI_SEARCH('docs', 'txt', 'q', «1.5)", /whole number/],
  ['BadArgument', "SELECT * FROM «AI_SEARCH('docs', 'txt', 'q')", /k is missing/],
  ['BadArgument', "SELECT * FROM AI_SEARCH('docs', 'txt', «id, 3)", /text literal/],
  ['UnsupportedSql', "SELECT «AI_SEARCH('docs', 'txt', 'q', 3)", /stands in FROM/],
])('%s: %s', async (code, marked, message) => {
  const position = marked.indexOf('«');
  await expect(bench.plan(marked.replace('«', ''))).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message) as string,
    where: { position },
  });
});
