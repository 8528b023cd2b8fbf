import { describe, expect, test } from 'vitest';
import { readMatches } from '../../../../plans/physical/pairs/reply.js';
import { call } from '../../../support/relations.js';

const ids = ['wkt', 'cqh', 'bdf'];
const filter = call('f0', ['a', 'b']);

/** What a reply says of each id: true, false, or undefined for what must be asked again. */
const read = (reply: string): readonly unknown[] =>
  [...readMatches(reply, filter, ids).values()].map((decoded) => (decoded.ok ? decoded.value : undefined));

test.each([
  ['{"answer": ["cqh"]}', [false, true, false]],
  ['{"answer": []}', [false, false, false]],
  ['{"answer": ["bdf", "wkt", "bdf"]}', [true, false, true]],
  ['["wkt"]', [true, false, false]],
  ['Here you are:\n```json\n{"answer": [" WKT "]}\n```', [true, false, false]],
  ['<think>["cqh"]?</think>{"answer": ["wkt"]}', [true, false, false]],
  ['{"answer": {"wkt": true, "cqh": false, "bdf": "no"}}', [true, false, false]],
  ['{"answer": [{"id": "wkt", "answer": true}, {"id": "cqh", "answer": false}]}', [true, false, undefined]],
])('%s is understood', (reply, verdicts) => {
  expect(read(reply)).toEqual(verdicts);
});

describe('what is in doubt has no answer', () => {
  test.each([
    ['an id that was not given', '{"answer": ["zzz", "wkt"]}', [true, undefined, undefined]],
    ['counting', '{"answer": [1, 3]}', [undefined, undefined, undefined]],
    ['the word none', '{"answer": ["none"]}', [undefined, undefined, undefined]],
    ['nested lists', '{"answer": [["wkt"]]}', [undefined, undefined, undefined]],
    ['two lists', '{"answer": ["wkt"]} or {"answer": []}', [undefined, undefined, undefined]],
    ['a verdict for all', '{"answer": true}', [undefined, undefined, undefined]],
    ['null', '{"answer": null}', [undefined, undefined, undefined]],
    ['prose', 'wkt matches', [undefined, undefined, undefined]],
    ['nothing', '', [undefined, undefined, undefined]],
    ['a thought without an end', '<think>{"answer": ["wkt"]}', [undefined, undefined, undefined]],
    ['a list that is cut', '{"answer": ["wkt", "cq', [undefined, undefined, undefined]],
  ])('%s', (_, reply, verdicts) => {
    expect(read(reply)).toEqual(verdicts);
  });
});
