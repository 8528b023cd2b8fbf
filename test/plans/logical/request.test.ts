import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { candidatesFor } from '../../../plans/logical/candidates.js';
import { distinctColumns } from '../../../plans/logical/distinct-columns.js';
import type { Input } from '../../../plans/logical/instance.js';
import { parseOutputSchema } from '../../../plans/logical/output-schema.js';
import { instanceOf, type PlanRequest } from '../../../plans/logical/request.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { defaultCatalog } from '../../../plans/tasks/catalog.js';

const input = (name: string, ...columns: readonly (readonly [string, string])[]): Input => ({
  name,
  key: [columns[0]?.[0] ?? ''],
  schema: columns.map(([column, type]) => ({ name: column, type })),
});
const reviews = input('reviews', ['id', 'BIGINT'], ['text', 'VARCHAR'], ['stars', 'BIGINT'], ['photo', 'Image']);

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return FermataError.is(error) ? error.code : String(error);
  }
};

describe('the output that is asked for', () => {
  test('names, quoted names, types with commas in them, and names alone', () => {
    expect(parseOutputSchema('id, "unit ""price""" decimal(10, 2), s struct(a int, b int), l text[]')).toEqual([
      { name: 'id' },
      { name: 'unit "price"', type: 'DECIMAL(10, 2)' },
      { name: 's', type: 'struct(a int, b int)' },
      { name: 'l', type: 'Text[]' },
    ]);
  });

  test.each(['', ' , ', 'a VARCHAR,', 'a VARCHAR, A DOUBLE', 'a nonsense', '1a VARCHAR', '"a VARCHAR', '__row BIGINT'])(
    '%j is refused',
    (text) => expect(codeOf(() => parseOutputSchema(text))).toBe('BadArgument'),
  );

  test('any text is read or refused', () => {
    const pieces = fc.array(fc.oneof(fc.constantFrom('"', ',', '(', ')', 'a', ' ', 'VARCHAR', '[]'), fc.string()));
    fc.assert(
      fc.property(pieces, (parts) => ['none', 'BadArgument'].includes(codeOf(() => parseOutputSchema(parts.join(''))))),
      { numRuns: 500 },
    );
  });
});

describe('the operator that a request means', () => {
  const other = input('shops', ['shop', 'BIGINT'], ['about', 'VARCHAR']);
  const request = (given: Partial<PlanRequest>): PlanRequest => ({
    intent: '{text} praises it',
    inputs: [reviews],
    ...given,
  });
  test.each<readonly [string, Partial<PlanRequest>]>([
    ['filter', {}],
    ['filter', { output: 'id, text VARCHAR' }],
    ['map', { output: 'brand VARCHAR, price DOUBLE' }],
    ['classify', { output: 'topic VARCHAR', labels: ['news', 'other'] }],
    ['topk', { top: 3 }],
    ['topk', { top: 3, output: 'how DOUBLE' }],
    ['join', { inputs: [reviews, other], on: 'id = shop' }],
  ])('%s', (template, given) => {
    const instance = instanceOf(request(given));
    expect(instance.template).toBe(template);
    expect(candidatesFor(instance, defaultCatalog).candidates.length).toBeGreaterThanOrEqual(3);
    expect(instance.adds ?? []).toEqual(
      parseOutputSchema(given.output ?? 'id').filter(({ name }) => !['id', 'text'].includes(name)),
    );
  });

  test.each<readonly [string, string, Partial<PlanRequest>]>([
    ['no input', 'BadArgument', { inputs: [] }],
    ['three inputs', 'BadArgument', { inputs: [reviews, other, other] }],
    ['a join with columns of its own', 'BadArgument', { inputs: [reviews, other], output: 'brand VARCHAR' }],
    ['a predicate without a second input', 'BadArgument', { on: 'id = 1' }],
    ['labels and an order', 'BadArgument', { labels: ['a', 'b'], top: 1, output: 'l VARCHAR' }],
    ['one label', 'BadArgument', { labels: ['a'], output: 'l VARCHAR' }],
    ['a label twice', 'BadArgument', { labels: ['a', 'a'], output: 'l VARCHAR' }],
    ['labels without a column', 'BadArgument', { labels: ['a', 'b'] }],
    ['labels that are numbers', 'BadArgument', { labels: ['a', 'b'], output: 'l DOUBLE' }],
    ['an order by two columns', 'BadArgument', { top: 2, output: 'a DOUBLE, b DOUBLE' }],
    ['an order by text', 'BadArgument', { top: 2, output: 'a VARCHAR' }],
    ['a column of another type', 'TypeMismatch', { output: 'id VARCHAR' }],
    ['a column that is not there and has no type', 'UnknownColumn', { output: 'brand' }],
    ['a name that differs in case', 'UnknownColumn', { output: 'Id BIGINT' }],
    ['an unknown column in the intent', 'UnknownColumn', { intent: '{txt} is good' }],
    ['an unknown relation in the intent', 'UnknownColumn', { intent: '{shops.text} is good' }],
    ['a number as what it is about', 'TypeMismatch', { intent: '{stars} is good' }],
    ['nothing to read', 'TypeMismatch', { intent: 'good', inputs: [input('n', ['id', 'BIGINT'])] }],
  ])('%s: %s', (_, code, given) => expect(codeOf(() => instanceOf(request(given)))).toBe(code));

  test('no plan answers a question by an image or a blob', () => {
    for (const output of ['p IMAGE', 'p BLOB', 'p VECTOR', 'p STRUCT(a INT)']) {
      const instance = instanceOf(request({ output }));
      expect(candidatesFor(instance, defaultCatalog).candidates).toEqual([]);
    }
    const lists = instanceOf(request({ output: 'p VARCHAR[]' }));
    expect(candidatesFor(lists, defaultCatalog).candidates.length).toBeGreaterThan(0);
  });

  test('an intent in another language plans as well', () => {
    const instance = instanceOf(request({ intent: 'Die Bewertung {text} lobt das Essen — 非常好' }));
    expect(candidatesFor(instance, defaultCatalog).candidates.length).toBeGreaterThanOrEqual(3);
  });
});

describe('columns of one name', () => {
  const left = input('a', ['id', 'BIGINT'], ['text', 'VARCHAR'], ['only', 'VARCHAR']);
  const right = input('b', ['id', 'BIGINT'], ['TEXT', 'VARCHAR']);
  test('take the name of their relation, in the intent too', () => {
    const { intent, inputs, renamed } = distinctColumns('{a.text} and { b.TEXT } and {only} and {x.y}', [left, right]);
    expect(intent).toBe('{a_text} and {b_TEXT} and {only} and {x.y}');
    expect(inputs.map(({ schema }) => schema.map(({ name }) => name))).toEqual([
      ['a_id', 'a_text', 'only'],
      ['b_id', 'b_TEXT'],
    ]);
    expect(inputs.map(({ key }) => key)).toEqual([['a_id'], ['b_id']]);
    expect(renamed).toEqual({ a: { a_id: 'id', a_text: 'text' }, b: { b_id: 'id', b_TEXT: 'TEXT' } });
  });

  test('one that could be either is refused, and two relations of one name', () => {
    expect(codeOf(() => distinctColumns('{id}', [left, right]))).toBe('BadArgument');
    expect(codeOf(() => distinctColumns('', [left, { ...right, name: 'A' }]))).toBe('BadArgument');
  });

  test('whatever the names, none clashes afterwards and each leads back to its own', () => {
    const names = fc.uniqueArray(fc.constantFrom('id', 'a_id', 'b_id', 'a_a_id', 'B_ID_2', 'x'), {
      selector: (name) => name.toLowerCase(),
    });
    fc.assert(
      fc.property(names, names, (one, two) => {
        const inputs = [
          input('a', ...one.map((name) => [name, 'V'] as const)),
          input('b', ...two.map((name) => [name, 'V'] as const)),
        ];
        const { inputs: changed, renamed } = distinctColumns('', inputs);
        const all = changed.flatMap(({ schema }) => schema.map(({ name }) => name.toLowerCase()));
        expect(new Set(all).size).toBe(all.length);
        changed.forEach(({ name, schema }, at) =>
          expect(schema.map((column) => renamed[name]?.[column.name] ?? column.name)).toEqual(
            inputs[at]?.schema.map((column) => column.name),
          ),
        );
      }),
    );
  });
});
