import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../support/sql-plan-executor.js';
import { standIn, standInMacros } from '../../support/sql-stand-ins.js';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(
    [
      ...standInMacros,
      'CREATE TABLE books(id INTEGER, title VARCHAR, year INTEGER, cover VARCHAR)',
      `INSERT INTO books SELECT i, CASE WHEN i = 4 THEN NULL ELSE repeat('b', i) END, 1990 + i % 3, 'c' || i FROM range(8) r(i)`,
      'CREATE TABLE reviews(id INTEGER, book INTEGER, txt VARCHAR, stars INTEGER)',
      `INSERT INTO reviews SELECT i, i % 6, CASE WHEN i % 7 = 3 THEN NULL ELSE repeat('r', i % 5) || ' {x} "q"' END, i % 5 FROM range(20) r(i)`,
    ],
    { 'books.cover': 'image' },
  );
});
afterAll(() => bench.close());

/** [the query, the same in plain SQL] */
const cases: [string, string][] = [
  [
    "SELECT count(*) AS n FROM (SELECT * FROM reviews WHERE AI_FILTER('{txt}')) t",
    'SELECT count(*) AS n FROM (SELECT * FROM reviews WHERE yes(txt)) t',
  ],
  [
    "WITH good(nr, b) AS (SELECT id, book FROM reviews WHERE AI_FILTER('{txt}')) SELECT nr, title FROM good JOIN books ON b = books.id ORDER BY nr",
    'WITH good(nr, b) AS (SELECT id, book FROM reviews WHERE yes(txt)) SELECT nr, title FROM good JOIN books ON b = books.id ORDER BY nr',
  ],
  [
    "WITH good AS (SELECT * FROM reviews WHERE AI_FILTER('{txt}')), better AS (SELECT * FROM good WHERE stars > 1) SELECT g.id, b.id FROM good g JOIN better b ON g.book = b.book WHERE AI_FILTER('{b.txt}') ORDER BY 1, 2",
    'WITH good AS (SELECT * FROM reviews WHERE yes(txt)), better AS (SELECT * FROM good WHERE stars > 1) SELECT g.id, b.id FROM good g JOIN better b ON g.book = b.book WHERE yes(b.txt) ORDER BY 1, 2',
  ],
  [
    "SELECT title FROM books WHERE id IN (SELECT book FROM reviews WHERE AI_FILTER('{txt}'))",
    'SELECT title FROM books WHERE id IN (SELECT book FROM reviews WHERE yes(txt))',
  ],
  [
    "SELECT id FROM books b WHERE id IN (SELECT book FROM reviews r WHERE b.year - 1990 < stars AND AI_FILTER('{txt}')) ORDER BY 1",
    'SELECT id FROM books b WHERE id IN (SELECT book FROM reviews r WHERE b.year - 1990 < stars AND yes(txt)) ORDER BY 1',
  ],
  [
    // both have an id: within the subquery it is that of reviews, as is what is compared with the book's
    "SELECT id FROM books WHERE id + 10 IN (SELECT id FROM reviews WHERE id > year - 1982 AND AI_FILTER('{txt} {title}')) ORDER BY 1",
    'SELECT id FROM books WHERE id + 10 IN (SELECT id FROM reviews WHERE id > year - 1982 AND yes(title) AND txt IS NOT NULL) ORDER BY 1',
  ],
  [
    "SELECT id FROM books b WHERE AI_FILTER('{title}') AND b.id NOT IN (SELECT r.book FROM reviews r WHERE r.id > b.year - 1985 AND AI_FILTER('{txt}')) ORDER BY 1",
    'SELECT id FROM books b WHERE yes(title) AND b.id NOT IN (SELECT r.book FROM reviews r WHERE r.id > b.year - 1985 AND yes(txt)) ORDER BY 1',
  ],
  [
    // a NULL among what is compared: no book is known not to be there
    "SELECT id FROM books b WHERE id NOT IN (SELECT CASE WHEN r.id <> 7 THEN r.book END FROM reviews r WHERE r.stars = b.year - 1989 AND AI_FILTER('{txt}')) ORDER BY 1",
    'SELECT id FROM books b WHERE id NOT IN (SELECT CASE WHEN r.id <> 7 THEN r.book END FROM reviews r WHERE r.stars = b.year - 1989 AND yes(txt)) ORDER BY 1',
  ],
  [
    "SELECT id FROM books b WHERE NOT (nullif(id, 2) > ANY (SELECT r.stars FROM reviews r WHERE r.book = b.id AND AI_FILTER('{txt}'))) ORDER BY 1",
    'SELECT id FROM books b WHERE NOT (nullif(id, 2) > ANY (SELECT r.stars FROM reviews r WHERE r.book = b.id AND yes(txt))) ORDER BY 1',
  ],
  [
    // an aggregate makes a row of none
    "SELECT id FROM books WHERE EXISTS (SELECT count(*) FROM reviews WHERE stars > 100 AND AI_FILTER('{txt}')) ORDER BY 1",
    'SELECT id FROM books WHERE EXISTS (SELECT count(*) FROM reviews WHERE stars > 100 AND yes(txt)) ORDER BY 1',
  ],
  [
    "SELECT title FROM books WHERE AI_FILTER('{title}') AND id NOT IN (SELECT book FROM reviews WHERE AI_FILTER('{txt}') AND book IS NOT NULL)",
    'SELECT title FROM books WHERE yes(title) AND id NOT IN (SELECT book FROM reviews WHERE yes(txt) AND book IS NOT NULL)',
  ],
  [
    "SELECT id, (SELECT count(*) FROM reviews WHERE AI_FILTER('{txt}')) AS n FROM books",
    'SELECT id, (SELECT count(*) FROM reviews WHERE yes(txt)) AS n FROM books',
  ],
  [
    "SELECT id FROM reviews WHERE AI_FILTER('{txt}') UNION ALL SELECT id FROM books WHERE AI_FILTER('{title}') ORDER BY 1 DESC",
    'SELECT id FROM reviews WHERE yes(txt) UNION ALL SELECT id FROM books WHERE yes(title) ORDER BY 1 DESC',
  ],
  [
    "WITH w AS (SELECT * FROM books WHERE year > 1990) (SELECT id FROM w WHERE AI_FILTER('{title}')) EXCEPT SELECT book FROM reviews WHERE AI_FILTER('{txt}') AND stars = 3",
    'WITH w AS (SELECT * FROM books WHERE year > 1990) (SELECT id FROM w WHERE yes(title)) EXCEPT SELECT book FROM reviews WHERE yes(txt) AND stars = 3',
  ],
  [
    "SELECT c, sum(n) AS s FROM (SELECT book, AI_CLASSIFY(txt, ['a', 'b']) AS c, count(*) AS n FROM reviews GROUP BY ALL) g WHERE AI_FILTER('{c}') OR n > 1 GROUP BY c ORDER BY c",
    "SELECT c, sum(n) AS s FROM (SELECT book, pick(txt, ['a', 'b']) AS c, count(*) AS n FROM reviews GROUP BY ALL) g WHERE yes(c) OR n > 1 GROUP BY c ORDER BY c",
  ],
  [
    "SELECT * FROM (SELECT r.id, b.id FROM reviews r JOIN books b ON r.book = b.id WHERE AI_FILTER('{r.txt}')) j ORDER BY 1",
    'SELECT * FROM (SELECT r.id, b.id FROM reviews r JOIN books b ON r.book = b.id WHERE yes(r.txt)) j ORDER BY 1',
  ],
  [
    "SELECT AI_COMPLETE('{s}') AS again FROM (SELECT string_agg(AI_COMPLETE('{txt}'), ',' ORDER BY id) AS s FROM reviews WHERE id < 4) t",
    "SELECT said(s) AS again FROM (SELECT string_agg(said(txt), ',' ORDER BY id) AS s FROM reviews WHERE id < 4) t",
  ],
  [
    "FROM (FROM (FROM reviews WHERE AI_FILTER('{txt}')) a WHERE AI_FILTER('again {txt}') AND stars > 0) b SELECT count(*) AS n",
    'FROM (FROM (FROM reviews WHERE yes(txt)) a WHERE yes(txt) AND stars > 0) b SELECT count(*) AS n',
  ],
  [
    "SELECT id FROM (SELECT id, txt FROM reviews WHERE AI_FILTER('{txt}') ORDER BY id DESC LIMIT 4) t WHERE AI_FILTER('{id}')",
    'SELECT id FROM (SELECT id, txt FROM reviews WHERE yes(txt) ORDER BY id DESC LIMIT 4) t WHERE yes(id::VARCHAR)',
  ],
  [
    "WITH q AS (SELECT id FROM reviews WHERE AI_FILTER('{txt}')), p AS (WITH q AS (SELECT 100 AS id) SELECT id FROM q) SELECT * FROM p UNION ALL SELECT * FROM q ORDER BY 1",
    'WITH q AS (SELECT id FROM reviews WHERE yes(txt)), p AS (WITH q AS (SELECT 100 AS id) SELECT id FROM q) SELECT * FROM p UNION ALL SELECT * FROM q ORDER BY 1',
  ],
  [
    "WITH w AS (SELECT * FROM books WHERE year > 1990) SELECT t.id, w.title FROM (WITH w AS (SELECT * FROM reviews WHERE stars > 2) SELECT * FROM (SELECT id, book FROM w WHERE AI_FILTER('{txt}')) s) t JOIN w ON w.id = t.book ORDER BY 1",
    'WITH w AS (SELECT * FROM books WHERE year > 1990) SELECT t.id, w.title FROM (WITH w AS (SELECT * FROM reviews WHERE stars > 2) SELECT * FROM (SELECT id, book FROM w WHERE yes(txt)) s) t JOIN w ON w.id = t.book ORDER BY 1',
  ],
  [
    "SELECT t.a, count(*) AS n FROM (SELECT id, AI_CLASSIFY(txt, ['x', 'y']) FROM reviews) AS t(id, a) GROUP BY 1 ORDER BY 1",
    "SELECT t.a, count(*) AS n FROM (SELECT id, pick(txt, ['x', 'y']) FROM reviews) AS t(id, a) GROUP BY 1 ORDER BY 1",
  ],
  [
    "SELECT b.id FROM books b JOIN (SELECT book FROM reviews WHERE AI_FILTER('{txt}')) r ON r.book = b.id WHERE EXISTS (SELECT 1 FROM reviews x WHERE AI_FILTER('{x.txt}') AND x.stars = 4) ORDER BY 1",
    'SELECT b.id FROM books b JOIN (SELECT book FROM reviews WHERE yes(txt)) r ON r.book = b.id WHERE EXISTS (SELECT 1 FROM reviews x WHERE yes(x.txt) AND x.stars = 4) ORDER BY 1',
  ],
];

describe('a nested query gives what plain SQL with the same answers gives', () => {
  for (const [semantic, plain] of cases) {
    it(semantic, async () => {
      const { columns, rows } = await bench.execute(await bench.plan(semantic), standIn, 5);
      const wanted = await bench.query(plain);
      expect(columns).toEqual(wanted.columns);
      expect(plain.includes('ORDER BY') ? rows : sorted(rows)).toEqual(
        plain.includes('ORDER BY') ? wanted.rows : sorted(wanted.rows),
      );
      expect(wanted.rows.length).toBeGreaterThan(0);
    });
  }
});

function sorted(rows: readonly unknown[][]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

it('ids of calls are unique over all blocks, and a name of WITH that is read twice is asked once', async () => {
  const plan = await bench.plan(
    "WITH g AS (SELECT *, AI_COMPLETE('{txt}') AS c FROM reviews WHERE AI_FILTER('{txt}')) SELECT a.id FROM g a JOIN g b USING (id) WHERE AI_FILTER('{a.c}') AND AI_FILTER('{b.txt} ?')",
  );
  const blocks = [...(plan.before ?? []).map(({ block }) => block), plan];
  expect(blocks.map(({ calls }) => calls.map(({ id }) => id))).toEqual([
    ['f0', 'c0'],
    ['f1', 'f2'],
  ]);
});

it('a column keeps its modality through nested queries', async () => {
  const plan = await bench.plan(
    "SELECT AI_COMPLETE('{pic}') FROM (SELECT cover AS pic FROM books WHERE AI_FILTER('{title}')) t",
  );
  expect(plan.calls[0]?.inputs[0]?.modality).toBe('image');
});

describe('what cannot be nested is refused at its place', () => {
  const refused: [string, string, RegExp][] = [
    [
      'UnknownTable',
      "SELECT id FROM books b WHERE year > (SELECT max(book) FROM reviews r WHERE «b.id = r.id AND AI_FILTER('{txt}'))",
      /join/,
    ],
    [
      'UnknownTable',
      "SELECT id FROM books b WHERE id IN (SELECT max(book) FROM reviews r WHERE «b.id = r.id AND AI_FILTER('{txt}'))",
      /join/,
    ],
    [
      'UnsupportedSql',
      "WITH RECURSIVE q AS (SELECT id FROM books WHERE «AI_FILTER('{title}') UNION ALL SELECT id + 1 FROM q WHERE id < 3) SELECT * FROM q",
      /recursive/i,
    ],
    [
      'UnknownColumn',
      "SELECT id FROM (SELECT id FROM reviews WHERE AI_FILTER('{txt}')) t WHERE AI_FILTER('«{txt}')",
      /id/,
    ],
    ['UnsupportedSql', 'SELECT * FROM «__q0', /reserved/],
    ['UnsupportedSql', "SELECT id FROM books UNION SELECT id FROM reviews ORDER BY «AI_SCORE('{id}')", /UNION/],
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
