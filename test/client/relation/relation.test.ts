import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import type { Fermata, RunOptions } from '../../../client/api.js';
import { openTable } from '../../../client/relation/open-table.js';
import type { Relation } from '../../../client/relation/relation.js';
import { column, literalSql, prompt, sql, type SqlLiteral } from '../../../client/relation/sql-text.js';
import { type Bench, openBench } from '../../support/sql-plan-executor.js';

interface Review {
  readonly id: bigint;
  readonly text: string;
  readonly city: string | null;
  readonly stars: number;
}

let bench: Bench;
beforeAll(async () => {
  bench = await openBench([
    'CREATE TABLE reviews(id BIGINT, text VARCHAR, city VARCHAR, stars INTEGER, "odd ""name{}" VARCHAR)',
    `INSERT INTO reviews VALUES (1, 'a', 'Oslo', 1, 'x'), (2, 'b', NULL, 2, 'y'), (3, 'c', 'Rome', 3, 'z'), (4, 'd', 'Oslo', 4, NULL)`,
  ]);
});
afterAll(() => bench.close());

const asked: [what: string, text: string, options: RunOptions | undefined][] = [];
const runner: Pick<Fermata, 'sql' | 'estimate'> = {
  sql: (text, options) => {
    asked.push(['sql', text, options]);
    return Promise.reject(new Error('not started'));
  },
  estimate: (text, options) => {
    asked.push(['estimate', text, options]);
    return Promise.reject(new Error('not estimated'));
  },
};
const reviews = openTable<Review>(runner, 'data/reviews.csv');
const movies = openTable<{ id: bigint; title: string; year: number }>(runner, 'movies', 'm.parquet');
const all = 'SELECT * FROM "reviews"';

const steps: readonly [name: string, relation: Relation<never> | Relation, expected: string][] = [
  ['nothing', reviews, all],
  [
    'conditions and filters go into one WHERE',
    reviews.where(sql`stars < ${4}`).semFilter("it's {text}").where({ city: 'Oslo' }),
    `${all} WHERE (stars < 4) AND AI_FILTER('it''s {text}') AND "city" = 'Oslo'`,
  ],
  [
    'values by null and by list',
    reviews.where({ city: null, stars: [1, 2], id: [] }).where({ city: ['Oslo', null] }),
    `${all} WHERE "city" IS NULL AND "stars" IN (1, 2) AND FALSE AND ("city" IN ('Oslo') OR "city" IS NULL)`,
  ],
  [
    'every option is a named argument',
    reviews.semClassify('c', 'text', ['a', { label: 'b', description: 'B' }], {
      multi: true,
      taskDescription: 'what?',
      model: 'm',
      examples: [{ input: 'i', output: 'a' }],
    }),
    `SELECT *, AI_CLASSIFY("text", ['a', {'label': 'b', 'description': 'B'}], multi => TRUE, task_description => 'what?', ` +
      `model => 'm', examples => [{'input': 'i', 'output': 'a'}]) AS "c" FROM "reviews"`,
  ],
  [
    'columns, order and limit',
    reviews
      .semMap('dish', '{text}', { a: ['x', 'y'] })
      .semScore('mood', '{text}', { min: -1, max: 1 })
      .select('id', 'dish', 'mood')
      .orderBy('mood', 'desc')
      .orderBy(sql`lower(city)`)
      .limit(3)
      .limit(9),
    `SELECT "id", AI_COMPLETE('{text}', type => {'a': ['x', 'y']}) AS "dish", AI_SCORE('{text}', min => (-1), max => 1) AS "mood" ` +
      `FROM "reviews" ORDER BY AI_SCORE('{text}', min => (-1), max => 1) DESC, (lower(city)) LIMIT 3`,
  ],
  [
    'a computed column stands for its call',
    reviews.semExtract('e', 'text', { q: 'What?' }).where({ e: 'x' }).semClassify('c', 'e', ['a', 'b']),
    `SELECT *, AI_EXTRACT("text", {'q': 'What?'}) AS "e", AI_CLASSIFY(AI_EXTRACT("text", {'q': 'What?'}), ['a', 'b']) AS "c" ` +
      `FROM "reviews" WHERE AI_EXTRACT("text", {'q': 'What?'}) = 'x'`,
  ],
  [
    'a column that nobody reads is not asked for',
    reviews.semMap('dish', '{text}').select('id'),
    'SELECT "id" FROM "reviews"',
  ],
  [
    'a column that is read below is computed there',
    reviews.semMap('dish', '{text}').semFilter('is {dish} hot?').select('id'),
    `SELECT "id" FROM (SELECT *, AI_COMPLETE('{text}') AS "dish" FROM "reviews" WHERE AI_FILTER('is {dish} hot?')) AS "reviews"`,
  ],
  [
    'a filter behind a limit sees the limited rows',
    reviews.orderBy('id').limit(2).semFilter('{text}?'),
    `SELECT * FROM (SELECT * FROM "reviews" ORDER BY "id" LIMIT 2) AS "reviews" WHERE AI_FILTER('{text}?')`,
  ],
  [
    'a value behind a limit needs no subquery, an order does',
    reviews.limit(2).semMap('a', '{text}').orderBy('id'),
    `SELECT * FROM (SELECT *, AI_COMPLETE('{text}') AS "a" FROM "reviews" LIMIT 2) AS "reviews" ORDER BY "id"`,
  ],
  [
    'top-k, ties by the order before',
    reviews.orderBy('id').semTopK(5, 'funny {text}?', { max: 10 }).semTopK(1, 'sad {text}?'),
    `SELECT * FROM (SELECT * FROM "reviews" ORDER BY AI_SCORE('funny {text}?', max => 10) DESC, "id" LIMIT 5) AS "reviews" ` +
      `ORDER BY AI_SCORE('sad {text}?') DESC LIMIT 1`,
  ],
  [
    'search',
    reviews.semSearch('text', 'plot', 2).select('id', 'score'),
    `SELECT "id", AI_SIMILARITY("text", 'plot') AS "score" FROM "reviews" WHERE "text" IS NOT NULL ORDER BY AI_SIMILARITY("text", 'plot') DESC LIMIT 2`,
  ],
  [
    'an aggregate over groups by a semantic label',
    reviews
      .semClassify('topic', 'text', ['a', 'b'])
      .semAgg('gist', 'text', 'sum up', { by: ['topic'] })
      .where({ topic: 'a' }),
    `SELECT * FROM (SELECT AI_CLASSIFY("text", ['a', 'b']) AS "topic", AI_AGG("text", 'sum up') AS "gist" FROM "reviews" ` +
      `GROUP BY AI_CLASSIFY("text", ['a', 'b'])) AS "reviews" WHERE "topic" = 'a'`,
  ],
  [
    'an aggregate over a prompt that reads a computed column',
    reviews.semMap('dish', '{text}').semAgg('gist', prompt`{dish}: {text}`, 'sum up'),
    `SELECT AI_AGG('{dish}: {text}', 'sum up') AS "gist" FROM (SELECT *, AI_COMPLETE('{text}') AS "dish" FROM "reviews") AS "reviews"`,
  ],
  [
    'labels that are found depend on the rows: what follows takes none away',
    reviews.semFilter('{text}?').semGroupBy('kind', 'text', 4).where({ kind: 'x' }),
    `SELECT * FROM (SELECT *, AI_GROUP("text", 4) AS "kind" FROM "reviews" WHERE AI_FILTER('{text}?')) AS "reviews" WHERE "kind" = 'x'`,
  ],
  [
    'entities',
    reviews.semDedup(['text', 'stars'], "the same author's", { within: ['city'], neighbours: 9 }).where({ entity: 1n }),
    `SELECT * FROM AI_DEDUP('reviews', ['text', 'stars'], 'the same author''s', within => ['city'], neighbours => 9) AS "reviews" WHERE "entity" = 1`,
  ],
  [
    'entities of rows that were filtered',
    reviews.semFilter('{text}?').semDedup('text', 'the same story', { keep: 'all' }).limit(3),
    `SELECT * FROM AI_DEDUP((SELECT * FROM "reviews" WHERE AI_FILTER('{text}?')), ['text'], 'the same story', keep => 'all') AS "reviews" LIMIT 3`,
  ],
  [
    'a join by meaning and by key, sides with conditions of their own',
    reviews
      .where({ stars: 1 })
      .semJoin(movies, '{reviews.text} is about {movies.title}', { on: [['id', 'id']], model: 'm' })
      .where({ 'movies.year': 1999 } as object),
    `SELECT * FROM (SELECT * FROM "reviews" WHERE "stars" = 1) AS "reviews" JOIN "movies" ON "reviews"."id" = "movies"."id" ` +
      `AND AI_FILTER('{reviews.text} is about {movies.title}', model => 'm') WHERE "movies"."year" = 1999`,
  ],
  [
    'an anti join of a relation with itself',
    reviews.semJoin(reviews.as('other'), '{reviews.text} = {other.text}', { kind: 'anti' }),
    `${all} ANTI JOIN "reviews" AS "other" ON AI_FILTER('{reviews.text} = {other.text}')`,
  ],
  [
    'a similarity join',
    reviews.semSimJoin(movies, { left: 'text', right: 'title', atLeast: 0.7 }),
    `${all} JOIN "movies" ON AI_SIMILARITY("reviews"."text", "movies"."title") >= 0.7`,
  ],
  [
    'another name keeps what was asked',
    reviews.limit(1).as('r'),
    `SELECT * FROM (SELECT * FROM "reviews" LIMIT 1) AS "r"`,
  ],
];

describe('the SQL of a relation', () => {
  test.each(steps)('%s', (_, relation, expected) => {
    expect(relation.toSql()).toBe(expected);
  });

  test('a method leaves the relation as it was', () => {
    reviews.where({ stars: 1 }).limit(1).semMap('x', '{text}');
    expect(reviews.toSql()).toBe(all);
  });

  test.each<[string, () => unknown, RegExp]>([
    ['a column twice', () => reviews.semMap('a', '{text}').semMap('A', '{text}'), /"A" already/],
    ['a selected column twice', () => reviews.select('id', 'id'), /twice/],
    ['no column', () => reviews.select(), /no column/],
    ['a column that was left out', () => (reviews.select('id') as Relation).orderBy('text'), /"text" any more/],
    [
      'a group by a column that was left out',
      () => (reviews.select('id') as Relation).semAgg('a', 'id', '', { by: ['text'] }),
      /any more/,
    ],
    ['a broken limit', () => reviews.limit(1.5), /whole number/],
    ['a negative k', () => reviews.semTopK(-1, '{text}'), /whole number/],
    ['no groups', () => reviews.semGroupBy('g', 'text', 0), /at least 1/],
    ['an empty condition', () => reviews.where({}), /empty/],
    ['two sides of one name', () => reviews.semJoin(reviews, '{text}'), /named "reviews"/],
    [
      'two files of one name',
      () => reviews.semJoin(openTable(runner, 'reviews', 'b.csv').as('b'), '{text}'),
      /two files/,
    ],
    [
      'a similarity out of bounds',
      () => reviews.semSimJoin(movies, { left: 'text', right: 'title', atLeast: 2 }),
      /between -1 and 1/,
    ],
    ['an endless number', () => reviews.where({ stars: NaN }), /no literal/],
    ['half a character', () => reviews.semFilter('{text} \ud800'), /surrogate/],
  ])('%s is refused at once', (_, build, message) => {
    expect(build).toThrow(expect.objectContaining({ code: 'BadArgument', message: expect.stringMatching(message) }));
  });
});

describe('values never become code', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom("'", "''--", '"', '{', '}}', '\\', '$$', "E'\\''", '😀', '/*'),
  );
  const sound = text.filter((value) => !value.includes('\0'));
  const scalar = fc.oneof(sound, fc.boolean(), fc.integer(), fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }));

  test('literals come back from DuckDB as they went in', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(scalar, { minLength: 1, maxLength: 6 }), async (values) => {
        const { rows } = await bench.query(`SELECT ${values.map((value) => literalSql(value)).join(', ')}`);
        expect(rows[0]?.map(String)).toEqual(values.map(String));
      }),
      { numRuns: 60 },
    );
  });

  test('a number with a sign begins no comment; lists, structs and dates have literals', async () => {
    const value: SqlLiteral = { 'a "b\'': [1, -2.5, null], when: new Date(Date.UTC(2024, 1, 29, 12, 0, 0, 5)) };
    const { rows } = await bench.query(sql`SELECT 1-${-1} AS a, ${value} AS b`.text);
    expect(JSON.stringify(rows)).toBe('[[2,{"a \\"b\'":["1.0","-2.5",null],"when":"2024-02-29 12:00:00.005"}]]');
  });

  test('a prompt says what was put in, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(sound, sound, async (value, label) => {
        const relation = reviews
          .semFilter(prompt`Is {text} about ${value}?`)
          .semClassify('c', 'text', [`a${label}`, 'b'], { instructions: `i${value}` });
        const plan = await bench.plan(relation.toSql());
        const [filter, classify] = plan.calls;
        expect(filter?.template).toBe(`Is {0} about ${value.replace(/[{}]/g, '$&$&')}?`);
        expect(classify).toMatchObject({
          parameters: { labels: [{ label: `a${label}` }, { label: 'b' }] },
          guidance: { instructions: `i${value}` },
        });
      }),
      { numRuns: 60 },
    );
  });

  test('a column is a name, whatever it is', async () => {
    const odd = 'odd "name{}';
    const relation = openTable<{ id: bigint; [odd]: string }>(runner, 'reviews.csv')
      .where({ [odd]: 'y' })
      .select('id');
    expect((await bench.query(relation.toSql())).rows).toEqual([['2']]);
    const called = openTable(runner, 'reviews.csv')
      .semClassify('c', odd, ['a', 'b'])
      .where(sql`${column('reviews', odd)} > 'x'`);
    const plan = await bench.plan(called.toSql());
    expect(plan.calls[0]).toMatchObject({ template: '{0}', inputs: [{ sql: 'reviews."odd ""name{}"' }] });
    expect(
      (await bench.query(plan.rows.sql.replace('__source', `(SELECT *, id AS __row FROM reviews)`))).rows,
    ).toHaveLength(2);
  });
});

test('one block gives what the steps give one by one', async () => {
  const model = (call: { parameters: { kind: string } }, [text = '']: readonly string[]) =>
    call.parameters.kind === 'filter' ? text !== 'b' : `d${text}`;
  const relation = reviews
    .semMap('dish', 'dish in {text}')
    .semFilter('{text} is good')
    .where({ dish: ['da', 'dc', 'db'] })
    .where(sql`stars < ${4}`)
    .orderBy('id', 'desc')
    .limit(5)
    .select('id', 'dish');
  const plan = await bench.plan(relation.toSql());
  expect((await bench.execute(plan, model as never)).rows).toEqual([
    ['3', 'dc'],
    ['1', 'da'],
  ]);
});

describe('running', () => {
  test('brings its tables, and passes the options on', async () => {
    const photos = openTable(runner, 'photos', { path: 'p.csv', image: ['photo'] });
    const tables = { photos: { path: 'p.csv', image: ['photo'] } };
    await expect(photos.semFilter('a cat? {photo}').rows({ budget: { calls: 3 } })).rejects.toThrow('not started');
    await expect(photos.estimate({ cache: false })).rejects.toThrow('not estimated');
    expect(asked).toEqual([
      ['sql', `SELECT * FROM "photos" WHERE AI_FILTER('a cat? {photo}')`, { budget: { calls: 3 }, tables }],
      ['estimate', 'SELECT * FROM "photos"', { cache: false, tables }],
    ]);
  });

  test.each([
    ['data/reviews.csv', 'reviews'],
    ['shop.duckdb#orders', 'orders'],
    ['photos', 'photos'],
  ])('%s is named %s', (path, name) => {
    expect(openTable(runner, path).toSql()).toBe(`SELECT * FROM "${name}"`);
  });
});

test('rows have the types that were asked for', () => {
  const typed = reviews
    .semMap('dish', '{text}')
    .semMap('stars2', '{text}', 'integer')
    .semMap('size', '{text}', ['small', 'large'])
    .semExtract('said', 'text', { who: 'Who?', n: 'integer: How many?', tags: 'string[]', sub: [{ ok: 'boolean' }] })
    .semClassify('topic', 'text', ['plot', { label: 'sound' }])
    .semClassify('topics', 'text', ['plot', 'sound'], { multi: true })
    .semScore('why', '{text}', { explain: true })
    .select('id', 'dish', 'stars2', 'size', 'said', 'topic', 'topics', 'why');
  type Row = Awaited<ReturnType<typeof typed.rows>>[number];
  expectTypeOf<Row['id']>().toEqualTypeOf<bigint>();
  expectTypeOf<Row['dish']>().toEqualTypeOf<string | null>();
  expectTypeOf<Row['stars2']>().toEqualTypeOf<bigint | null>();
  expectTypeOf<Row['size']>().toEqualTypeOf<'small' | 'large' | null>();
  expectTypeOf<Row['topic']>().toEqualTypeOf<'plot' | 'sound' | null>();
  expectTypeOf<Row['topics']>().toEqualTypeOf<readonly ('plot' | 'sound')[] | null>();
  expectTypeOf<Row['why']>().toEqualTypeOf<{ readonly answer: number; readonly explanation: string } | null>();
  type Said = NonNullable<Row['said']>;
  expectTypeOf<Said['who']>().toEqualTypeOf<string | null>();
  expectTypeOf<Said['n']>().toEqualTypeOf<bigint | null>();
  expectTypeOf<Said['tags']>().toEqualTypeOf<readonly (string | null)[] | null>();
  expectTypeOf<Said['sub']>().toEqualTypeOf<readonly { readonly ok: boolean | null }[] | null>();
  // @ts-expect-error a column that is not selected is gone
  expect(() => typed.orderBy('text')).toThrow();
});
