import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../support/sql-plan-executor.js';
import { standIn, standInMacros } from '../../support/sql-stand-ins.js';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench([
    ...standInMacros,
    `CREATE TABLE reviews(id INTEGER, movie VARCHAR, txt VARCHAR, stars INTEGER, tags VARCHAR[], meta STRUCT(lang VARCHAR, n INTEGER))`,
    `INSERT INTO reviews SELECT i, ['alien', 'brazil', 'cube'][1 + i % 3], CASE WHEN i % 7 = 3 THEN NULL ELSE repeat('x', i % 5) || ' it''s {ok} "q" 😀' END,
       CASE WHEN i % 4 = 0 THEN NULL ELSE i % 6 END, CASE WHEN i % 3 = 0 THEN [] ELSE ['t' || i, 'u'] END, {lang: 'l' || i % 2, n: i} FROM range(24) r(i)`,
    `CREATE TABLE movies(name VARCHAR, year INTEGER)`,
    `INSERT INTO movies VALUES ('alien', 1979), ('brazil', 1985)`,
    `CREATE TABLE "dir/notes.csv"(a INTEGER, "the text" VARCHAR)`,
    `INSERT INTO "dir/notes.csv" VALUES (1, 'ab'), (2, 'abc'), (3, NULL)`,
  ]);
});
afterAll(() => bench.close());

/** [the query, the same in plain SQL, whether order matters] */
const cases: [string, string][] = [
  ["SELECT id FROM reviews WHERE AI_FILTER('Good? {txt}')", 'SELECT id FROM reviews WHERE yes(txt)'],
  ["SELECT * FROM reviews r WHERE AI_FILTER('Good? {r.txt}')", 'SELECT * FROM reviews WHERE yes(txt)'],
  [
    "SELECT r.* EXCLUDE (tags, meta) FROM reviews r WHERE AI_FILTER('{txt}')",
    'SELECT * EXCLUDE (tags, meta) FROM reviews WHERE yes(txt)',
  ],
  [
    "SELECT * REPLACE (AI_COMPLETE('{txt}') AS txt) RENAME (id AS nr) FROM reviews",
    'SELECT * REPLACE (said(txt) AS txt) RENAME (id AS nr) FROM reviews',
  ],
  [
    "FROM reviews WHERE stars > 2 AND AI_FILTER(PROMPT('of {0}: {1}', movie, txt)) AND movie <> 'cube'",
    "FROM reviews WHERE stars > 2 AND yes(txt) AND movie <> 'cube'",
  ],
  [
    "SELECT id FROM reviews WHERE AI_FILTER('{txt}') OR stars > 3",
    'SELECT id FROM reviews WHERE yes(txt) OR stars > 3',
  ],
  ["SELECT id FROM reviews WHERE NOT AI_FILTER('{txt}')", 'SELECT id FROM reviews WHERE NOT yes(txt)'],
  ["SELECT id, AI_FILTER('{txt}') IS NULL AS n FROM reviews", 'SELECT id, yes(txt) IS NULL AS n FROM reviews'],
  [
    "SELECT id, CASE WHEN AI_FILTER('{txt}') THEN 'y' ELSE movie END AS c FROM reviews",
    "SELECT id, CASE WHEN yes(txt) THEN 'y' ELSE movie END AS c FROM reviews",
  ],
  [
    "SELECT movie, count(*) AS n FROM reviews WHERE AI_FILTER('{txt}') GROUP BY movie HAVING count(*) > 2",
    'SELECT movie, count(*) AS n FROM reviews WHERE yes(txt) GROUP BY movie HAVING count(*) > 2',
  ],
  [
    "SELECT AI_CLASSIFY(txt, ['a', 'b']) AS c, count(*) AS n FROM reviews GROUP BY c ORDER BY c",
    "SELECT pick(txt, ['a', 'b']) AS c, count(*) AS n FROM reviews GROUP BY c ORDER BY c",
  ],
  [
    "SELECT count(*) FROM reviews GROUP BY AI_CLASSIFY(txt, ['a', 'b']) ORDER BY AI_CLASSIFY(txt, ['a', 'b'])",
    "SELECT count(*) FROM reviews GROUP BY pick(txt, ['a', 'b']) ORDER BY pick(txt, ['a', 'b'])",
  ],
  [
    "SELECT movie, avg(AI_SCORE('{txt}')) AS s FROM reviews GROUP BY ALL ORDER BY ALL",
    'SELECT movie, avg(points(txt)) AS s FROM reviews GROUP BY ALL ORDER BY ALL',
  ],
  [
    "SELECT count(*) FILTER (WHERE AI_FILTER('{txt}')) AS n, count(*) AS m FROM reviews",
    'SELECT count(*) FILTER (WHERE yes(txt)) AS n, count(*) AS m FROM reviews',
  ],
  [
    "SELECT id FROM reviews ORDER BY AI_SCORE('{txt}') DESC NULLS LAST, id LIMIT 4",
    'SELECT id FROM reviews ORDER BY points(txt) DESC NULLS LAST, id LIMIT 4',
  ],
  [
    "SELECT id, AI_SCORE('{txt}') AS s FROM reviews WHERE s > 0.5 ORDER BY s, id",
    'SELECT id, points(txt) AS s FROM reviews WHERE s > 0.5 ORDER BY s, id',
  ],
  [
    "SELECT DISTINCT AI_CLASSIFY(txt, ['a', 'b', 'c']) AS c FROM reviews ORDER BY 1",
    "SELECT DISTINCT pick(txt, ['a', 'b', 'c']) AS c FROM reviews ORDER BY 1",
  ],
  [
    "SELECT DISTINCT ON (AI_CLASSIFY(txt, ['a', 'b'])) id FROM reviews ORDER BY AI_CLASSIFY(txt, ['a', 'b']), id",
    "SELECT DISTINCT ON (pick(txt, ['a', 'b'])) id FROM reviews ORDER BY pick(txt, ['a', 'b']), id",
  ],
  [
    "SELECT id FROM reviews WHERE txt IS NOT NULL QUALIFY row_number() OVER (PARTITION BY AI_CLASSIFY(txt, ['a', 'b']) ORDER BY id) = 1",
    "SELECT id FROM reviews WHERE txt IS NOT NULL QUALIFY row_number() OVER (PARTITION BY pick(txt, ['a', 'b']) ORDER BY id) = 1",
  ],
  [
    "SELECT id, AI_COMPLETE('again {c}') AS d, AI_COMPLETE('{txt}') AS c FROM reviews WHERE id < 5",
    'SELECT id, said(said(txt)) AS d, said(txt) AS c FROM reviews WHERE id < 5',
  ],
  ["SELECT id FROM reviews WHERE AI_FILTER(AI_COMPLETE('{txt}'))", 'SELECT id FROM reviews WHERE yes(said(txt))'],
  [
    "SELECT id, AI_EXTRACT(txt, {n: 'integer', why: 'Why?', l: ['x', 'y']}).n + 1 AS n FROM reviews",
    'SELECT id, length(txt) + 1 AS n FROM reviews',
  ],
  [
    "SELECT id, AI_EXTRACT(txt, {n: 'integer', \"a b\": 'Why?'})['a b'] AS w FROM reviews",
    'SELECT id, said(txt) AS w FROM reviews',
  ],
  [
    "SELECT id, upper(AI_COMPLETE('{txt}')) AS u, u || '!' AS v FROM reviews",
    "SELECT id, upper(said(txt)) AS u, u || '!' AS v FROM reviews",
  ],
  [
    "SELECT id FROM reviews WHERE AI_FILTER('{txt}') ORDER BY stars DESC, id LIMIT 3 OFFSET 2",
    'SELECT id FROM reviews WHERE yes(txt) ORDER BY stars DESC, id LIMIT 3 OFFSET 2',
  ],
  [
    "SELECT id AS nr, AI_COMPLETE('{txt}') AS t FROM reviews WHERE AI_FILTER('{txt}') ORDER BY 1 DESC LIMIT 3 OFFSET 1",
    'SELECT id AS nr, said(txt) AS t FROM reviews WHERE yes(txt) ORDER BY 1 DESC LIMIT 3 OFFSET 1',
  ],
  [
    "SELECT -id AS k, AI_COMPLETE('{txt}') AS t FROM reviews ORDER BY k LIMIT 3",
    'SELECT -id AS k, said(txt) AS t FROM reviews ORDER BY k LIMIT 3',
  ],
  [
    "SELECT unnest(tags) AS tag, id FROM reviews WHERE AI_FILTER('{txt}') LIMIT 5",
    'SELECT unnest(tags) AS tag, id FROM reviews WHERE yes(txt) LIMIT 5',
  ],
  [
    "SELECT id, sum(id) OVER (ORDER BY id) AS s FROM reviews WHERE AI_FILTER('{txt}') LIMIT 3",
    'SELECT id, sum(id) OVER (ORDER BY id) AS s FROM reviews WHERE yes(txt) LIMIT 3',
  ],
  [
    "SELECT id FROM reviews WHERE AI_FILTER('{txt}') AND movie IN (SELECT name FROM movies WHERE year < 1980)",
    'SELECT id FROM reviews WHERE yes(txt) AND movie IN (SELECT name FROM movies WHERE year < 1980)',
  ],
  [
    "SELECT id FROM reviews r WHERE AI_FILTER('{txt}') AND EXISTS (SELECT 1 FROM movies m WHERE m.name = r.movie)",
    'SELECT id FROM reviews r WHERE yes(txt) AND EXISTS (SELECT 1 FROM movies m WHERE m.name = r.movie)',
  ],
  [
    "WITH old AS (SELECT * FROM reviews WHERE id < 9) SELECT id FROM old WHERE AI_FILTER('{old.txt}')",
    'SELECT id FROM reviews WHERE id < 9 AND yes(txt)',
  ],
  [
    "SELECT j.id, year FROM (SELECT * FROM reviews JOIN movies ON movie = name) AS j WHERE AI_FILTER('{j.txt}')",
    'SELECT id, year FROM reviews JOIN movies ON movie = name WHERE yes(txt)',
  ],
  [
    "SELECT v FROM (VALUES ('a'), ('bb'), (NULL)) t(v) WHERE AI_FILTER('{v}')",
    "SELECT v FROM (VALUES ('a'), ('bb'), (NULL)) t(v) WHERE yes(v)",
  ],
  ["SELECT i FROM range(12) t(i) WHERE AI_FILTER('{i}')", 'SELECT i FROM range(12) t(i) WHERE yes(i::VARCHAR)'],
  [
    "SELECT a FROM 'dir/notes.csv' WHERE AI_FILTER('{the text}')",
    'SELECT a FROM "dir/notes.csv" WHERE yes("the text")',
  ],
  [
    "SELECT notes.a FROM read_csv('dir/notes.csv') AS notes WHERE AI_FILTER('{notes.\"the text\"}')",
    'SELECT a FROM "dir/notes.csv" WHERE yes("the text")',
  ],
  [
    'SELECT a, AI_FILTER(\'{b}\') AS f FROM "dir/notes.csv" AS n(a, b)',
    'SELECT a, yes("the text") AS f FROM "dir/notes.csv"',
  ],
  [
    "SELECT id FROM reviews WHERE AI_FILTER('{meta.lang} {meta.n}')",
    'SELECT id FROM reviews WHERE yes(meta.n::VARCHAR)',
  ],
  [
    "SELECT main.reviews.id FROM main.reviews WHERE AI_FILTER('{reviews.txt}') AND main.reviews.id > 3",
    'SELECT id FROM reviews WHERE yes(txt) AND id > 3',
  ],
  [
    "SELECT id FROM reviews WHERE AI_FILTER('{txt}') AND AI_FILTER('{movie}') AND (stars > 2 OR AI_FILTER('{txt}'))",
    'SELECT id FROM reviews WHERE yes(txt) AND yes(movie)',
  ],
  [
    "SELECT list_transform(tags, t -> t || '!') AS l FROM reviews WHERE AI_FILTER('{txt}')",
    "SELECT list_transform(tags, t -> t || '!') AS l FROM reviews WHERE yes(txt)",
  ],
  [
    "SELECT id FROM reviews WHERE 'short: ' || txt || movie IS NOT NULL AND AI_FILTER('short: ' || txt)",
    'SELECT id FROM reviews WHERE yes(txt)',
  ],
  // an alias hides a column in ORDER BY, and a column an alias elsewhere
  [
    "SELECT -id AS id FROM reviews WHERE AI_FILTER('{txt}') ORDER BY id LIMIT 3",
    'SELECT -id AS id FROM reviews WHERE yes(txt) ORDER BY id LIMIT 3',
  ],
  [
    "SELECT movie AS txt, -r.id AS k FROM reviews r WHERE AI_FILTER('{txt}') AND r.id > 2 ORDER BY r.id LIMIT 3",
    'SELECT movie AS txt, -r.id AS k FROM reviews r WHERE yes(r.txt) AND r.id > 2 ORDER BY r.id LIMIT 3',
  ],
  [
    "SELECT id, id % 3 AS m FROM reviews WHERE m = 1 AND AI_FILTER('{txt}') ORDER BY m + id DESC LIMIT 2",
    'SELECT id, id % 3 AS m FROM reviews WHERE id % 3 = 1 AND yes(txt) ORDER BY m + id DESC LIMIT 2',
  ],
  [
    "SELECT movie, stars, avg(AI_SCORE('{txt}')) AS s FROM reviews GROUP BY ROLLUP (movie, stars) ORDER BY ALL",
    'SELECT movie, stars, avg(points(txt)) AS s FROM reviews GROUP BY ROLLUP (movie, stars) ORDER BY ALL',
  ],
  [
    "SELECT string_agg(AI_COMPLETE('{txt}'), ',' ORDER BY AI_SCORE('{txt}'), id) AS s FROM reviews",
    "SELECT string_agg(said(txt), ',' ORDER BY points(txt), id) AS s FROM reviews",
  ],
  // the spellings of other systems
  [
    "SELECT id FROM reviews WHERE AI.IF(prompt => ('Good? ', txt), connection_id => 'us.c', endpoint => 'g')",
    'SELECT id FROM reviews WHERE yes(txt)',
  ],
  [
    "SELECT id FROM reviews WHERE AI.IF(('Good {?} ', txt), max_error_ratio => 0.1) LIMIT 3",
    'SELECT id FROM reviews WHERE yes(txt) LIMIT 3',
  ],
  [
    "SELECT id, AI.CLASSIFY(txt, categories => ['a', 'b']) AS c, ai.score(('From 1 to 5: ', txt)) AS s FROM reviews",
    "SELECT id, pick(txt, ['a', 'b']) AS c, points(txt) AS s FROM reviews",
  ],
  [
    "SELECT id, llm_complete({'model_name': 'm'}, {'prompt': 'Sum up {t}', 'context_columns': [{'data': txt, 'name': 't'}]}) AS c FROM reviews WHERE llm_filter({'model_name': 'default'}, {'prompt': 'Good?', 'context_columns': [{'data': reviews.txt}]})",
    'SELECT id, said(txt) AS c FROM reviews WHERE yes(txt)',
  ],
  ["SELECT id FROM reviews WHERE NLfilter(txt, 'it is good')", 'SELECT id FROM reviews WHERE yes(txt)'],
  // queries without calls, of any shape
  [
    'SELECT r.id, m.year, m.name AS id FROM reviews r JOIN movies m ON r.movie = m.name ORDER BY r.id DESC',
    'SELECT r.id, m.year, m.name AS id FROM reviews r JOIN movies m ON r.movie = m.name ORDER BY r.id DESC',
  ],
  ['SELECT 1 AS a UNION ALL SELECT 2 ORDER BY a DESC', 'SELECT 1 AS a UNION ALL SELECT 2 ORDER BY a DESC'],
  [
    'SELECT 9007199254740993 AS big, 1.50 AS d, 1e-7 AS e, 123456789012345678901234567890 AS h',
    'SELECT 9007199254740993 AS big, 1.50 AS d, 1e-7 AS e, 123456789012345678901234567890 AS h',
  ],
];

describe('a plan gives what plain SQL with the same answers gives', () => {
  for (const [semantic, plain] of cases) {
    it(semantic, async () => {
      const plan = await bench.plan(semantic);
      const wanted = await bench.query(plain);
      for (const batch of [1, 5]) {
        const { columns, rows } = await bench.execute(plan, standIn, batch);
        expect(columns).toEqual(wanted.columns);
        const ordered = /ORDER BY|LIMIT/.test(plain) && !/^.*PARTITION/.test(plain);
        expect(ordered ? rows : sorted(rows)).toEqual(ordered ? wanted.rows : sorted(wanted.rows));
      }
    });
  }
});

function sorted(rows: readonly unknown[][]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

describe('only the calls that are needed', () => {
  const asked = async (sql: string): Promise<Readonly<Record<string, number>>> =>
    (await bench.execute(await bench.plan(sql), standIn)).asked;

  it('stops as soon as LIMIT is sure', async () => {
    const { f0 } = await asked("SELECT id FROM reviews WHERE AI_FILTER('{movie}') LIMIT 2");
    expect(f0).toBeLessThan(7);
  });
  it('asks values only for rows that LIMIT and OFFSET keep', async () => {
    expect(await asked("SELECT AI_COMPLETE('{movie}') FROM reviews LIMIT 3 OFFSET 5")).toEqual({ c0: 3 });
    expect(await asked("SELECT AI_COMPLETE('{movie}') AS c FROM reviews ORDER BY stars, id LIMIT 3")).toEqual({
      c0: 3,
    });
    expect(await asked("SELECT AI_COMPLETE('{movie}') AS c FROM reviews LIMIT 0")).toEqual({});
  });
  it('asks about rows only that plain conditions and filters leave', async () => {
    expect(
      await asked("SELECT AI_COMPLETE('{movie}') AS c FROM reviews WHERE id < 6 AND AI_FILTER('{movie}')"),
    ).toEqual({ f0: 6, c0: 4 });
  });
  it('asks everything when an answer decides which rows are kept', async () => {
    for (const sql of [
      "SELECT id FROM reviews ORDER BY AI_SCORE('{movie}') LIMIT 1",
      "SELECT AI_SCORE('{movie}') AS s FROM reviews ORDER BY s LIMIT 1",
      "SELECT AI_SCORE('{movie}') AS s FROM reviews ORDER BY 1 LIMIT 1",
      "SELECT AI_SCORE('{movie}') AS s, s * 2 AS d FROM reviews ORDER BY d LIMIT 1",
      "SELECT DISTINCT AI_SCORE('{movie}') AS s FROM reviews LIMIT 1",
      "SELECT max(AI_SCORE('{movie}')) AS s FROM reviews LIMIT 1",
      "SELECT id FROM reviews WHERE NOT AI_FILTER('{movie}') LIMIT 1",
      "SELECT AI_SCORE('{movie}') AS s, rank() OVER (ORDER BY s) AS k FROM reviews LIMIT 1",
      "SELECT id FROM reviews QUALIFY rank() OVER (ORDER BY AI_SCORE('{movie}')) = 1 LIMIT 1",
      "SELECT AI_SCORE('{movie}') AS s FROM reviews ORDER BY ALL LIMIT 1",
      "SELECT AI_SCORE('{movie}') AS s FROM reviews LIMIT 10%",
    ]) {
      const plan = await bench.plan(sql);
      expect(plan.stopAfter, sql).toBeUndefined();
      expect((await bench.execute(plan, standIn)).asked['c0'], sql).toBe(24);
    }
  });
  it('counts the same call once wherever it stands', async () => {
    const plan = await bench.plan(
      "SELECT AI_CLASSIFY(txt, ['a']), AI_CLASSIFY(reviews.txt, ['a']) AS again FROM reviews WHERE AI_FILTER('{txt}') AND AI_FILTER('{reviews.txt}') ORDER BY AI_CLASSIFY(txt, ['a'])",
    );
    expect(plan.calls.map(({ id }) => id)).toEqual(['f0', 'c0']);
  });
});
