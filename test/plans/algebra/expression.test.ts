import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Expression } from '../../../plans/algebra/expression.js';
import { typeOfExpression } from '../../../plans/algebra/expression-check.js';
import { parseExpression } from '../../../plans/algebra/expression-parse.js';
import { expressionText } from '../../../plans/algebra/expression-text.js';
import { functions } from '../../../plans/algebra/functions.js';

const name = fc.oneof(
  fc.constantFrom('a', 'Score', 'and', 'null', 'with space', 'q"uote', 'threshold'),
  fc.string({ minLength: 1, maxLength: 5 }),
);
const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((value) => (Object.is(value, -0) ? 0 : value));

const expressions = fc.letrec<{ any: Expression }>((tie) => {
  const items = fc.array(tie('any'), { minLength: 2, maxLength: 3 });
  return {
    any: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.record({ kind: fc.constant('column' as const), name }),
      fc.record({
        kind: fc.constant('literal' as const),
        value: fc.oneof(fc.constant(null), fc.boolean(), number, fc.string()),
      }),
      fc.record({ kind: fc.constant('threshold' as const), value: number }),
      fc.record({
        kind: fc.constant('compare' as const),
        operator: fc.constantFrom('=', '<>', '<', '<=', '>', '>='),
        left: tie('any'),
        right: tie('any'),
      }),
      fc.record({
        kind: fc.constant('arithmetic' as const),
        operator: fc.constantFrom('+', '-', '*', '/'),
        left: tie('any'),
        right: tie('any'),
      }),
      fc.record({ kind: fc.constantFrom('and', 'or'), items }),
      fc.record({ kind: fc.constant('not' as const), item: tie('any') }),
      fc.record({ kind: fc.constant('null' as const), item: tie('any') }),
      fc.record({ kind: fc.constant('in' as const), item: tie('any'), options: items }),
      fc.record({ kind: fc.constant('call' as const), name: fc.constantFrom(...Object.keys(functions)), items }),
    ),
  };
}).any;

test('the text of an expression reads back as the expression', () => {
  fc.assert(
    fc.property(expressions, (expression) => {
      expect(parseExpression(expressionText(expression))).toEqual({ ok: true, expression });
    }),
    { numRuns: 500 },
  );
});

test('reading never throws, whatever the text', () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        '(',
        ')',
        'and',
        'not',
        'in',
        ',',
        "'",
        '"',
        '1',
        'a',
        '=',
        ' ',
        'between',
        'is',
        '-',
        'threshold',
        '||',
      ),
      fc.string(),
    ),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(pieces, (parts) => typeof parseExpression(parts.join(' ')).ok === 'boolean'),
    { numRuns: 1000 },
  );
});

test.each([
  ['('.repeat(20_000), 'longer than'],
  ['('.repeat(2_000), 'nested more than'],
  [`${'not '.repeat(1_500)}a`, 'nested more than'],
  [`${'- '.repeat(1_500)}a`, 'nested more than'],
  ['a = 1 = 2', "'=' is not expected"],
  ['a and', 'a value is expected'],
  ["a = 'open", 'cannot read'],
  ['a not', "after 'NOT'"],
  ['threshold(x)', 'takes one number'],
  ['', 'a value is expected'],
  ['a; drop table x', 'cannot read'],
])('tells why %.30s cannot be read', (text, reason) => {
  const parsed = parseExpression(text);
  expect(parsed).toMatchObject({ ok: false, error: expect.stringContaining(reason) });
});

const schema = [
  { name: 'id', type: 'BIGINT' },
  { name: 'brand', type: 'VARCHAR' },
  { name: 'note', type: 'Text' },
  { name: 'photo', type: 'Image' },
  { name: 'clip', type: 'Audio' },
  { name: 'v', type: 'Vector' },
  { name: 'day', type: 'DATE' },
] as const;

function faultsOf(text: string): readonly string[] {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.error);
  const faults: string[] = [];
  typeOfExpression(parsed.expression, schema, ({ fault }) => faults.push(fault));
  return faults;
}

test.each([
  "note = 'x'",
  'length(note) > 3',
  "contains(lower(note), 'a') and regexp_matches(note, 'b')",
  'photo = photo',
  'file_bytes(photo) > 10 and audio_seconds(clip) < 3.5',
  'cosine(v, v) >= threshold(0.5)',
  "day >= '2024-01-01'",
  "brand < 'm'",
  'id in (1, 2, null)',
  "note like '%a%' or note is not null",
])('%s is safe', (text) => expect(faultsOf(text)).toEqual([]));

test.each([
  ['note < note', ['unsafe-predicate']],
  ["photo > 'a'", ['unsafe-predicate']],
  ['v = v', ['unsafe-predicate']],
  ['length(photo) > 1', ['unsafe-predicate']],
  ["contains(clip, 'a')", ['unsafe-predicate']],
  ['id = brand', ['type-mismatch']],
  ["photo = 'a'", ['type-mismatch']],
  ['id + brand > 1', ['type-mismatch']],
  ['id and not brand', ['type-mismatch', 'type-mismatch']],
  ['shows_zebra(photo)', ['unknown-function']],
  ['Ans = 1 or Anser = 2', ['missing-attribute', 'missing-attribute']],
  ['length(note, note) > 1', ['type-mismatch']],
])('%s: %j', (text, faults) => expect(faultsOf(text)).toEqual(faults));
