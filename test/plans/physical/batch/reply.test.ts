import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { idsOf } from '../../../../plans/physical/batch/ids.js';
import { readBatch } from '../../../../plans/physical/batch/reply.js';
import type { SemanticCall } from '../../../../plans/operators/call.js';
import { explained } from '../../../../plans/operators/explanation.js';
import type { JsonValue } from '../../../../plans/protocol/json.js';
import { callOf, sampleCalls } from '../../operators/calls.js';

const filter = sampleCalls['filter'] as SemanticCall;
const ids = ['wkt', 'cqh', 'bbd'];
const read = (reply: string, call = filter, of: readonly string[] = ids) =>
  [...readBatch(reply, call, of).values()].map((decoded) => (decoded.ok ? decoded.value : undefined));

const hex = fc.stringMatching(/^[0-9a-f]{64}$/);
const distinctKeys = fc.uniqueArray(hex, { minLength: 2, maxLength: 60 });

describe('ids', () => {
  test('are distinct, and the same for the same tuple unless two meet', () => {
    fc.assert(
      fc.property(distinctKeys, (keys) => {
        const made = idsOf(keys);
        expect(new Set(made).size).toBe(keys.length);
        expect(made.every((id) => /^[b-z]{3}$/.test(id))).toBe(true);
        expect(idsOf(keys)).toEqual(made);
      }),
    );
  });
  test('do not run out in the largest batch, even where all keys begin alike', () => {
    const keys = Array.from({ length: 200 }, (_, at) => `${'0'.repeat(60)}${String(at).padStart(4, '0')}`);
    expect(new Set(idsOf(keys)).size).toBe(200);
  });
});

describe('the order, the wrapping and the company of the answers do not matter', () => {
  const wrappings: readonly ((entries: readonly (readonly [string, JsonValue])[]) => JsonValue)[] = [
    (entries) => ({ answer: Object.fromEntries(entries) }),
    (entries) => Object.fromEntries(entries),
    (entries) => ({ answers: entries.map(([id, answer]) => ({ id, answer })) }),
    (entries) => entries.map(([id, answer]) => ({ id, answer })),
    (entries) => ({ answer: Object.fromEntries(entries.map(([id, answer]) => [id, { answer }])) }),
  ];
  const around: readonly ((json: string) => string)[] = [
    (json) => json,
    (json) => `Here you are:\n\`\`\`json\n${json}\n\`\`\`\nAnything else?`,
    (json) => `<think>wkt is false, surely</think>${json}`,
  ];
  test('each tuple gets its own answer, or none', () => {
    const tuple = fc.record({ key: hex, truth: fc.boolean(), there: fc.boolean() });
    const tuples = fc.uniqueArray(tuple, { selector: ({ key }) => key, minLength: 2, maxLength: 60 });
    const made = fc.tuple(
      tuples,
      fc.constantFrom(...wrappings),
      fc.constantFrom(...around),
      fc.infiniteStream(fc.nat()),
    );
    fc.assert(
      fc.property(made, ([all, wrap, put, order]) => {
        const names = idsOf(all.map(({ key }) => key));
        const shuffled = all
          .map(({ truth, there }, at) => ({ id: names[at] ?? '', truth, there, rank: order.next().value ?? 0 }))
          .filter(({ there }) => there)
          .sort((a, b) => a.rank - b.rank);
        fc.pre(shuffled.length > 0);
        const strange = ['1', '2', 'zzzz', 'item 3'].map((id): [string, JsonValue] => [id, true]);
        const reply = wrap([...strange, ...shuffled.map(({ id, truth }): [string, JsonValue] => [id, truth])]);
        const got = readBatch(put(JSON.stringify(reply)), filter, names);
        all.forEach(({ truth, there }, at) => {
          const decoded = got.get(names[at] ?? '');
          expect(decoded?.ok === true ? decoded.value : undefined).toBe(there ? truth : undefined);
        });
      }),
    );
  });
  test('answers by number are nobody’s', () => {
    expect(read('{"answer": {"1": true, "2": false, "3": true}}')).toEqual([undefined, undefined, undefined]);
    expect(read('{"answer": [true, false, true]}')).toEqual([undefined, undefined, undefined]);
  });
});

describe('tuples without a clear answer', () => {
  test.each([
    ['left out', '{"answer": {"wkt": true, "bbd": false}}', [true, undefined, false]],
    ['null', '{"answer": {"wkt": true, "cqh": null, "bbd": false}}', [true, undefined, false]],
    ['no verdict', '{"answer": {"wkt": true, "cqh": "perhaps", "bbd": "no"}}', [true, undefined, false]],
    [
      'twice under one key',
      '{"answer": {"wkt": true, "cqh": true, "bbd": false, "cqh": false}}',
      [true, undefined, false],
    ],
    [
      'twice in a list',
      '[{"id":"wkt","answer":true},{"id":"cqh","answer":true},{"id":"cqh","answer":true}]',
      [true, undefined, undefined],
    ],
    ['of a mistyped id', '{"answer": {"wkt": true, "cqq": true, "bbd": false}}', [true, undefined, false]],
    ['in another case', '{"answer": {" WKT": true, "CQH ": false, "bbd": false}}', [true, false, false]],
    ['behind a cut', '{"answer": {"wkt": true, "cqh": fal', [undefined, undefined, undefined]],
    ['garbage', 'lorem }{ ipsum', [undefined, undefined, undefined]],
    ['nothing', '', [undefined, undefined, undefined]],
    ['a single answer', '{"answer": true}', [undefined, undefined, undefined]],
    ['an unending thought', '<think>{"answer": {"wkt": true}}', [undefined, undefined, undefined]],
  ])('%s', (_, reply, values) => {
    expect(read(reply)).toEqual(values);
  });
});

describe('each answer is read by its operator', () => {
  test.each<[string, JsonValue, JsonValue | undefined]>([
    ['classify', 'Brakes', 'brakes'],
    ['classify', 'wheels', undefined],
    ['several', ['seats', 'brakes'], ['brakes', 'seats']],
    ['extract', { speed: '35', part: 'engine' }, { speed: 35, part: 'engine' }],
    ['extract', { speed: 35 }, undefined],
    ['complete', 'A crash.', 'A crash.'],
    ['complete', { text: 'A crash.' }, undefined],
    ['score', '4', 4],
    ['score', 6, undefined],
    ['sentiment', 'mixed', 'mixed'],
    ['translation', 'Ein Unfall: "bbd": nein', 'Ein Unfall: "bbd": nein'],
    ['reasoned', { answer: 2, explanation: ' calm ' }, { answer: 2, explanation: 'calm' }],
    ['reasoned', { answer: 2, explanation: '' }, undefined],
  ])('%s %j', (name, value, wanted) => {
    const [got] = read(JSON.stringify({ answer: { wkt: value } }), sampleCalls[name], ['wkt', 'cqh']);
    expect(got).toEqual(wanted);
  });
  test('a verdict with its reason', () => {
    const call = callOf({ kind: 'filter' }, explained({ kind: 'boolean' }), { guidance: { explain: true } });
    const [got] = read('{"answer": {"wkt": {"answer": "yes", "explanation": "it hit a deer"}}}', call, ['wkt']);
    expect(got).toEqual({ answer: true, explanation: 'it hit a deer' });
  });
});
