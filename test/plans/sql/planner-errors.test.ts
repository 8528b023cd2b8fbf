import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorCode, FermataError } from '../../../plans/protocol/errors.js';
import { type Bench, openBench } from '../../support/sql-plan-executor.js';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(
    [
      'CREATE TABLE reviews(id INTEGER, review VARCHAR, movie VARCHAR, photo VARCHAR, raw BLOB, tags VARCHAR[])',
      'CREATE TABLE movies(name VARCHAR, year INTEGER)',
      'CREATE TABLE odd(__row INTEGER, txt VARCHAR)',
    ],
    { 'reviews.photo': 'image' },
  );
});
afterAll(() => bench.close());

async function errorOf(sql: string): Promise<FermataError> {
  try {
    await bench.plan(sql);
  } catch (error) {
    if (FermataError.is(error)) return error;
    throw error;
  }
  throw new Error(`planned: ${sql}`);
}

/** [code, the query with « before the place that the error must point at, a word of the hint] */
const cases: [ErrorCode, string, RegExp?][] = [
  // prompts
  ['PromptWithoutColumn', "SELECT id FROM reviews WHERE AI_FILTER(«'is positive')", /braces/],
  ['PromptWithoutColumn', "SELECT id FROM reviews WHERE AI_FILTER(«'a {{review}} b')"],
  ['PromptWithoutColumn', "SELECT id FROM reviews WHERE AI_FILTER('is ' «|| 'positive')"],
  ['PromptWithoutColumn', "SELECT id FROM reviews WHERE AI_FILTER(«upper('is positive'))"],
  ['PromptWithoutColumn', "SELECT AI_COMPLETE(«PROMPT('hello')) FROM reviews"],
  ['PromptWithoutColumn', "SELECT AI_CLASSIFY(«'great', ['a','b']) FROM reviews"],
  ['PromptWithoutColumn', "SELECT AI_EXTRACT(«'great', {a: 'integer'}) FROM reviews"],
  ['PromptWithoutColumn', "SELECT AI.SCORE(«('great', '!')) FROM reviews"],
  ['PromptWithoutColumn', "SELECT llm_complete({'model_name': 'm'}, {«'prompt': 'hi'}) FROM reviews"],
  ['PromptWithoutColumn', "SELECT AI_FILTER(«PROMPT('{0}', upper('x'))) FROM reviews"],
  ['PromptWithoutColumn', "SELECT AI_FILTER(«('a', 5)) FROM reviews"],
  ['PromptWithoutColumn', "SELECT 1 AS one, AI_FILTER(«'{one}') FROM reviews"],
  [
    'PromptWithoutColumn',
    "SELECT llm_filter({'model_name': 'm'}, {«'prompt': 'x', 'context_columns': [{'data': 'y'}]}) FROM reviews",
  ],
  ['BadArgument', 'SELECT AI_FILTER(«5) FROM reviews'],
  ['BadArgument', 'SELECT AI_FILTER(«NULL) FROM reviews'],
  ['UnknownColumn', "SELECT id FROM reviews WHERE AI_FILTER('is «{reveiw} positive')", /"review"/],
  ['UnknownColumn', "SELECT '😀', id FROM reviews WHERE AI_FILTER('it''s «{reveiw} 😀')", /"review"/],
  ['UnknownColumn', "SELECT id FROM reviews WHERE AI_FILTER($$it's «{reveiw}$$)", /"review"/],
  ['UnknownColumn', "SELECT id FROM reviews r WHERE AI_FILTER('is «{reviews.review} positive')"],
  ['UnknownColumn', "SELECT id FROM reviews WHERE AI_FILTER('is «{} positive')"],
  ['UnknownColumn', "SELECT id FROM reviews WHERE AI_FILTER('is «{0} positive')", /PROMPT/],
  ['UnknownColumn', 'SELECT id FROM reviews WHERE AI_FILTER(\'JSON like «{"a": 1} of {review}\')', /\{\{/],
  ['UnknownColumn', "SELECT id FROM reviews WHERE AI_FILTER('good' || «reveiw)", /"review"/],
  ['UnknownColumn', 'SELECT id FROM reviews WHERE AI_FILTER(«"is it good" || review)', /single quotes/],
  ['BadArgument', "SELECT id FROM reviews WHERE AI_FILTER('is «{review positive')", /\{\{/],
  ['BadArgument', "SELECT id FROM reviews WHERE AI_FILTER('is {review}«} positive')", /\}\}/],
  ['BadArgument', "SELECT id FROM reviews WHERE AI_FILTER(PROMPT('is «{1} positive', review))", /\{0\}/],
  ['BadArgument', "SELECT id FROM reviews WHERE AI_FILTER(PROMPT('is {0} positive', review, «movie))", /\{1\}/],
  ['BadArgument', 'SELECT id FROM reviews WHERE AI_FILTER(«PROMPT(review))'],
  ['UnknownFunction', "SELECT «PROMPT('{0}', review) FROM reviews"],
  // arguments
  ['BadArgument', 'SELECT «AI_FILTER() FROM reviews'],
  ['BadArgument', "SELECT AI_FILTER('{review}', «'x') FROM reviews"],
  ['BadArgument', "SELECT AI_FILTER('{review}', {modle: «'x'}) FROM reviews", /"model"/],
  ['BadArgument', "SELECT AI_FILTER('{review}', {model: «5}) FROM reviews"],
  ['BadArgument', "SELECT AI_FILTER('{review}', model => «'') FROM reviews"],
  ['BadArgument', "SELECT AI_FILTER(«'{review}', prompt => '{review}') FROM reviews"],
  ['BadArgument', 'SELECT AI_FILTER(review, «movie) FROM reviews'],
  ['BadArgument', 'SELECT «AI_CLASSIFY(review, []) FROM reviews', /'billing'/],
  ['BadArgument', "SELECT AI_CLASSIFY(review, ['a', «'a']) FROM reviews"],
  ['BadArgument', "SELECT AI_CLASSIFY(review, ['a', «' ']) FROM reviews"],
  ['BadArgument', "SELECT AI_CLASSIFY(review, ['a', «5]) FROM reviews"],
  ['BadArgument', 'SELECT AI_CLASSIFY(review, «tags) FROM reviews'],
  ['BadArgument', 'SELECT «AI_CLASSIFY(review) FROM reviews'],
  ['BadArgument', "SELECT AI_CLASSIFY(review, ['a'], {multi: «'yes'}) FROM reviews"],
  ['BadArgument', "SELECT AI_CLASSIFY(review, ['a'], {output_mode: «'both'}) FROM reviews"],
  ['BadArgument', "SELECT AI_CLASSIFY(review, ['a'], {descriptions: {b: «'x'}}) FROM reviews"],
  ['BadArgument', "SELECT AI_CLASSIFY(review, [{label: 'a', about: «'x'}]) FROM reviews"],
  ['BadArgument', "SELECT AI_CLASSIFY(review, ['a'], «7) FROM reviews"],
  ['BadArgument', "SELECT AI_EXTRACT(review, «'integer') FROM reviews"],
  ['BadArgument', 'SELECT AI_EXTRACT(review, {a: «5}) FROM reviews'],
  ['BadArgument', "SELECT AI_EXTRACT(review, {a: ['x', «'x']}) FROM reviews"],
  ['BadArgument', "SELECT AI_EXTRACT(review, ['a', «'A']) FROM reviews"],
  ['BadArgument', "SELECT AI_EXTRACT(review, ['a', «' ']) FROM reviews"],
  ['BadArgument', "SELECT AI_COMPLETE('{review}', «'intger') FROM reviews", /integer/],
  ['BadArgument', "SELECT AI_SCORE('{review}', {min: «5, max: 1}) FROM reviews"],
  ['BadArgument', "SELECT AI_SCORE('{review}', {min: «'a'}) FROM reviews"],
  ['BadArgument', 'SELECT «AI_SENTIMENT() FROM reviews'],
  ['BadArgument', 'SELECT AI_SENTIMENT(review, «tags) FROM reviews', /service/],
  ['BadArgument', 'SELECT «AI_SENTIMENT(review, []) FROM reviews'],
  ['BadArgument', "SELECT AI_SENTIMENT(review, ['food', «' ']) FROM reviews"],
  ['BadArgument', "SELECT AI_SENTIMENT(review, ['food', «'Food']) FROM reviews"],
  ['PromptWithoutColumn', "SELECT AI_SENTIMENT(«'great') FROM reviews"],
  ['BadArgument', 'SELECT AI_SUMMARIZE(review, «1.5) FROM reviews'],
  ['BadArgument', "SELECT AI_SUMMARIZE(review, {max_words: «'ten'}) FROM reviews"],
  ['BadArgument', 'SELECT AI_SUMMARIZE(review, «id) FROM reviews'],
  ['BadArgument', 'SELECT AI_SUMMARIZE(review, 10, «20) FROM reviews'],
  ['BadArgument', 'SELECT «AI_SUMMARIZE(review, {explain: true}) FROM reviews', /max_words/],
  ['BadArgument', 'SELECT «AI_TRANSLATE(review) FROM reviews'],
  ['BadArgument', "SELECT AI_TRANSLATE(review, 'en', «'') FROM reviews", /'de'/],
  ['BadArgument', "SELECT AI_TRANSLATE(review, 'en', «'d!') FROM reviews", /French/],
  ['BadArgument', "SELECT AI_TRANSLATE(review, 'en', «movie) FROM reviews"],
  ['BadArgument', "SELECT AI_TRANSLATE(review, 'de', «'DE') FROM reviews"],
  // guidance
  ['BadArgument', "SELECT AI_FILTER('{review}', {instructions: «''}) FROM reviews"],
  ['BadArgument', "SELECT AI_FILTER('{review}', {instructions: «movie}) FROM reviews", /prompt/],
  ['BadArgument', "SELECT AI_FILTER('{review}', {explain: «'yes'}) FROM reviews"],
  ['BadArgument', "SELECT AI_FILTER('{review}', {examples: «'x'}) FROM reviews", /output/],
  ['BadArgument', "SELECT AI_FILTER('{review}', {examples: [«'x']}) FROM reviews"],
  ['BadArgument', "SELECT AI_FILTER('{review}', {examples: [{«input: 'x'}]}) FROM reviews"],
  ['BadArgument', "SELECT AI_FILTER('{review}', {examples: [{«output: true}]}) FROM reviews", /review/],
  ['BadArgument', "SELECT AI_FILTER('{review}', {examples: [{inptu: «'x', output: true}]}) FROM reviews", /review/],
  ['BadArgument', "SELECT AI_FILTER('{review}', {examples: [('x', «'y', true)]}) FROM reviews"],
  ['BadArgument', "SELECT AI_FILTER('{review}', {examples: [{input: 'x', review: «'y', output: true}]}) FROM reviews"],
  ['BadArgument', "SELECT AI_FILTER('{review}', {examples: [{input: 'x', output: true, answer: «'y'}]}) FROM reviews"],
  ['BadArgument', "SELECT AI_FILTER('{review}', {examples: [('x', «'perhaps')]}) FROM reviews"],
  ['BadArgument', "SELECT AI_FILTER('{review}', {examples: [('x', «movie)]}) FROM reviews"],
  ['BadArgument', "SELECT AI_FILTER('{review}', {examples: [(«movie, true)]}) FROM reviews"],
  ['BadArgument', "SELECT AI_CLASSIFY(review, ['a', 'b'], {examples: [('x', 'a'), ('y', «'c')]}) FROM reviews"],
  ['BadArgument', "SELECT AI_SCORE('{review}', {max: 5, examples: [('x', «6)]}) FROM reviews"],
  ['BadArgument', "SELECT AI_SCORE('{review}', {explain: true, examples: [{«input: 'x', output: 1}]}) FROM reviews"],
  ['BadArgument', "SELECT AI_FILTER('{photo}', examples => [«('x', true)]) FROM reviews"],
  // explained answers decide nothing
  ...[
    'id FROM reviews WHERE «?',
    'id FROM reviews WHERE NOT «?',
    'id FROM reviews WHERE id > 3 OR «?',
    "id FROM reviews WHERE «? = 'a'",
    "id FROM reviews WHERE «? IN ('a', 'b')",
    "«? BETWEEN 'a' AND 'b' FROM reviews",
    'CASE WHEN «? THEN 1 END FROM reviews',
    'if(«?, 1, 2) FROM reviews',
    '«?::BOOLEAN FROM reviews',
    '«? IS TRUE FROM reviews',
    'count(*) FILTER («?) FROM reviews',
  ].map((rest): [ErrorCode, string, RegExp] => [
    'BadArgument',
    `SELECT ${rest.replace('?', "AI_FILTER('{review}', {explain: true})")}`,
    /select list/,
  ]),
  ['BadArgument', "SELECT «llm_filter('x', review) FROM reviews"],
  ['BadArgument', 'SELECT «NLfilter(review) FROM reviews'],
  ['BadArgument', "SELECT «AI_FILTER('{g}') AS f, AI_FILTER('{f}') AS g FROM reviews"],
  // functions
  ['UnknownFunction', "SELECT «AI_FLITER('{review}') FROM reviews", /AI_FILTER/],
  ['UnknownFunction', "SELECT «AI.CLASIFY(review, ['a']) FROM reviews", /CLASSIFY/],
  ['UnknownFunction', "SELECT «ai_xyzzy('{review}') FROM reviews", /AI_SCORE/],
  // aggregates
  ['UnsupportedSql', "SELECT id FROM reviews WHERE «AI_AGG(review, 'x') = 'y'", /HAVING/],
  ['UnsupportedSql', "SELECT count(*) FROM reviews GROUP BY «AI_AGG(review, 'x')", /columns/],
  ['UnsupportedSql', "SELECT movie, «AI_AGG(review, 'x') FROM reviews GROUP BY ROLLUP (movie)", /one list/],
  ['UnsupportedSql', "SELECT movie, «AI_AGG(review, 'x') FROM reviews GROUP BY GROUPING SETS ((movie), ())"],
  ['UnsupportedSql', "SELECT movie, id, «AI_AGG(review, 'x') FROM reviews GROUP BY CUBE (movie, id)"],
  ['UnsupportedSql', "SELECT AI_TRANSLATE(«AI_AGG(review, 'x'), 'de') FROM reviews", /FROM \(SELECT key/],
  ['UnsupportedSql', "SELECT AI_AGG(«AI_AGG(review, 'x'), 'y') FROM reviews"],
  ['UnsupportedSql', "SELECT max(«AI_AGG(review, 'x')) FROM reviews"],
  ['UnsupportedSql', "SELECT «AI_AGG(review, 'x') OVER () FROM reviews", /OVER/],
  ['UnsupportedSql', "SELECT «AI_AGG(string_agg(review), 'x') FROM reviews"],
  ['BadArgument', 'SELECT «AI_AGG(review) FROM reviews'],
  ['BadArgument', "SELECT AI_AGG(review, «'') FROM reviews"],
  ['BadArgument', 'SELECT AI_AGG(review, «movie) FROM reviews', /all groups/],
  ['BadArgument', 'SELECT AI_SUMMARIZE_AGG(review, «-1) FROM reviews'],
  ['PromptWithoutColumn', "SELECT AI_AGG(«'x', 'y') FROM reviews"],
  ['UnknownColumn', "SELECT AI_AGG(review, 'x' ORDER BY «reveiw) FROM reviews"],
  ['UnknownColumn', "SELECT AI_AGG(review, 'x') FILTER (WHERE «reveiw > 1) FROM reviews"],
  ['BadArgument', 'SELECT AI_GROUP(review, «0) FROM reviews'],
  ['BadArgument', 'SELECT AI_GROUP(review, «1000) FROM reviews'],
  ['BadArgument', 'SELECT AI_GROUP(review, «2.5) FROM reviews'],
  ['BadArgument', "SELECT AI_GROUP(review, «' ') FROM reviews"],
  ['BadArgument', 'SELECT AI_GROUP(review, «movie) FROM reviews'],
  ['BadArgument', 'SELECT AI_GROUP(review, «3, {k: 4}) FROM reviews'],
  ['UnsupportedSql', "SELECT «llm_rerank({'model_name': 'm'}, {'prompt': 'x'}) FROM reviews", /AI_SCORE/],
  ['UnsupportedSql', "SELECT «AI_DEDUP('reviews', 'review', 'x') FROM reviews", /FROM AI_DEDUP/],
  ['BadArgument', "SELECT * FROM «AI_DEDUP('reviews', 'review')"],
  ['BadArgument', "SELECT * FROM AI_DEDUP('reviews', 'review', «id)"],
  ['BadArgument', "SELECT * FROM AI_DEDUP('reviews', ['review', «3], 'x')", /'what is the same'/],
  ['BadArgument', "SELECT * FROM AI_DEDUP(«upper('reviews'), 'review', 'x')"],
  ['BadArgument', "SELECT * FROM AI_DEDUP('reviews', 'review', 'x', {keep: «'last'})", /keep/],
  ['BadArgument', "SELECT * FROM AI_DEDUP('reviews', 'review', 'x', neighbours => «0)"],
  ['BadArgument', "SELECT * FROM AI_DEDUP('reviews', 'review', 'x', {nearness: «'sound'})", /lexicon/],
  ['UnknownColumn', "SELECT * FROM AI_DEDUP('reviews', «'revue', 'x')", /review/],
  ['UnknownColumn', "SELECT * FROM AI_DEDUP('reviews', 'review', 'x', within => [«'towne'])", /Columns: id, /],
  ['UnknownTable', "SELECT * FROM AI_DEDUP(«'revues', 'review', 'x')", /revues/],
  ['UnsupportedSql', "SELECT «AI_SCORE('{review}') OVER () FROM reviews"],
  ['UnsupportedSql', "SELECT «AI_SCORE(DISTINCT '{review}') FROM reviews"],
  ['UnknownFunction', "SELECT «uper(review) FROM reviews WHERE AI_FILTER('{review}')", /upper/],
  ['UnknownFunction', 'SELECT «uper(review) FROM reviews', /upper/],
  // names of plain SQL, found before any call
  ['UnknownColumn', "SELECT «reveiw FROM reviews WHERE AI_FILTER('{review}')", /review/],
  ['UnknownColumn', "SELECT id FROM reviews WHERE AI_FILTER('{review}') AND «reveiw = 'x'"],
  ['UnknownColumn', "SELECT id FROM reviews WHERE AI_FILTER('{review}') ORDER BY «reveiw"],
  ['UnknownColumn', "SELECT «* EXCLUDE (reveiw) FROM reviews WHERE AI_FILTER('{review}')"],
  ['UnknownColumn', "SELECT «__row FROM reviews WHERE AI_FILTER('{review}')"],
  ['UnknownColumn', "SELECT «__a_f0 FROM reviews WHERE AI_FILTER('{review}')"],
  ['UnknownColumn', 'SELECT «nope FROM reviews'],
  ['UnknownTable', "SELECT id FROM «revews WHERE AI_FILTER('{review}')", /"reviews"/],
  [
    'UnknownTable',
    "SELECT id FROM reviews WHERE AI_FILTER('{review}') AND movie IN (SELECT name FROM «movis)",
    /"movies"/,
  ],
  ['UnknownTable', "SELECT id FROM «'nowhere.csv'"],
  ['UnknownTable', 'SELECT * FROM «information_schema.tables'],
  ['UnknownTable', "SELECT «r.id FROM reviews WHERE AI_FILTER('{review}')"],
  ['UnknownTable', "SELECT «r.* FROM reviews WHERE AI_FILTER('{review}')"],
  ['TypeMismatch', "SELECT id FROM reviews WHERE AI_FILTER('{review}') AND «upper(tags) = 'x'"],
  // media
  ['TypeMismatch', "SELECT id FROM reviews WHERE AI_FILTER('show me ' || upper(«photo))", /alone/],
  ['TypeMismatch', "SELECT id FROM reviews WHERE AI_FILTER('what is «{raw}')", /--image raw/],
  // shapes
  ['UnsupportedSql', "SELECT «AI_COMPLETE('{x}')", /FROM/],
  ['UnsupportedSql', 'SELECT list_transform(tags, t -> «AI_COMPLETE(t)) FROM reviews', /UNNEST/],
  ['UnsupportedSql', "SELECT id FROM reviews WHERE AI_FILTER('{review}') LIMIT (SELECT «1)"],
  [
    'UnsupportedSql',
    "SELECT id, (SELECT «max(year) FROM movies) AS y FROM reviews WHERE AI_FILTER('{review}')",
    /FROM \(SELECT/,
  ],
  ['UnsupportedSql', "SELECT id FROM reviews WHERE AI_FILTER('{review}') OR movie IN (SELECT «name FROM movies)"],
  ['UnsupportedSql', "SELECT id FROM reviews WHERE AI_FILTER('{review}') ORDER BY «random() LIMIT 3", /once/],
  ['UnsupportedSql', "SELECT «now() AS t, id FROM reviews WHERE AI_FILTER('{review}')", /once/],
  ['UnsupportedSql', "SELECT «current_date AS t, id FROM reviews WHERE AI_FILTER('{review}')", /once/],
  ['UnsupportedSql', "SELECT «AI_COMPLETE(PROMPT('{0}', string_agg(review))) FROM reviews", /string_agg/],
  ['UnsupportedSql', "SELECT «AI_COMPLETE(PROMPT('{0}', row_number() OVER (ORDER BY id))) FROM reviews"],
  ['UnsupportedSql', "SELECT «AI_COMPLETE(PROMPT('{0}', unnest(tags))) FROM reviews"],
  ['UnsupportedSql', "SELECT movie, «AI_COMPLETE('{movie}') FROM reviews GROUP BY movie", /group first/],
  ['UnsupportedSql', "SELECT «COLUMNS('r.*') FROM reviews WHERE AI_FILTER('{review}')", /Name/],
  ['UnsupportedSql', "SELECT «reviews FROM reviews WHERE AI_FILTER('{review}')", /Name/],
  ['UnsupportedSql', "SELECT id FROM reviews WHERE AI_FILTER('{review}') ORDER BY «reviews", /Name/],
  ['UnsupportedSql', "SELECT id FROM reviews WHERE «AI_FILTER('{review}') USING SAMPLE 3", /TABLESAMPLE/],
  ['BadArgument', "SELECT id FROM reviews WHERE id = «? AND AI_FILTER('{review}')"],
  ['UnsupportedSql', "SELECT txt FROM «odd WHERE AI_FILTER('{txt}')", /RENAME/],
  ['UnsupportedSql', 'SELECT «1 AS __row', /RENAME/],
  ['UnsupportedSql', 'SELECT * FROM «__rows', /another name/],
  // statements
  ['UnsupportedSql', '«CREATE TABLE x AS SELECT 1', /SELECT/],
  ['UnsupportedSql', '«DROP TABLE reviews'],
  ['UnsupportedSql', "«COPY reviews TO 'x.csv'"],
  ['UnsupportedSql', "«ATTACH 'x.db'"],
  ['UnsupportedSql', '«INSERT INTO movies VALUES (1, 2)'],
  ['UnsupportedSql', '«PRAGMA version'],
  ['UnsupportedSql', 'SELECT 1; SELECT «2'],
  ['UnsupportedSql', "SELECT * FROM «read_text('/etc/hostname')"],
  ['UnsupportedSql', "SELECT * FROM «glob('*')"],
  ['UnsupportedSql', "SELECT * FROM read_csv('x.csv', delim «= ';')"],
  ['UnsupportedSql', 'SELECT * FROM «duckdb_settings()'],
  ['SqlSyntax', "SELECT '😀' FROM reviews WHER «AI_FILTER('x')"],
  ['SqlSyntax', '«'],
];

describe('refused before anything is asked, with the place and a hint', () => {
  for (const [code, marked, hint] of cases) {
    it(`${code}: ${marked}`, async () => {
      const error = await errorOf(marked.replace('«', ''));
      expect(error.code, error.message).toBe(code);
      expect(error.where.position, error.message).toBe(marked.indexOf('«'));
      if (!marked.includes('__')) expect(error.message).not.toMatch(/__a_|__rows|__source/);
      if (hint !== undefined) expect(error.hint).toMatch(hint);
    });
  }
});

describe('any text', () => {
  const argument = fc.constantFrom(
    "'{review}'",
    "'good'",
    "'{'",
    "'{nope}'",
    'review',
    'photo',
    'raw',
    "('a', review)",
    "PROMPT('{0}', movie)",
    "['a', 'b']",
    "{a: 'integer'}",
    "{model: 'm'}",
    '{min: 1, max: 0}',
    'NULL',
    '1.5',
    'prompt => review',
    'nope => 1',
    "AI_COMPLETE('{review}')",
    '(SELECT 1)',
    'random()',
    'count(*)',
    '*',
    's',
    '-1',
  );
  const name = fc.constantFrom(
    'AI_FILTER',
    'AI.IF',
    'AI_CLASSIFY',
    'AI.SCORE',
    'AI_EXTRACT',
    'AI_MAP',
    'llm_filter',
    'NLfilter',
    'AI_NO',
  );
  const call = fc.tuple(name, fc.array(argument, { maxLength: 3 })).map(([fn, args]) => `${fn}(${args.join(', ')})`);
  const text = fc.oneof(
    fc
      .tuple(
        call,
        call,
        fc.constantFrom('', ' GROUP BY s', ' ORDER BY s LIMIT 2', ' LIMIT 1', ' UNION SELECT 1', ' QUALIFY s'),
      )
      .map(([one, two, tail]) => `SELECT '😀', ${one} AS s FROM reviews WHERE ${two}${tail}`),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );

  it('gives a plan, or an error of ours whose place is in the text', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (sql) => {
        const outcome = await bench.plan(sql).catch((error: unknown) => error);
        if (!(outcome instanceof Error)) return;
        expect(FermataError.is(outcome), `${sql}: ${outcome.stack ?? ''}`).toBe(true);
        if (!FermataError.is(outcome)) return;
        const { code, where } = outcome;
        expect(code, sql).not.toBe('Internal');
        if (where.position !== undefined) expect(where.position).toBeLessThanOrEqual(sql.length);
      }),
      { numRuns: 150 },
    );
  });

  it('takes a prompt of a megabyte', async () => {
    const long = `${`it''s "quoted" {{}} \\\\ 😀 `.repeat(50_000)}{review}`;
    const plan = await bench.plan(`SELECT id FROM reviews WHERE AI_FILTER('${long}')`);
    expect(plan.calls[0]?.template.length).toBeGreaterThan(1_000_000);
  });
});
