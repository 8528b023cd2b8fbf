import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../support/sql-plan-executor.js';

let bench: Bench;
beforeAll(async () => {
  const texts = ['NULL', "''", "'a'", "'ab'", "'b'"];
  const values = texts.flatMap((t) =>
    texts.slice(0, 3).flatMap((u) => ['NULL', '1', '2'].map((n) => `(${t}, ${u}, ${n})`)),
  );
  bench = await openBench([
    "CREATE MACRO yes(v) AS contains(v, 'a')",
    'CREATE TABLE t(a VARCHAR, b VARCHAR, n INTEGER)',
    `INSERT INTO t VALUES ${values.join(', ')}`,
  ]);
});
afterAll(() => bench.close());

interface Pair {
  readonly semantic: string;
  readonly plain: string;
}
const pair = (semantic: string, plain = semantic): Pair => ({ semantic, plain });

const atom = fc.constantFrom(
  pair("AI_FILTER('x {a}')", 'yes(a)'),
  pair("AI_FILTER('y {b}')", 'yes(b)'),
  pair("AI_IF(('z', t.a))", 'yes(a)'),
  pair("(AI_SCORE('{a}') > 0)", '(length(a) > 0)'),
  pair('n = 1'),
  pair('n > 1'),
  pair('a IS NULL'),
  pair('TRUE'),
  pair('NULL::BOOLEAN'),
);

const { tree } = fc.letrec<{ tree: Pair }>((self) => {
  const joined =
    (word: string) =>
    (parts: Pair[]): Pair =>
      pair(`(${parts.map((p) => p.semantic).join(word)})`, `(${parts.map((p) => p.plain).join(word)})`);
  const wrapped = (before: string, after: string) =>
    self('tree').map((p) => pair(`${before}${p.semantic}${after}`, `${before}${p.plain}${after}`));
  const children = fc.array(self('tree'), { minLength: 2, maxLength: 3 });
  return {
    tree: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'tree' },
      atom,
      children.map(joined(' AND ')),
      children.map(joined(' OR ')),
      wrapped('(NOT ', ')'),
      wrapped('((', ') IS NULL)'),
      wrapped('((', ') IS NOT TRUE)'),
      wrapped('(CASE WHEN ', " THEN n = 1 ELSE a = 'ab' END)"),
      wrapped('coalesce(', ', n = 2)'),
    ),
  };
});

describe('WHERE keeps the three-valued meaning of SQL', () => {
  it('for any tree of conditions, with and without LIMIT', async () => {
    await fc.assert(
      fc.asyncProperty(tree, fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }), async (where, limit) => {
        const tail = limit === undefined ? '' : ` LIMIT ${limit} OFFSET 1`;
        const select = (condition: string): string => `SELECT a, b, n FROM t WHERE ${condition}${tail}`;
        const plan = await bench.plan(select(where.semantic));
        const got = await bench.execute(
          plan,
          (call, inputs) => (call.parameters.kind === 'score' ? inputs[0]!.length : inputs[0]!.includes('a')),
          2,
        );
        expect(got.rows).toEqual((await bench.query(select(where.plain))).rows);
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  it('makes filters of plain conjuncts only, however nested the ANDs', async () => {
    const roles = async (where: string): Promise<string[]> =>
      (await bench.plan(`SELECT 1 AS one FROM t WHERE ${where}`)).calls.map(({ id }) => id);
    expect(await roles("(n = 1 AND (AI_FILTER('{a}') AND AI_FILTER('{b}'))) AND n = 2")).toEqual(['f0', 'f1']);
    expect(await roles("NOT AI_FILTER('{a}')")).toEqual(['c0']);
    expect(await roles("(AI_FILTER('{a}') OR n = 1) AND AI_FILTER('{a}')")).toEqual(['f0']);
    expect(await roles("AI_FILTER('{a}') = TRUE")).toEqual(['c0']);
    expect(await roles("AI_FILTER(AI_COMPLETE('{a}'))")).toEqual(['c0', 'c1']);
  });

  it('makes one evaluation of what would not repeat itself', async () => {
    const plan = await bench.plan("SELECT a FROM t WHERE random() < 2 AND n < 5 AND AI_FILTER('{a}')");
    expect(plan.source.sql).toMatch(/random/);
    expect(plan.source.table).toBeUndefined();
    expect(plan.rows.sql + plan.final.sql).not.toMatch(/random/);
    expect((await bench.plan("SELECT a FROM t WHERE now() > '2020-01-01' AND AI_FILTER('{a}')")).source.sql).toMatch(
      /now/,
    );
    expect((await bench.plan("SELECT a FROM t AS x WHERE AI_FILTER('{x.a}')")).source).toMatchObject({
      table: 't',
      alias: 'x',
    });
  });
});
