import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, openWorkshop, records, simulate, type Workshop } from '../../../support/relations.js';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

const csv = 'id,text\n1,good\n2,bad\n3,good\n4,\n5,"so, so"\n6,bad\n7,broken\n';
const verdict = (text = '') =>
  text === 'broken'
    ? ({ state: 'error', code: 'badOutput', message: 'no verdict' } as const)
    : ({ state: 'ok', value: String(text === 'good') } as const);

describe('a query over one table', () => {
  test('asks each distinct non-NULL input once, in order of first occurrence, with its number of rows', async () => {
    const table = await workshop.snapshot(csv, 'csv');
    const run = await simulate(workshop, table, {
      calls: [call('f0', ['t.text'])],
      finalSql: 'SELECT id, text FROM __rows AS t',
      answer: (_, input) => verdict(input.values[0]),
      partitionRows: 2,
    });
    expect(run.asked.map(({ rows }) => rows)).toEqual([
      [
        { in: 0, n: 2, values: ['good'] },
        { in: 1, n: 2, values: ['bad'] },
      ],
      [
        { in: 2, n: 1, values: ['so, so'] },
        { in: 3, n: 1, values: ['broken'] },
      ],
    ]);
    expect(run.written[0]).toMatchObject({ rows: 7, inputs: 4, partitions: 2 });
    expect(records(run.rows).map((row) => Number(row['id']))).toEqual([1, 3]);
    expect(run.final).toMatchObject({ asked: 6, undecided: 0, errors: { count: 1 } });
    const errors = records(await workshop.result(run.final.errors.object));
    expect(errors).toEqual([{ row: 7n, operator: 'f0', code: 'badOutput', message: 'no verdict' }]);
  });

  test('later calls see the answers of earlier ones and only the rows that are left', async () => {
    const table = await workshop.snapshot(csv, 'csv');
    const run = await simulate(workshop, table, {
      calls: [call('f0', ['t.text']), call('c0', [`t.text || '/' || t.__a_f0`, 't.id'], { kind: 'string' })],
      finalSql: 'SELECT id, __a_c0 AS said FROM __rows AS t ORDER BY id DESC',
      answer: (each, input) =>
        each.id === 'f0' ? verdict(input.values[0]) : { state: 'ok', value: JSON.stringify(input.values.join('|')) },
    });
    expect(records(run.rows)).toEqual([
      { id: 3n, said: 'good/true|3' },
      { id: 1n, said: 'good/true|1' },
    ]);
  });

  test.each([
    ['null', [1, 2, 3, 4, 5, 6, 7]],
    ['skip', [1, 2, 3, 4, 5, 6]],
  ] as const)('a failed value is %s', async (onError, ids) => {
    const table = await workshop.snapshot(csv, 'csv');
    const run = await simulate(workshop, table, {
      calls: [call('c0', ['t.text'])],
      finalSql: 'SELECT id, __a_c0 FROM __rows AS t',
      answer: (_, input) => verdict(input.values[0]),
      onError,
    });
    expect(records(run.rows).map((row) => Number(row['id']))).toEqual(ids);
    expect(records(run.rows).map((row) => row['__a_c0'])).toEqual(
      [true, false, true, null, false, false, null].slice(0, ids.length),
    );
  });

  test('undecided rows leave and are counted; a NULL input is not one of them', async () => {
    const table = await workshop.snapshot(csv, 'csv');
    const run = await simulate(workshop, table, {
      calls: [call('c0', ['t.text'])],
      finalSql: 'SELECT id FROM __rows AS t',
      answer: (_, input) => (input.values[0] === 'good' ? { state: 'ok', value: 'true' } : { state: 'undecided' }),
    });
    expect(records(run.rows).map((row) => Number(row['id']))).toEqual([1, 3, 4]);
    expect(run.final.undecided).toBe(4);
  });

  test('only the first rows that pass are asked for values', async () => {
    const table = await workshop.snapshot(csv, 'csv');
    const run = await simulate(workshop, table, {
      calls: [call('f0', ['t.text']), call('c0', ['t.id'], { kind: 'integer' })],
      rowsSql: 'SELECT __row FROM __source AS t ORDER BY id DESC',
      finalSql: 'SELECT id, __a_c0 AS c FROM __rows AS t ORDER BY id DESC LIMIT 1',
      answer: (each, input) =>
        each.id === 'f0' ? verdict(input.values[0]) : { state: 'ok', value: input.values[0] ?? '' },
      first: 1,
    });
    expect(run.asked.filter((each) => each.call === 'c0').flatMap((each) => each.rows)).toEqual([
      { in: 0, n: 1, values: ['3'] },
    ]);
    expect(records(run.rows)).toEqual([{ id: 3n, c: 3n }]);
    expect(run.final.undecided).toBe(0);
  });

  test('an answer that does not fit its type is NULL and ends nothing', async () => {
    const table = await workshop.snapshot(csv, 'csv');
    for (const [output, value] of [
      [{ kind: 'integer' }, '"many"'],
      [{ kind: 'date' }, '"someday"'],
      [{ kind: 'list', item: { kind: 'integer' } }, '{"a": 1}'],
      [{ kind: 'string' }, 'no json'],
    ] as const) {
      const run = await simulate(workshop, table, {
        calls: [call('c0', ['t.text'], output)],
        finalSql: 'SELECT count(*) AS n, count(__a_c0) AS c FROM __rows AS t',
        answer: () => ({ state: 'ok', value }),
      });
      expect(records(run.rows)).toEqual([{ n: 7n, c: 0n }]);
    }
  });

  test('a table of 0 rows asks nothing and gives its columns', async () => {
    const table = await workshop.snapshot('id,text\n', 'csv');
    const run = await simulate(workshop, table, {
      calls: [call('f0', ['t.text'])],
      finalSql: 'SELECT id, text FROM __rows AS t',
      answer: () => ({ state: 'ok', value: 'true' }),
    });
    expect(run.asked).toEqual([]);
    expect(run.rows.numRows).toBe(0);
    expect(run.final.rows.columns.map(({ name }) => name)).toEqual(['id', 'text']);
  });

  test('rows keep the order of the plan without ORDER BY, over many row groups', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `${String(index)},${String(index % 7)}`);
    const table = await workshop.snapshot(`id,k\n${lines.join('\n')}\n`, 'csv');
    const run = await simulate(workshop, table, {
      calls: [call('f0', ['t.k'])],
      finalSql: 'SELECT id FROM __rows AS t',
      answer: (_, input) => ({ state: 'ok', value: String(Number(input.values[0]) < 3) }),
    });
    const ids = lines.map((_, index) => index).filter((index) => index % 7 < 3);
    expect(records(run.rows).map((row) => Number(row['id']))).toEqual(ids);
  });
});
