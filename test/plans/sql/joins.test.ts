import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placements } from '../../../plans/protocol/placement.js';
import { type Bench, openBench } from '../../support/sql-plan-executor.js';
import { standIn, standInMacros } from '../../support/sql-stand-ins.js';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(
    [
      ...standInMacros,
      'CREATE TABLE books(id INTEGER, title VARCHAR, year INTEGER, meta STRUCT(lang VARCHAR), photo VARCHAR)',
      `INSERT INTO books SELECT i, CASE WHEN i = 4 THEN NULL ELSE repeat('b', i) END, 1990 + i % 3, {lang: 'l' || i % 2}, 'p' || i FROM range(8) r(i)`,
      'CREATE TABLE reviews(id INTEGER, book INTEGER, txt VARCHAR, stars INTEGER, photo VARCHAR)',
      `INSERT INTO reviews SELECT i, i % 6, CASE WHEN i % 7 = 3 THEN NULL ELSE repeat('r', i % 5) || ' {x} "q"' END, i % 5, 'q' || i FROM range(20) r(i)`,
      'CREATE TABLE tags(book INTEGER, tag VARCHAR)',
      "INSERT INTO tags SELECT i % 5, repeat('t', i) FROM range(7) r(i)",
      'CREATE TABLE lists(id INTEGER, items VARCHAR[])',
      "INSERT INTO lists VALUES (1, ['a', 'bb']), (2, ['cc']), (3, [])",
    ],
    { 'books.photo': 'image' },
  );
});
afterAll(() => bench.close());

/** [the query, the same in plain SQL] */
const cases: [string, string][] = [
  [
    "SELECT r.id, title FROM reviews r JOIN books b ON r.book = b.id WHERE AI_FILTER('{r.txt}')",
    'SELECT r.id, title FROM reviews r JOIN books b ON r.book = b.id WHERE yes(r.txt)',
  ],
  [
    "SELECT * FROM reviews r JOIN books b ON r.book = b.id WHERE AI_FILTER('{title}') AND AI_FILTER('{txt}') AND stars > 1",
    'SELECT * FROM reviews r JOIN books b ON r.book = b.id WHERE yes(title) AND yes(txt) AND stars > 1',
  ],
  [
    "SELECT b.*, r.stars FROM reviews r, books b WHERE r.book = b.id AND AI_FILTER('{b.title}')",
    'SELECT b.*, r.stars FROM reviews r, books b WHERE r.book = b.id AND yes(b.title)',
  ],
  [
    "SELECT r.id, b.id FROM reviews r JOIN books b ON r.book = b.id AND AI_FILTER('{r.txt} is about {b.title}')",
    'SELECT r.id, b.id FROM reviews r JOIN books b ON r.book = b.id AND yes(b.title) WHERE txt IS NOT NULL',
  ],
  [
    "SELECT r.id, b.id AS book FROM reviews r JOIN books b ON AI_FILTER('{b.title} fits {r.txt}')",
    'SELECT r.id, b.id AS book FROM reviews r JOIN books b ON yes(r.txt) AND b.title IS NOT NULL',
  ],
  [
    "SELECT a.id, b.id FROM books a JOIN books b ON a.year = b.year AND a.id < b.id WHERE AI_FILTER('{a.title} {b.title}')",
    'SELECT a.id, b.id FROM books a JOIN books b ON a.year = b.year AND a.id < b.id WHERE yes(b.title) AND a.title IS NOT NULL',
  ],
  [
    "SELECT * FROM reviews JOIN tags USING (book) WHERE AI_FILTER('{tag}')",
    'SELECT * FROM reviews JOIN tags USING (book) WHERE yes(tag)',
  ],
  [
    "SELECT book, tags.book AS own, AI_COMPLETE('{reviews.book}') AS c FROM reviews RIGHT JOIN tags USING (book) WHERE stars IS NULL OR stars > 2",
    'SELECT book, tags.book AS own, said(reviews.book::VARCHAR) AS c FROM reviews RIGHT JOIN tags USING (book) WHERE stars IS NULL OR stars > 2',
  ],
  [
    "SELECT * EXCLUDE (photo, txt), AI_COMPLETE('{tag}') FROM reviews NATURAL JOIN tags",
    'SELECT * EXCLUDE (photo, txt), said(tag) AS ai_complete FROM reviews NATURAL JOIN tags',
  ],
  [
    "SELECT b.id, r.txt, AI_COMPLETE('{b.title}') AS c FROM books b LEFT JOIN reviews r ON r.book = b.id AND r.stars > 3 WHERE AI_FILTER('{b.title}')",
    'SELECT b.id, r.txt, said(b.title) AS c FROM books b LEFT JOIN reviews r ON r.book = b.id AND r.stars > 3 WHERE yes(b.title)',
  ],
  [
    "SELECT b.id, AI_FILTER('{r.txt}') IS NULL AS n FROM books b FULL JOIN reviews r ON r.book = b.id",
    'SELECT b.id, yes(r.txt) IS NULL AS n FROM books b FULL JOIN reviews r ON r.book = b.id',
  ],
  [
    "SELECT id FROM books b SEMI JOIN reviews r ON r.book = b.id WHERE AI_FILTER('{title}')",
    'SELECT id FROM books b SEMI JOIN reviews r ON r.book = b.id WHERE yes(title)',
  ],
  [
    "SELECT * FROM books ANTI JOIN reviews ON reviews.book = books.id WHERE AI_FILTER('{title}') OR id = 7",
    'SELECT * FROM books ANTI JOIN reviews ON reviews.book = books.id WHERE yes(title) OR id = 7',
  ],
  [
    "SELECT b.year, AI_CLASSIFY(r.txt, ['a', 'b']) AS c, count(*) AS n FROM reviews r JOIN books b ON r.book = b.id GROUP BY ALL HAVING count(*) > 1 ORDER BY n DESC, c, b.year",
    "SELECT b.year, pick(r.txt, ['a', 'b']) AS c, count(*) AS n FROM reviews r JOIN books b ON r.book = b.id GROUP BY ALL HAVING count(*) > 1 ORDER BY n DESC, c, b.year",
  ],
  [
    "SELECT b.year + 1, max(r.stars) FROM reviews r JOIN books b ON r.book = b.id WHERE AI_FILTER('{txt}') GROUP BY b.year + 1 ORDER BY 1",
    'SELECT b.year + 1, max(r.stars) FROM reviews r JOIN books b ON r.book = b.id WHERE yes(txt) GROUP BY b.year + 1 ORDER BY 1',
  ],
  [
    "SELECT r.id FROM reviews r JOIN books b ON r.book = b.id WHERE AI_FILTER('{b.title}') ORDER BY id LIMIT 3",
    'SELECT r.id FROM reviews r JOIN books b ON r.book = b.id WHERE yes(b.title) ORDER BY r.id LIMIT 3',
  ],
  [
    "SELECT r.id, b.meta.lang FROM reviews r JOIN books b ON r.book = b.id WHERE AI_FILTER('{b.meta.lang}') AND b.meta.lang = 'l1'",
    "SELECT r.id, b.meta.lang FROM reviews r JOIN books b ON r.book = b.id WHERE yes(b.meta.lang) AND b.meta.lang = 'l1'",
  ],
  [
    "WITH late AS (SELECT * FROM books WHERE year > 1990) SELECT r.id FROM reviews r JOIN late ON late.id = r.book WHERE AI_FILTER('{late.title}')",
    'WITH late AS (SELECT * FROM books WHERE year > 1990) SELECT r.id FROM reviews r JOIN late ON late.id = r.book WHERE yes(late.title)',
  ],
  [
    "SELECT r.id FROM reviews r JOIN books b ON r.book = b.id WHERE EXISTS (SELECT 1 FROM tags WHERE tags.book = b.id) AND AI_FILTER('{txt}')",
    'SELECT r.id FROM reviews r JOIN books b ON r.book = b.id WHERE EXISTS (SELECT 1 FROM tags WHERE tags.book = b.id) AND yes(txt)',
  ],
  [
    "SELECT l.id, item FROM lists l, unnest(l.items) AS u(item) WHERE AI_FILTER('{item}')",
    'SELECT l.id, item FROM lists l, unnest(l.items) AS u(item) WHERE yes(item)',
  ],
  [
    "SELECT r.id, upper(b.title) AS t FROM reviews r JOIN books b ON r.book = b.id JOIN tags g ON g.book = b.id WHERE AI_FILTER('{t}') AND AI_FILTER('{tag}')",
    'SELECT r.id, upper(b.title) AS t FROM reviews r JOIN books b ON r.book = b.id JOIN tags g ON g.book = b.id WHERE yes(title) AND yes(tag)',
  ],
  [
    "SELECT r.id, row_number() OVER (PARTITION BY b.year ORDER BY r.id) AS k FROM reviews r JOIN books b ON r.book = b.id WHERE AI_FILTER('{txt}') QUALIFY k = 1",
    'SELECT r.id, row_number() OVER (PARTITION BY b.year ORDER BY r.id) AS k FROM reviews r JOIN books b ON r.book = b.id WHERE yes(txt) QUALIFY k = 1',
  ],
  [
    'SELECT b.title.upper() AS t FROM reviews r JOIN books b ON r.book = b.id WHERE AI_FILTER(b.title.lower())',
    'SELECT b.title.upper() AS t FROM reviews r JOIN books b ON r.book = b.id WHERE yes(b.title)',
  ],
  [
    "SELECT DISTINCT ON (b.year) b.year, AI_COMPLETE('{title}') AS c FROM books b JOIN reviews r ON r.book = b.id ORDER BY b.year, b.id, r.id",
    'SELECT DISTINCT ON (b.year) b.year, said(title) AS c FROM books b JOIN reviews r ON r.book = b.id ORDER BY b.year, b.id, r.id',
  ],
  [
    "SELECT count(*) FROM (SELECT * FROM books WHERE id > 2) b CROSS JOIN tags WHERE AI_FILTER('{title}')",
    'SELECT count(*) FROM (SELECT * FROM books WHERE id > 2) b CROSS JOIN tags WHERE yes(title)',
  ],
  [
    "SELECT list_transform([1, 2], id -> id + b.year) AS l FROM books b JOIN reviews r ON r.book = b.id WHERE AI_FILTER('{title}')",
    'SELECT list_transform([1, 2], x -> x + b.year) AS l FROM books b JOIN reviews r ON r.book = b.id WHERE yes(title)',
  ],
  [
    "SELECT count(*) FROM books b JOIN reviews r ON r.book = b.id WHERE AI_FILTER('{b.title}') OR AI_FILTER('{r.txt}')",
    'SELECT count(*) FROM books b JOIN reviews r ON r.book = b.id WHERE yes(b.title) OR yes(r.txt)',
  ],
];

describe('a join gives what plain SQL with the same answers gives', () => {
  for (const [semantic, plain] of cases) {
    it.each(placements)(`${semantic} (%s)`, async (placement) => {
      const { columns, rows } = await bench.execute(await bench.plan(semantic, placement), standIn, 5);
      const wanted = await bench.query(plain);
      expect(columns).toEqual(wanted.columns);
      const ordered = plain.includes('ORDER BY') && !plain.includes('OVER');
      expect(ordered ? rows : sorted(rows)).toEqual(ordered ? wanted.rows : sorted(wanted.rows));
      expect(wanted.rows.length).toBeGreaterThan(0);
    });
  }
});

/** Outer, semi and anti joins on meaning: [the query, the same in plain SQL]. */
const onMeaning: [string, string][] = [
  ...['LEFT', 'RIGHT', 'FULL', 'INNER'].map((kind): [string, string] => [
    `SELECT b.id, r.id FROM books b ${kind} JOIN reviews r ON r.book = b.id AND AI_FILTER('{b.title} {r.txt}') ORDER BY b.id, r.id`,
    `SELECT b.id, r.id FROM books b ${kind} JOIN reviews r ON r.book = b.id AND yes(r.txt) AND b.title IS NOT NULL ORDER BY b.id, r.id`,
  ]),
  ...['SEMI', 'ANTI'].map((kind): [string, string] => [
    `SELECT * FROM books b ${kind} JOIN reviews r ON r.book = b.id AND r.stars > 1 AND AI_FILTER('{title} {txt}') WHERE id < 7 ORDER BY id`,
    `SELECT * FROM books b ${kind} JOIN reviews r ON r.book = b.id AND r.stars > 1 AND yes(r.txt) AND b.title IS NOT NULL WHERE id < 7 ORDER BY id`,
  ]),
  [
    "SELECT * FROM (SELECT id, title FROM books) b LEFT JOIN tags ON AI_FILTER('{tag} {title}') WHERE id < 3 ORDER BY id, tag",
    'SELECT * FROM (SELECT id, title FROM books) b LEFT JOIN tags ON yes(title) AND tag IS NOT NULL WHERE id < 3 ORDER BY id, tag',
  ],
  [
    "SELECT b.*, g.*, AI_COMPLETE('{tag}') AS c FROM books b LEFT JOIN tags g ON g.book = b.id AND AI_FILTER('{b.title} {g.tag}') WHERE AI_FILTER('{b.title}') ORDER BY b.id, tag",
    'SELECT b.*, g.*, said(tag) AS c FROM books b LEFT JOIN tags g ON g.book = b.id AND yes(g.tag) AND b.title IS NOT NULL WHERE yes(b.title) ORDER BY b.id, tag',
  ],
  [
    "SELECT b.id, r.id, g.tag FROM books b LEFT JOIN reviews r ON r.book = b.id AND AI_FILTER('{r.txt}') JOIN tags g ON g.book = b.id ORDER BY ALL",
    'SELECT b.id, r.id, g.tag FROM books b LEFT JOIN reviews r ON r.book = b.id AND yes(r.txt) JOIN tags g ON g.book = b.id ORDER BY ALL',
  ],
  [
    "SELECT id FROM books b WHERE EXISTS (SELECT 1 FROM reviews r WHERE r.book = b.id AND AI_FILTER('{r.txt}')) ORDER BY id",
    'SELECT id FROM books b WHERE EXISTS (SELECT 1 FROM reviews r WHERE r.book = b.id AND yes(r.txt)) ORDER BY id',
  ],
  [
    "SELECT id FROM books b WHERE b.year > 1980 AND NOT EXISTS (SELECT r.id FROM reviews r WHERE r.book = b.id AND AI_FILTER('{r.txt} {b.title}')) AND AI_FILTER('{b.title}') ORDER BY id",
    'SELECT id FROM books b WHERE b.year > 1980 AND NOT EXISTS (SELECT r.id FROM reviews r WHERE r.book = b.id AND yes(b.title) AND r.txt IS NOT NULL) AND yes(b.title) ORDER BY id',
  ],
  [
    "SELECT id FROM books b WHERE EXISTS (SELECT 1 FROM reviews r WHERE r.book = b.id AND AI_FILTER('{r.txt}')) AND NOT EXISTS (SELECT 1 FROM tags g WHERE g.book = id AND AI_FILTER('{tag} {title}')) ORDER BY id",
    'SELECT id FROM books b WHERE EXISTS (SELECT 1 FROM reviews r WHERE r.book = b.id AND yes(r.txt)) AND NOT EXISTS (SELECT 1 FROM tags g WHERE g.book = id AND yes(title) AND tag IS NOT NULL) ORDER BY id',
  ],
  [
    "SELECT a.id, b.id FROM books a LEFT JOIN books b ON a.year = b.year AND AI_FILTER('{a.title} {b.title}') ORDER BY 1, 2",
    'SELECT a.id, b.id FROM books a LEFT JOIN books b ON a.year = b.year AND yes(b.title) AND a.title IS NOT NULL ORDER BY 1, 2',
  ],
];

describe('a join on meaning that keeps what has no partner', () => {
  for (const [semantic, plain] of onMeaning) {
    it(semantic, async () => {
      const { columns, rows } = await bench.execute(await bench.plan(semantic), standIn, 5);
      const wanted = await bench.query(plain);
      expect({ columns, rows }).toEqual(wanted);
      expect(wanted.rows.length).toBeGreaterThan(0);
    });
  }
});

function sorted(rows: readonly unknown[][]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

describe('an inner join on meaning beside another join', () => {
  const pair = "(books b JOIN tags g ON g.book = b.id AND AI_FILTER('{title} {tag}'))";
  const plain = '(books b JOIN tags g ON g.book = b.id AND yes(tag) AND title IS NOT NULL)';
  const beside = (join: string) =>
    join.includes('JOIN r') ? `${join.replace('JOIN r', 'JOIN reviews r')} ON r.book = b.id` : join;

  it.each([[`P LEFT JOIN r`], [`P JOIN r`], [`P SEMI JOIN r`], [`P ANTI JOIN r`]])('%s', async (join) => {
    const sql = (from: string) => `SELECT b.id, tag FROM ${beside(join).replace('P', from)} ORDER BY 1, 2`;
    const { rows } = await bench.execute(await bench.plan(sql(pair)), standIn, 5);
    expect(rows).toEqual((await bench.query(sql(plain))).rows);
    expect(join.includes('ANTI') || rows.length > 0).toBe(true);
  });

  it.each([['P RIGHT JOIN r'], ['P FULL JOIN r']])('%s is refused: it shows rows that no pair has', async (join) => {
    const sql = `SELECT b.id, tag FROM ${beside(join).replace('P', pair)}`;
    await expect(bench.plan(sql)).rejects.toMatchObject({
      code: 'UnsupportedSql',
      where: { position: sql.indexOf('AI_FILTER') },
    });
  });
});

describe('where conditions are asked', () => {
  const asked = async (sql: string, placement: 'pullup' | 'pushdown' = 'pullup') => {
    const plan = await bench.plan(sql, placement);
    const blocks = [...(plan.before ?? []).map(({ block }) => block), plan];
    return blocks.map(({ calls }) => calls.map(({ inputs }) => inputs.map(({ label }) => label).join()).join(' '));
  };

  it('behind the join, those on one relation first', async () => {
    expect(
      await asked(
        "SELECT 1 FROM books b JOIN reviews r ON r.book = b.id AND AI_FILTER('{title} {txt}') WHERE AI_FILTER('{txt}') AND AI_FILTER('{title}')",
      ),
    ).toEqual(['txt title title,txt']);
  });
  it('before a cross product, on relations that nothing ties to another', async () => {
    const sql =
      "SELECT 1 FROM books b, reviews r, tags g WHERE AI_FILTER('{title}') AND b.year > 1990 AND AI_FILTER('{txt}') AND g.book = r.book AND AI_FILTER('{title} {tag}')";
    expect(await asked(sql)).toEqual(['b.title', 'txt title,tag']);
    const { before = [] } = await bench.plan(sql);
    expect(
      (await bench.query(before[0]!.block.rows.sql.replace('__source', 'books').replaceAll('__row', 'id'))).rows,
    ).toEqual([[1], [2], [4], [5], [7]]);
  });
  it('on their relation where they are pushed down, but never on the side that an outer join fills with NULL', async () => {
    expect(
      await asked(
        "SELECT 1 FROM books b LEFT JOIN reviews r ON r.book = b.id WHERE AI_FILTER('{b.title}') AND NOT AI_FILTER('{r.txt}')",
        'pushdown',
      ),
    ).toEqual(['b.title', 'txt']);
  });
});

it('only columns that are read travel with the pairs', async () => {
  const plan = await bench.plan("SELECT r.id FROM reviews r JOIN books b ON AI_FILTER('{b.title} fits {r.txt}')");
  const source = await bench.query(plan.source.sql);
  expect(source.columns.toSorted()).toEqual(['r.id', 'title', 'txt']);
});

it('columns of equal name keep their own modality', async () => {
  const { calls } = await bench.plan(
    "SELECT AI_COMPLETE('{b.photo}'), AI_COMPLETE('{r.photo}') FROM books b JOIN reviews r ON r.book = b.id",
  );
  expect(calls.map(({ inputs }) => inputs.map(({ modality }) => modality))).toEqual([['image'], ['text']]);
});

describe('what a join cannot do is refused at its place', () => {
  const refused: [string, string, RegExp][] = [
    [
      'UnknownColumn',
      "SELECT 1 FROM books b JOIN reviews r ON r.book = b.id WHERE AI_FILTER('«{id}')",
      /b\.id or r\.id/,
    ],
    [
      'UnknownColumn',
      "SELECT «id FROM books b JOIN reviews r ON r.book = b.id WHERE AI_FILTER('{title}')",
      /ambiguous/,
    ],
    ['UnknownColumn', "SELECT 1 FROM books b JOIN reviews r ON r.book = b.id WHERE AI_FILTER('«{titel}')", /title/],
    ['UnknownColumn', "SELECT 1 FROM books b JOIN reviews r ON r.book = b.id WHERE AI_FILTER('«{r.title}')", /b, r/],
    [
      'UnsupportedSql',
      "SELECT 1 FROM books b JOIN tags g ON g.book = b.id LEFT JOIN reviews r ON «AI_FILTER('{title} {txt}')",
      /subquery/,
    ],
    [
      'UnsupportedSql',
      "SELECT 1 FROM books b FULL JOIN (reviews r JOIN tags g ON «AI_FILTER('{tag} {txt}')) ON true",
      /FULL/,
    ],
    [
      'UnsupportedSql',
      "SELECT «r FROM books b JOIN reviews r ON r.book = b.id WHERE AI_FILTER('{title}')",
      /whole row/,
    ],
    ['UnsupportedSql', "SELECT 1 FROM books «JOIN books ON true WHERE AI_FILTER('{title}')", /alias/],
    ['UnknownTable', "SELECT «x.* FROM books b JOIN reviews r ON r.book = b.id WHERE AI_FILTER('{title}')", /b\.\*/],
  ];
  for (const [code, marked, message] of refused) {
    it(marked, async () => {
      const at = marked.indexOf('«');
      const error = await bench.plan(marked.replace('«', '')).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code, where: { position: at } });
      const { message: said, hint = '' } = error as { message: string; hint?: string };
      expect(`${said} ${hint}`).toMatch(message);
    });
  }
});
