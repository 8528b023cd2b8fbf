import { describe, expect, it } from 'vitest';
import { decodeAnswer } from '../../../plans/operators/decode.js';
import type { OutputType } from '../../../plans/operators/output.js';
import type { JsonValue } from '../../../plans/protocol/json.js';

const boolean: OutputType = { kind: 'boolean' };

const value = (reply: string, type: OutputType): JsonValue | undefined => {
  const decoded = decodeAnswer(reply, type);
  return decoded.ok ? decoded.value : undefined;
};

// peers read `1.`, `Yes` and `TRUE` as false, and keep or drop a row whose verdict they cannot parse
describe('verdicts', () => {
  it.each([
    ...[
      'true',
      'TRUE',
      'True.',
      'true,',
      ' yes ',
      'Yes',
      'YES!',
      '"yes"',
      "'yes'",
      '**Yes**',
      '`true`',
      '(yes)',
      'y',
      'T',
    ],
    ...['1', '1.', '1.0', '"1"', '{"answer": true}', '{"answer": "Yes"}', '{"answer": "TRUE."}', '{"answer": 1}'],
    ...['{"Answer": "y"}', '{"answer": true, "why": "no brakes"}', '"true"', 'Yes, the complaint reports a crash.'],
    ...[
      'Yes. The car was not parked.',
      'Answer: yes',
      'The answer is: **True**',
      'Final answer: 1',
      "{'answer': True}",
    ],
    ...[
      '{answer: yes}',
      '{"answer": Yes,}',
      '```json\n{"answer": true}\n```',
      '```\ntrue\n```',
      'I think so: {"answer": true}',
    ],
    ...['<think>No? No. false</think>yes', 'No, hmm, it is.\n</think>\nTrue', '{"answer": true}\n{"answer": true}'],
    ...['It says so.\nAnswer: yes', 'да', 'Oui.', 'sí', 'はい', '是', 'Ja', '✅', 'Ｙｅｓ', 'Yes.{"answer": true}'],
    ...['No injuries. {"answer": true}', '{"answer": true} because no one braked'],
  ])('%j is true', (reply) => {
    expect(decodeAnswer(reply, boolean)).toEqual({ ok: true, value: true });
  });

  it.each([
    ...['false', 'FALSE', 'False.', 'no', 'No.', 'NO', '"no"', '0', '0.', '{"answer": false}', '{"answer": "No."}'],
    ...[
      '{"answer": 0}',
      'No, it was parked.',
      'No - parked.',
      '**No.** It was parked.',
      'Answer: no',
      "{'answer': False}",
    ],
    ...['<think>yes yes</think>\n\nfalse', 'нет', 'non', 'いいえ', '否', 'Nein', '❌', 'False: nothing was hit.'],
  ])('%j is false', (reply) => {
    expect(decodeAnswer(reply, boolean)).toEqual({ ok: true, value: false });
  });

  it.each([
    ...[
      '',
      '  ',
      'maybe',
      'yes and no',
      'Yes or no?',
      'yes/no',
      'true/false',
      'No doubt, yes.',
      'No crash was reported',
      'not true',
    ],
    ...[
      'Yes. No. Wait.',
      '2',
      '10',
      '0.9',
      '-1',
      '1. No',
      '1. The car crashed',
      'null',
      '{"answer": null}',
      '{"answer": 2}',
    ],
    ...[
      '{"answer": "perhaps"}',
      '{"answer": [true]}',
      '{"answer": {}}',
      '{"reports_no_crash": true}',
      '{}',
      '[]',
      '[true, false]',
    ],
    ...[
      '{"answer": true}\n{"answer": false}',
      'Answer: yes\nAnswer: no',
      '<think>yes',
      '<think>yes</think>',
      '{"answer": tr',
    ],
    ...[
      'I cannot help with that.',
      '<html><body>502 Bad Gateway</body></html>',
      'yesterday',
      'nothing',
      'Truely',
      'true false',
    ],
    ...['The answer is not yes', 'Yes, but false', "{'answer': True} {'answer': False}"],
  ])('%j is a problem, never a verdict', (reply) => {
    expect(decodeAnswer(reply, boolean)).toMatchObject({ ok: false, problem: expect.stringMatching(/\S/) });
  });
});

describe('labels', () => {
  const type: OutputType = {
    kind: 'enum',
    values: ['ENGINE', 'ENGINE AND COOLING', 'Seat belts', 'us', 'US', '1', 'None'],
  };
  it.each([
    ['ENGINE', 'ENGINE'],
    ['engine.', 'ENGINE'],
    ['"Engine"', 'ENGINE'],
    ['{"answer": " seat_belts "}', 'Seat belts'],
    ['Label: SEAT-BELTS', 'Seat belts'],
    ['engine and  cooling', 'ENGINE AND COOLING'],
    ['US', 'US'],
    [' us ', 'us'],
    ['1', '1'],
    ['{"answer": 1}', '1'],
    ['none', 'None'],
  ])('%j is %j', (reply, label) => {
    expect(value(reply, type)).toBe(label);
  });

  it.each([
    'ENG',
    'Us',
    'ENGINE, Seat belts',
    'seat',
    'ENGINE AND',
    'It is the ENGINE',
    '{"answer": null}',
    '{"answer": ["ENGINE"]}',
  ])('%j is a problem: no prefixes, no guesses', (reply) => {
    expect(value(reply, type)).toBeUndefined();
  });

  const several: OutputType = { kind: 'list', item: { kind: 'enum', values: ['a', 'b', 'c, d'] } };
  it.each([
    ['{"answer": ["b", "A."]}', ['b', 'a']],
    ['b, a', ['b', 'a']],
    ['- a\n- b', ['a', 'b']],
    ['1. a\n2. b', ['a', 'b']],
    ['c, d', ['c, d']],
    ['{"answer": "a, b"}', ['a', 'b']],
    ['{"answer": "[\\"a\\"]"}', ['a']],
    ['none', []],
    ['{"answer": []}', []],
  ])('several: %j is %j', (reply, labels) => {
    expect(value(reply, several)).toEqual(labels);
  });
  it.each(['a, x', 'a b', ',', '{"answer": ["x"]}', '{"answer": [null]}', '{"answer": null}'])(
    'several: %j is a problem',
    (reply) => {
      expect(value(reply, several)).toBeUndefined();
    },
  );
});

describe('numbers', () => {
  const scale: OutputType = { kind: 'number', min: 0, max: 10 };
  it.each([
    ['7.5', 7.5],
    ['{"answer": 7.5}', 7.5],
    ['{"answer": "7.5"}', 7.5],
    ['Score: 8', 8],
    ['8/10', 8],
    ['8 out of 10', 8],
    ['**9**.', 9],
    ['1e1', 10],
    ['-0', 0],
  ])('%j is %j on a scale to 10', (reply, number) => {
    expect(value(reply, scale)).toBe(number);
  });
  it.each([
    '11',
    '-0.1',
    '8/5',
    'eight',
    '80%',
    '{"answer": 10.5}',
    'NaN',
    '{"answer": "high"}',
    '7,5',
    '3 to 5',
    '{"answer": true}',
  ])('%j is a problem: out of range is not cut to the range', (reply) => {
    expect(value(reply, scale)).toBeUndefined();
  });
  it.each([
    ['1,234', 1234],
    ['-1,234,567', -1_234_567],
    ['−3', -3],
    ['3.0', 3],
    ['42.', 42],
  ])('%j is the integer %j', (reply, number) => {
    expect(value(reply, { kind: 'integer' })).toBe(number);
  });
  it.each([
    '3.5',
    '12,34',
    '1.234,5',
    '5 miles',
    '$5',
    '3 million',
    '5k',
    '9007199254740993',
    '1e400',
    '0x10',
    '1_000',
  ])('%j is no integer', (reply) => {
    expect(value(reply, { kind: 'integer' })).toBeUndefined();
  });
});

describe('dates', () => {
  it.each([
    ['2024-02-29', '2024-02-29'],
    ['{"answer": "2020-12-31"}', '2020-12-31'],
    ['2020-01-02T03:04:05Z', '2020-01-02'],
  ])('%j is %j', (reply, date) => {
    expect(value(reply, { kind: 'date' })).toBe(date);
  });
  it.each([
    '2023-02-29',
    '2020-13-01',
    '2020-00-10',
    '0000-01-01',
    '01/02/2020',
    'January 5, 2020',
    '2020',
    '{"answer": 20200102}',
  ])('%j is no date', (reply) => {
    expect(value(reply, { kind: 'date' })).toBeUndefined();
  });
});

describe('structs', () => {
  const type: OutputType = {
    kind: 'struct',
    fields: [
      { name: 'what', type: { kind: 'string' } },
      { name: 'Speed', type: { kind: 'integer' } },
      { name: 'crash', type: { kind: 'boolean' } },
    ],
  };
  it.each([
    ['{"answer": {"what": "x", "Speed": 5, "crash": true}}', { what: 'x', Speed: 5, crash: true }],
    ['{"what": "x", "Speed": "1,005", "crash": "No"}', { what: 'x', Speed: 1005, crash: false }],
    [
      '{"answer": {"what": "x", "speed": null, "crash": "not stated", "more": 1}}',
      { what: 'x', Speed: null, crash: null },
    ],
    ['{"answer": "{\\"what\\": \\"\\", \\"Speed\\": 1, \\"crash\\": 0}"}', { what: '', Speed: 1, crash: false }],
    ['{"answer": {"what": 2020, "Speed": "N/A", "crash": false}}', { what: '2020', Speed: null, crash: false }],
    ['{"answer": {"what": "N/A", "Speed": 1, "crash": false}}', { what: 'N/A', Speed: 1, crash: false }],
  ])('%s', (reply, object) => {
    expect(value(reply, type)).toEqual(object);
  });
  it.each([
    ['{"answer": {"what": "x", "crash": true}}', '"Speed" is missing'],
    ['{"answer": {"what": "x", "Speed": "fast", "crash": true}}', 'Field "Speed"'],
    ['{"answer": {"what": "x", "speed": 1, "SPEED": 2, "crash": true}}', '"Speed" is missing'],
    ['{"answer": null}', 'not an object'],
    ['{"answer": []}', 'not an object'],
    ['It crashed.', 'not an object'],
  ])('%s is a problem that says what is wrong', (reply, problem) => {
    expect(decodeAnswer(reply, type)).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });
});

describe('free text', () => {
  it.each([
    [' A crash.\n', 'A crash.'],
    ['<think>hm</think>\nA crash.', 'A crash.'],
    ['{"answer": "x"}', '{"answer": "x"}'],
    ['```js\n1\n```', '```js\n1\n```'],
    ['Use <think> tags, then </think> to end.', 'Use <think> tags, then </think> to end.'],
  ])('%j', (reply, text) => {
    expect(value(reply, { kind: 'string' })).toBe(text);
  });
  it.each(['', '\n', '<think>hm', '<think>hm</think> '])('%j is a problem', (reply) => {
    expect(value(reply, { kind: 'string' })).toBeUndefined();
  });
});
