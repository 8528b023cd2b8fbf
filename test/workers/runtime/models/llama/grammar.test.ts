import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OutputType } from '../../../../../plans/operators/output.js';
import { answerChoices, answerGrammar, settledValue } from '../../../../../workers/runtime/models/llama/grammar.js';

const leaf = fc.constantFrom<OutputType>(
  { kind: 'boolean' },
  { kind: 'integer' },
  { kind: 'number', min: 0, max: 10 },
  { kind: 'string' },
  { kind: 'date' },
);
const anyType: fc.Arbitrary<OutputType> = fc.letrec<{ type: OutputType }>((tie) => ({
  type: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.record({ kind: fc.constant('enum' as const), values: fc.array(fc.string(), { minLength: 1, maxLength: 4 }) }),
    fc.record({ kind: fc.constant('list' as const), item: tie('type') }),
    fc.record({
      kind: fc.constant('struct' as const),
      fields: fc.array(fc.record({ name: fc.string({ minLength: 1 }), type: tie('type') }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  ),
})).type;

describe('grammar', () => {
  test('free text has none', () => {
    expect(answerGrammar({ kind: 'string' })).toBeUndefined();
  });

  test('every rule that is used is defined once', () => {
    fc.assert(
      fc.property(anyType, (type) => {
        const grammar = answerGrammar(type);
        if (grammar === undefined) return;
        const lines = grammar.split('\n').map((line) => line.split(/ ::= (.*)/s));
        const names = lines.map(([name]) => name);
        expect(new Set(names).size).toBe(names.length);
        for (const [, body = ''] of lines) {
          const bare = body
            .replace(/"(\\.|[^"\\])*"/gs, ' ')
            .replace(/\[(\\.|[^\]\\])*\]/gs, ' ')
            .replace(/\{\d+(,\d*)?\}/g, ' ');
          for (const used of bare.match(/[a-z][a-z0-9]*/g) ?? []) expect(names).toContain(used);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('labels with quotes and backslashes are JSON inside GBNF', () => {
    expect(answerGrammar({ kind: 'enum', values: ['a"b', 'c\\d'] })).toContain('"\\"a\\\\\\"b\\""');
  });
});

describe('when an answer is settled', () => {
  test('a choice, as soon as no other begins so', () => {
    const choices = answerChoices({ kind: 'enum', values: ['brakes', 'body', 'engine'] });
    expect(settledValue(' "b', choices)).toBeUndefined();
    expect(settledValue(' "br', choices)).toBe('"brakes"');
    expect(settledValue('', choices)).toBeUndefined();
    expect(settledValue(' t', answerChoices({ kind: 'boolean' }))).toBe('true');
  });

  test('one label that is the beginning of another is not taken too early', () => {
    const choices = answerChoices({ kind: 'enum', values: ['air', 'air bag'] });
    expect(settledValue(' "air', choices)).toBeUndefined();
    expect(settledValue(' "air"', choices)).toBe('"air"');
    expect(settledValue(' "air ', choices)).toBe('"air bag"');
  });

  test('JSON at its closing bracket, not at one inside a string', () => {
    const json = JSON.stringify({ a: 'x"}]', b: [1, { c: '\\' }] });
    for (let at = 1; at < json.length; at++) expect(settledValue(json.slice(0, at), undefined)).toBeUndefined();
    expect(settledValue(json, undefined)).toBe(json);
  });
});
