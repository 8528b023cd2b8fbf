import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offsetInString, tokenize } from '../../../plans/sql/lexer.js';
import { fileTables, renameReserved } from '../../../plans/sql/tokens.js';

const kindsOf = (sql: string): string[] =>
  tokenize(sql)
    .filter(({ kind }) => kind !== 'space')
    .map(({ kind, start, end }) => `${kind} ${sql.slice(start, end)}`);

/** SQL-like noise: whole tokens and pieces of them, in any order. */
const noise = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'AI.IF(',
        "'",
        "''",
        '"',
        '--',
        '/*',
        '*/',
        '$$',
        '$a$',
        "E'",
        '\\',
        '\n',
        'FROM ',
        'JOIN',
        ',',
        '(',
        ')',
        '😀',
        '=>',
        '1.5e3',
        '?',
        '$1',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

describe('tokenize', () => {
  it('covers any text without gaps and never throws', () => {
    fc.assert(
      fc.property(noise, (sql) => {
        const tokens = tokenize(sql);
        expect(tokens.map(({ start, end }) => sql.slice(start, end)).join('')).toBe(sql);
        expect(tokens.every(({ start, end }, i) => end > start && start === (tokens[i - 1]?.end ?? 0))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["'it''s' x", ["string 'it''s'", 'word x']],
    ["E'a\\'b' x", ["escaped E'a\\'b'", 'word x']],
    ['"a""b".c', ['quoted "a""b"', 'punct .', 'word c']],
    ["$$it's$$ $t$ $$ $t$", ["dollar $$it's$$", 'dollar $t$ $$ $t$']],
    ['/* a /* b */ c */ x', ['comment /* a /* b */ c */', 'word x']],
    ["x -- 'y\nz", ['word x', "comment -- 'y", 'word z']],
    ["'open", ["string 'open"]],
    ['a$b1 $1 ?2', ['word a$b1', 'parameter $1', 'parameter ?2']],
    ['x=>1.5e3', ['word x', 'punct =>', 'number 1.5e3']],
  ])('%s', (sql, tokens) => expect(kindsOf(sql)).toEqual(tokens));

  it('finds a character of a string in the text', () => {
    const check = (literal: string, value: string): void => {
      const sql = `SELECT ${literal}`;
      const token = tokenize(sql).at(-1)!;
      Array.from(value).forEach((char, i) => {
        if (char !== "'") expect(sql.charAt(offsetInString(sql, token, i))).toBe(char);
      });
    };
    check("'a''b{c'", "a'b{c");
    check("$tag$a'b$tag$", "a'b");
  });
});

describe('renameReserved', () => {
  it('keeps the length, and everything but AI.IF', () => {
    fc.assert(
      fc.property(noise, (sql) => {
        const renamed = renameReserved(sql);
        expect(renamed).toHaveLength(sql.length);
        expect(renameReserved(renamed)).toBe(renamed);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["AI.IF('x')", "AI_IF('x')"],
    ["ai.If ('x')", "ai_If ('x')"],
    ['AI . /* why */ IF(x)', `AI_IF${' '.repeat(12)}(x)`],
    ['NOT AI.IF(a) AND AI.IF(b)', 'NOT AI_IF(a) AND AI_IF(b)'],
    [
      '\'AI.IF(x)\' -- AI.IF(\n/* AI.IF( */ "AI.IF(" $$AI.IF($$',
      '\'AI.IF(x)\' -- AI.IF(\n/* AI.IF( */ "AI.IF(" $$AI.IF($$',
    ],
    ['AI.IFS(x), AI.CLASSIFY(x), x.AI.IF(y), AI.IF', 'AI.IFS(x), AI.CLASSIFY(x), x.AI.IF(y), AI.IF'],
  ])('%s', (sql, renamed) => expect(renameReserved(sql)).toBe(renamed));
});

describe('fileTables', () => {
  it('never throws', () => {
    fc.assert(
      fc.property(noise, (sql) => {
        for (const { position } of fileTables(sql)) expect(["'", '"']).toContain(sql.charAt(position));
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[string, string[]]>([
    ["SELECT * FROM 'a.csv'", ['a.csv']],
    ["from 'it''s.csv' AS x JOIN \"dir/b.parquet\" ON true, 'c.json'", ["it's.csv", 'dir/b.parquet', 'c.json']],
    ["FROM read_csv('a.csv') x, READ_PARQUET( 'b' ), parquet_scan('c')", ['a.csv', 'b', 'c']],
    ["SELECT * FROM t WHERE a IS DISTINCT FROM 'x.csv'", []],
    ["SELECT extract(year FROM '2020-01-01'), trim(both FROM 'a.csv') FROM t, 'b.csv'", ['b.csv']],
    ["SELECT * FROM (SELECT * FROM 'a.csv', t) x, 'b.csv' WHERE y IN ('c.csv', 'd.csv')", ['a.csv', 'b.csv']],
    ["SELECT 'x' FROM t ORDER BY a, 'b.csv'", []],
    ["SELECT * FROM t GROUP BY a, 'b.csv'", []],
    ["SELECT 'FROM ''x.csv''' -- FROM 'y.csv'\n/* FROM 'z.csv' */", []],
    ['FROM "plain", "sch.x".t, "up/x.csv"', ['up/x.csv']],
    ["FROM 'a.csv' UNION ALL FROM 'a.csv'", ['a.csv']],
    ["SELECT count(DISTINCT 'x'), f(a, 'b.csv') FROM t", []],
  ])('%s', (sql, names) => expect(fileTables(sql).map(({ name }) => name)).toEqual(names));
});
