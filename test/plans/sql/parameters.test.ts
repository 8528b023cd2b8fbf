import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parameterLiterals, type QueryParameters } from '../../../client/parameters.js';
import type { SqlLiteral } from '../../../client/relation/sql-text.js';
import { type Bench, openBench } from '../../support/sql-plan-executor.js';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(["CREATE TABLE t AS SELECT i AS id, 'item ' || i AS text FROM range(20) r(i)"]);
});
afterAll(() => bench.close());

async function rows(sql: string, params: QueryParameters): Promise<unknown[][]> {
  const plan = await bench.plan(sql, 'pullup', parameterLiterals(params));
  const odd = (_call: unknown, [text = '']: readonly string[]) => /[13579]$/.test(text);
  return (await bench.execute(plan, odd)).rows as unknown[][];
}

const values: fc.Arbitrary<SqlLiteral> = fc.oneof(
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
  fc.constantFrom("'; SELECT 1 --", '$id', '?', '{text}', '/* */', 'x'.repeat(10_000)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.record({ a: fc.integer(), b: fc.string({ minLength: 1, maxLength: 5 }) }),
);

test('a value is what its literal is, whatever it holds', async () => {
  await fc.assert(
    fc.asyncProperty(values, async (value) => {
      const { literal = '' } = parameterLiterals({ literal: value });
      const { rows: want } = await bench.query(`SELECT ${literal} AS v, typeof(${literal}) AS t`);
      expect(await rows('SELECT $v AS v, typeof($v) AS t FROM t LIMIT 1', { v: value })).toEqual(want);
    }),
    { numRuns: 150 },
  );
});

describe('stand wherever a value does', () => {
  test.each<[string, QueryParameters, unknown[][]]>([
    ['SELECT id FROM t WHERE id < ? ORDER BY id LIMIT ?', [9n, 2], [['0'], ['1']]],
    ['SELECT id FROM t WHERE id < $2 ORDER BY id LIMIT $1', [2, 9n], [['0'], ['1']]],
    [
      "SELECT id FROM t WHERE AI_FILTER('Odd? {text}') AND id BETWEEN $low AND $High",
      { low: 4, high: 8 },
      [['5'], ['7']],
    ],
    ['SELECT id FROM t WHERE AI_FILTER($ask) AND id < 4', { ask: 'Odd? {text}' }, [['1'], ['3']]],
    [
      "WITH odd AS (SELECT * FROM t WHERE AI_FILTER('Odd? {text}') AND id > $n) SELECT a.id FROM odd a JOIN t b ON a.id = b.id AND b.id < $m",
      { n: 3, m: 8 },
      [['5'], ['7']],
    ],
    ['SELECT id FROM t WHERE id = ANY($ids) ORDER BY id', { ids: [3, 5] }, [['3'], ['5']]],
  ])('%s', async (sql, params, want) => {
    expect(await rows(sql, params)).toEqual(want);
  });
});

describe('told before anything is asked, at its place', () => {
  test.each<[string, QueryParameters, string]>([
    ['SELECT id FROM t WHERE id < «$n', {}, '$n has no value'],
    ['SELECT id FROM t WHERE id < ? AND id > «?', [1], '$2 has no value'],
    ['SELECT id FROM t', { n: 1 }, 'no parameter $n'],
    ['SELECT id FROM t WHERE id < $n', { n: 1, m: 2 }, 'no parameter $m'],
    ['SELECT id FROM t WHERE id < $n AND id > ?', { n: 1 }, 'named and positional'],
  ])('%s', async (marked, params, message) => {
    const failure = rows(marked.replace('«', ''), params);
    await expect(failure).rejects.toMatchObject({
      message: expect.stringContaining(message) as string,
      where: marked.includes('«') ? { position: marked.indexOf('«') } : {},
    });
  });

  test.each(['id', '(SELECT 1)', '1; SELECT 2', '1, 2', "read_text('x')", 'random()', '*'])(
    'a value that is code is none: %s',
    async (literal) => {
      const plan = bench.plan('SELECT id FROM t WHERE id < $n', 'pullup', { n: literal });
      await expect(plan).rejects.toMatchObject({ code: 'BadArgument', where: { position: 28 } });
    },
  );
});
