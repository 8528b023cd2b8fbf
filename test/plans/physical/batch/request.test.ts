import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SemanticCall } from '../../../../plans/operators/call.js';
import { jsonSchema } from '../../../../plans/operators/json-schema.js';
import { strategiesOf } from '../../../../plans/physical/strategies.js';
import { promptTokens } from '../../../../plans/cost/index.js';
import { checkBatchSize, packTuples } from '../../../../plans/physical/batch/pack.js';
import { batchRequest } from '../../../../plans/physical/batch/request.js';
import { answerGrammar } from '../../../../workers/runtime/models/llama/grammar.js';
import { callOf, labels, sampleCalls } from '../../operators/calls.js';

const tuples = [
  { id: 'wkt', values: ['It hit a deer.'] },
  { id: 'cqh', values: ['It smells </data> of fuel.'] },
];
const batchable = Object.entries(sampleCalls).filter(([, { parameters }]) =>
  strategiesOf(parameters.kind).includes('batched'),
);
const textOf = (request: ReturnType<typeof batchRequest>) =>
  request.content.map((part) => (part.type === 'text' ? part.text : '')).join('');

describe.each(batchable)('a batch of %s', (_, call) => {
  const request = batchRequest(call, tuples);
  test('shows each tuple under its id, fenced, and asks once, last, for an answer to each', () => {
    const text = textOf(request);
    expect(text).toMatch(
      /^Item wkt\n[\s\S]*It hit a deer\.[\s\S]*Item cqh\n[\s\S]*<data1>\nIt smells <\/data> of fuel\.\n<\/data1>/,
    );
    expect(text).toMatch(/Reply with JSON that has each item's id once: .*\.$/);
    expect(text.split('Reply with').length).toBe(2);
  });
  test('has the same instruction for every batch, and no order for a single reply in it', () => {
    expect(batchRequest(call, tuples.slice(1)).system).toBe(request.system);
    expect(request.system).not.toMatch(/Reply with JSON: |only\./);
  });
  test('wants each id, and never null', () => {
    const schema = jsonSchema(request.output) as { properties: { answer: { required: string[]; properties: object } } };
    expect(schema.properties.answer.required).toEqual(['wkt', 'cqh']);
    expect(JSON.stringify(schema.properties.answer.properties)).not.toContain('null');
    expect(answerGrammar(request.output)).toMatch(/wkt[\s\S]*cqh/);
  });
});

test('an enum stands once in the schema, however many tuples there are', () => {
  const values = Array.from({ length: 250 }, (_, at) => `label ${at}`);
  const call = callOf(
    { kind: 'classify', labels: values.map((label) => ({ label })), multi: false },
    { kind: 'enum', values },
  );
  const many = Array.from({ length: 50 }, (_, at) => ({ id: `id${'abcdefghij'.charAt(at % 10)}${at}`, values: [''] }));
  const schema = JSON.stringify(jsonSchema(batchRequest(call, many).output));
  expect(schema.split('"label 7"').length).toBe(2);
  expect(schema.split('#/$defs/each').length).toBe(51);
});

test('several inputs, and the examples of the call', () => {
  const call: SemanticCall = {
    ...callOf({ kind: 'classify', labels, multi: false }, { kind: 'enum', values: labels.map(({ label }) => label) }),
    template: 'Is {1} of {0}?',
    inputs: ['a', 'b'].map((sql) => ({ sql, label: sql, modality: 'text' })),
    guidance: { instructions: 'Be brief.', examples: [{ inputs: ['x', 'y'], output: 'seats' }] },
  };
  const request = batchRequest(call, [
    { id: 'wkt', values: ['first', 'second'] },
    { id: 'cqh', values: ['third', 'fourth'] },
  ]);
  expect(textOf(request)).toContain(
    'Item wkt\n[1]:\n<data>\nsecond\n</data>\n[2]:\n<data>\nfirst\n</data>\n\nItem cqh',
  );
  expect(textOf(request)).toContain('Is [1] of [2]?');
  expect(request.system).toMatch(/^Be brief\.[\s\S]*Answer: "seats"$/);
});

describe('packing', () => {
  const filter = sampleCalls['filter'] as SemanticCall;
  test('keeps every tuple once and in order, and every limit', () => {
    const texts = fc.array(
      fc.nat(3000).map((length) => ({ values: ['word '.repeat(length / 5)] })),
      { maxLength: 80 },
    );
    const sizes = fc.integer({ min: 1, max: 50 });
    fc.assert(
      fc.property(texts, sizes, fc.option(fc.integer({ min: 500, max: 9000 })), (all, size, context) => {
        const packs = packTuples(filter, all, { size, ...(context === null ? {} : { contextTokens: context }) });
        expect(packs.flat()).toEqual(all);
        for (const pack of packs) {
          expect(pack.length).toBeLessThanOrEqual(size);
          if (pack.length === 1) continue;
          const request = batchRequest(
            filter,
            pack.map(({ values }, at) => ({ id: `b${'bcdfghjkmn'.charAt(at % 10)}${at}`, values })),
          );
          const prompt = promptTokens({ ...request, output: { kind: 'string' } });
          expect(prompt + request.maxOutputTokens).toBeLessThanOrEqual(context ?? 30_000);
          expect(request.maxOutputTokens).toBeLessThanOrEqual(8192);
        }
      }),
      { numRuns: 30 },
    );
  });
  test('long answers make small batches', () => {
    const complete = sampleCalls['complete'] as SemanticCall;
    const rows = Array.from({ length: 50 }, (_, at) => ({ values: [`row ${at}`] }));
    expect(packTuples(complete, rows, { size: 50 }).map(({ length }) => length)).toEqual([16, 16, 16, 2]);
    expect(packTuples(filter, rows, { size: 50 }).map(({ length }) => length)).toEqual([50]);
  });
  test.each([0, 1, 201, 2.5, Number.NaN])('a size of %j is refused', (size) => {
    expect(() => checkBatchSize(size)).toThrow(/batch size/);
  });
});
