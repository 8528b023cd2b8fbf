import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AnswerRow,
  answerStates,
  decodeAnswers,
  encodeAnswers,
} from '../../../../workers/runtime/arrow/answers.js';
import { decodeInputs, encodeInputs } from '../../../../workers/runtime/arrow/inputs.js';

const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const number = fc.integer({ min: 0, max: 2 ** 31 - 1 });

test('inputs come back as they were', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.tuple(number, number, text, text, text)),
      (arity, given) => {
        const rows = given.map(([at, n, ...values]) => ({ in: at, n, values: values.slice(0, arity) }));
        expect(decodeInputs(encodeInputs(rows, arity))).toEqual(rows);
      },
    ),
  );
});

test('answers come back as they were', () => {
  const row: fc.Arbitrary<AnswerRow> = fc.record(
    {
      in: number,
      state: fc.constantFrom(...answerStates),
      value: fc.json(),
      confidence: fc.double({ min: 0, max: 1 }),
      code: text,
      message: text,
    },
    { requiredKeys: ['in', 'state'] },
  );
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      expect(decodeAnswers(encodeAnswers(rows))).toEqual(rows);
    }),
  );
});

test('a megabyte of text', () => {
  const values = ['é🍎'.repeat(200_000)];
  expect(decodeInputs(encodeInputs([{ in: 0, n: 1, values }], 1))).toEqual([{ in: 0, n: 1, values }]);
});

test('what is not a partition is refused', () => {
  expect(() => decodeInputs(new TextEncoder().encode('no arrow'))).toThrow();
  expect(() => decodeAnswers(encodeInputs([{ in: 0, n: 1, values: ['a'] }], 1))).toThrow();
});
