import { describe, expect, test } from 'vitest';
import { estimateTokens, promptTokens } from '../../../../plans/cost/index.js';
import type { SemanticCall } from '../../../../plans/operators/call.js';
import { semanticOperators } from '../../../../plans/operators/index.js';
import { buildRequest } from '../../../../plans/operators/request.js';
import type { JsonValue } from '../../../../plans/protocol/json.js';
import { groupAnswers, joinFields, joiningOf, joinTexts } from '../../../../plans/physical/chunk/join.js';
import { checkPartTokens, cutTuple, joinCall, partCall, partTokens } from '../../../../plans/physical/chunk/pieces.js';
import { strategiesOf } from '../../../../plans/physical/strategies.js';
import { sampleCalls } from '../../operators/calls.js';

const text = Array.from({ length: 1500 }, (_, n) => `Line ${n} says that part ${n} of the car is well.`).join('\n');
const chunkable = Object.entries(sampleCalls).filter(([, { parameters }]) =>
  strategiesOf(parameters.kind).includes('chunked'),
);

describe.each(chunkable)('%s', (_, call) => {
  test.each([1500, 4096, 9000])('parts fit a context of %i tokens, with what stands around them', (contextTokens) => {
    const most = partTokens(call, [text], { contextTokens }) ?? 0;
    const pieces = cutTuple([text], most);
    expect(pieces.length).toBeGreaterThan(1);
    for (const { values } of pieces) {
      const request = buildRequest(partCall(call), values);
      expect(promptTokens(request) + request.maxOutputTokens).toBeLessThanOrEqual(contextTokens);
    }
  });
  test('says what the parts are, in front of its own instruction and behind the user’s', () => {
    const own = { ...call, guidance: { ...call.guidance, instructions: 'Be brief.' } };
    const plain = semanticOperators[call.parameters.kind].system(call);
    for (const make of [partCall, joinCall]) {
      const system = semanticOperators[call.parameters.kind].system(make(own));
      expect(system).toMatch(/^Be brief\.\n\n.*parts? of a long text|^Be brief\.\n\nIn place of a long text/);
      expect(system.endsWith(plain)).toBe(true);
    }
  });
});

test('the size asked for is a bound beside the context; a translation has one of its own', () => {
  const complete = sampleCalls['complete'] as SemanticCall;
  expect(partTokens(complete, [text], {})).toBeUndefined();
  expect(partTokens(complete, [text], { tokens: 300 })).toBe(300);
  expect(partTokens(complete, [text], { tokens: 30_000, contextTokens: 4096 })).toBeLessThan(4096);
  expect(partTokens(complete, [text], { contextTokens: 100 })).toBe(64);
  expect(partTokens(sampleCalls['translation'] as SemanticCall, [text], {})).toBe(2730);
});

test.each([63, 100.5, Number.NaN, -1])('a size of %j is refused', (tokens) => {
  expect(() => checkPartTokens(tokens)).toThrow(/part/);
});

test('each part has the start of the text and its neighbours around it, the other inputs whole', () => {
  const pieces = cutTuple(['short', text], 600);
  const middle = pieces[2]?.values[1] ?? '';
  expect(middle).toMatch(
    /^\[Start of the text\]\nLine 0 [\s\S]*\[Just before\]\nLine[\s\S]*\[Part 3 of \d+\]\nLine[\s\S]*\[Just after\]\nLine/,
  );
  expect(pieces[0]?.values[1]).toMatch(/^\[Part 1 of/);
  expect(pieces.at(-1)?.values[1]).not.toContain('[Just after]');
  expect(pieces.every(({ values }) => values[0] === 'short')).toBe(true);
  const own = pieces.map(
    ({ values }) => /\[Part \d+ of \d+\]\n([\s\S]*?)(?:\n\n\[Just after\]|$)/.exec(values[1] ?? '')?.[1],
  );
  expect(own.join('\n')).toBe(text);
  expect(Math.max(...pieces.map(({ values }) => estimateTokens(values[1] ?? '')))).toBeLessThan(600 * 1.3);
});

describe('joining', () => {
  test('each operator has a way', () => {
    const ways = Object.fromEntries(chunkable.map(([name, call]) => [name, joiningOf(call)]));
    expect(ways).toEqual({ extract: 'fields', complete: 'ask', typed: 'ask', summary: 'ask', translation: 'text' });
  });
  test('translations keep what stood between the parts', () => {
    const pieces = [
      { values: [], gap: '\n\n' },
      { values: [], gap: ' ' },
      { values: [], gap: '\n' },
    ];
    expect(joinTexts(['Eins.', 'Zwei.', 'Drei.'], pieces)).toBe('Eins.\n\nZwei. Drei.');
  });

  const extract: SemanticCall = {
    ...(sampleCalls['extract'] as SemanticCall),
    output: {
      kind: 'struct',
      fields: [
        { name: 'speed', type: { kind: 'integer' } },
        { name: 'hurt', type: { kind: 'boolean' } },
        { name: 'parts', type: { kind: 'list', item: { kind: 'string' } } },
        {
          name: 'place',
          type: {
            kind: 'struct',
            fields: [
              { name: 'city', type: { kind: 'string' } },
              { name: 'road', type: { kind: 'string' } },
            ],
          },
        },
      ],
    },
  };
  const nothing = { speed: null, hurt: null, parts: null, place: null };
  test.each<[string, readonly JsonValue[], JsonValue]>([
    ['nothing stated', [nothing, nothing], nothing],
    [
      'the first part that says something',
      [nothing, { ...nothing, speed: 35, hurt: false }, { ...nothing, speed: 60, hurt: true }],
      { ...nothing, speed: 35, hurt: false },
    ],
    [
      'lists are united, each item once',
      [{ ...nothing, parts: ['a', 'b'] }, nothing, { ...nothing, parts: ['b', 'c'] }],
      { ...nothing, parts: ['a', 'b', 'c'] },
    ],
    [
      'an empty list states nothing',
      [
        { ...nothing, parts: [] },
        { ...nothing, parts: ['a'] },
      ],
      { ...nothing, parts: ['a'] },
    ],
    ['empty lists stay', [{ ...nothing, parts: [] }, nothing], { ...nothing, parts: [] }],
    [
      'structs field by field',
      [
        { ...nothing, place: { city: 'Bern', road: null } },
        { ...nothing, place: { city: 'Rome', road: 'A1' } },
      ],
      { ...nothing, place: { city: 'Bern', road: 'A1' } },
    ],
  ])('%s', (_, answers, joined) => {
    expect(joinFields(answers, extract)).toEqual(joined);
  });
  test('explanations of the parts that state something', () => {
    const call = {
      ...extract,
      guidance: { explain: true },
      output: {
        kind: 'struct',
        fields: [
          { name: 'answer', type: extract.output },
          { name: 'explanation', type: { kind: 'string' } },
        ],
      },
    } as const;
    const answers = [
      { answer: nothing, explanation: 'Nothing there.' },
      { answer: { ...nothing, speed: 35 }, explanation: 'It says 35 mph.' },
    ];
    expect(joinFields(answers, call)).toEqual({ answer: { ...nothing, speed: 35 }, explanation: 'It says 35 mph.' });
    expect(joinFields(answers.slice(0, 1), call)).toEqual(answers[0]);
  });

  test('answers are grouped in their order, and fewer are left after each round', () => {
    for (const most of [1, 40, 100, 10_000]) {
      for (const count of [2, 3, 7, 50]) {
        const answers = Array.from(
          { length: count },
          (_, at) => `Answer ${at} is some ten words long, or a little more.`,
        );
        const groups = groupAnswers(['short', text], answers, most);
        expect(groups.flatMap((group) => group.answers)).toEqual(answers);
        expect(groups.length).toBeLessThan(count);
        expect(groups[0]?.values[0]).toBe('short');
        expect(groups[0]?.values[1]).toContain(`[Part 1 of ${groups[0]?.answers.length}]\nAnswer 0`);
      }
    }
  });
});
