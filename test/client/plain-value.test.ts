import { afterAll, beforeAll, expect, test } from 'vitest';
import { plainValue, typeOf } from '../../client/plain-value.js';
import { openWorkshop, simulate, type Workshop } from '../support/relations.js';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

/** A DuckDB expression, and what a program is given for it. */
const values: readonly (readonly [string, unknown])[] = [
  ['true', true],
  ['3::INTEGER', 3],
  ['(-9223372036854775808)::BIGINT', -9223372036854775808n],
  ['(SELECT sum(x) FROM (VALUES (3), (4)) AS v(x))', 7n],
  ['(-170000000000000000000000000000000000)::HUGEINT', -170000000000000000000000000000000000n],
  ['-12.345::DECIMAL(10,3)', '-12.345'],
  ['0.05::DECIMAL(4,2)', '0.05'],
  ['99999999999999999999999999999999.123456::DECIMAL(38,6)', '99999999999999999999999999999999.123456'],
  ['-0.1::DOUBLE', -0.1],
  [`'a🍎"'`, 'a🍎"'],
  [`'\\x00\\xFF'::BLOB`, new Uint8Array([0, 255])],
  ['[1, NULL, 3]', [1, null, 3]],
  [`[['a'], [], NULL]`, [['a'], [], null]],
  ['[1.50, 2.25]', ['1.50', '2.25']],
  ['[1.5, 2.5]::DOUBLE[2]', [1.5, 2.5]],
  [`{'x': 5::HUGEINT, 'y y': ['a', NULL], 'z': {'d': 1.25}}`, { x: 5n, 'y y': ['a', null], z: { d: '1.25' } }],
  [`MAP {'k': 1.5, 'l': NULL}`, { k: '1.5', l: null }],
  [`MAP {3: ['a']}`, { 3: ['a'] }],
  ['NULL', null],
  ['NULL::DECIMAL(10,3)', null],
];

test('rows hold every value as plain JavaScript, with all digits of large and decimal numbers', async () => {
  const table = await workshop.snapshot('id\n1\n', 'csv');
  const columns = values.map(([expression], at) => `${expression} AS c${String(at)}`);
  const finalSql = `SELECT ${columns.join(', ')} FROM __rows AS t`;
  const { rows } = await simulate(workshop, table, { calls: [], finalSql, answer: () => ({ state: 'null' }) });
  const read = rows.schema.fields.map((field, at) => plainValue(rows.getChildAt(at)?.get(0), typeOf(field)));
  expect(read).toEqual(values.map(([, value]) => value));
});
