import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packPairs } from '../../../../plans/physical/pairs/pack.js';
import { matchRequest } from '../../../../plans/physical/pairs/request.js';
import { call } from '../../../support/relations.js';

const filter = { ...call('f0', ['a', 'b']), pair: [[0], [1]] } as const;
const cross = (left: readonly string[], right: readonly string[]) =>
  left.flatMap((a) => right.map((b) => ({ values: [a, b] })));
const numbered = (word: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${word} ${at}`);

test('every pair stands in one prompt, which shares a side and is no larger than asked for', () => {
  const texts = fc.uniqueArray(fc.string({ maxLength: 60 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(
      texts,
      texts,
      fc.integer({ min: 2, max: 9 }),
      fc.infiniteStream(fc.boolean()),
      (left, right, size, keep) => {
        const pairs = cross(left, right).filter(() => keep.next().value);
        const packs = packPairs(filter, pairs, { size });
        expect(new Set(packs.flat())).toEqual(new Set(pairs));
        expect(packs.flat()).toHaveLength(pairs.length);
        for (const pack of packs) {
          expect(pack.length).toBeLessThanOrEqual(size);
          const sides = [0, 1].map((side) => new Set(pack.map(({ values }) => values[side])).size);
          expect(Math.min(...sides)).toBe(1);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('the side is shared that makes the prompts shorter', () => {
  const long = numbered('word '.repeat(200), 30);
  const few = numbered('topic', 3);
  const shared = (packs: ReturnType<typeof packPairs>): readonly number[] =>
    [0, 1].filter((side) => packs.every((pack) => new Set(pack.map(({ values }) => values[side])).size === 1));
  expect(shared(packPairs(filter, cross(long, few), { size: 50 }))).toEqual([0]);
  expect(shared(packPairs(filter, cross(few, long), { size: 50 }))).toEqual([1]);
  // as short: fewer prompts, each with more candidates
  expect(packPairs(filter, cross(numbered('ticket', 30), few), { size: 50 })).toHaveLength(3);
});

test('a side of several columns stands together, wherever the prompt names them', () => {
  const three = { ...call('f0', ['a', 'b', 'c']), template: 'Do {0} and {2} fit {1}?', pair: [[0, 2], [1]] } as const;
  const tuples = ['x', 'y'].map((b, at) => ({ id: at === 0 ? 'wkt' : 'cqh', values: ['first', b, 'third'] }));
  const { content, output } = matchRequest(three, tuples);
  expect(content).toEqual([{ type: 'text', text: expect.any(String) }]);
  const [{ text = '' } = {}] = content as readonly { text?: string }[];
  expect(text).toMatch(
    /^Candidate wkt\n\[3\]:\n<data>\nx\n<\/data>\n\nCandidate cqh\n\[3\]:\n<data>\ny\n<\/data>\n\n\[1\]:\n<data>\nfirst\n<\/data>\n\n\[2\]:\n<data>\nthird\n<\/data>\n\n/,
  );
  expect(text).toContain('Do [1] and [2] fit [3]?');
  expect(output).toEqual({ kind: 'list', item: { kind: 'string' } });
});
