import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateTokens } from '../../../../plans/cost/index.js';
import { dataTokens, windowFor } from '../../../../plans/physical/rounds/capacity.js';
import { type Chunk, type Item, itemTokens, packItems } from '../../../../plans/physical/rounds/pack.js';
import { foldQuestions } from '../../../../plans/physical/rounds/questions.js';
import { splitText } from '../../../../plans/physical/rounds/split.js';
import { call } from '../../../support/relations.js';

const texts = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: 'grapheme', maxLength: 60 }), fc.lorem());
/** Items group by group, groups of any size. */
const groups = fc.array(fc.array(texts, { minLength: 1, maxLength: 12 }), { maxLength: 8 });
const itemsOf = (all: readonly (readonly string[])[]): Item[] =>
  all.flatMap((items, group) => items.map((text) => ({ group, text })));

async function packed(items: readonly Item[], options: Parameters<typeof packItems>[1]): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of packItems(items, options)) chunks.push(chunk);
  return chunks;
}

describe('packing', () => {
  test('keeps every item of every group, in order, and marks the last chunk of each', async () => {
    await fc.assert(
      fc.asyncProperty(
        groups,
        fc.integer({ min: 14, max: 200 }),
        fc.integer({ min: 14, max: 200 }),
        async (all, tokens, further) => {
          const chunks = await packed(itemsOf(all), { tokens, further });
          all.forEach((items, group) => {
            const own = chunks.filter((chunk) => chunk.group === group);
            expect(own.flatMap((chunk) => chunk.items).join('')).toBe(items.join(''));
            expect(own.map(({ index }) => index)).toEqual(own.map((_, at) => at));
            expect(own.map(({ last }) => last)).toEqual(own.map((_, at) => at === own.length - 1));
          });
          expect(chunks.map(({ group }) => group)).toEqual([...chunks.map(({ group }) => group)].sort((a, b) => a - b));
        },
      ),
    );
  });

  test('fills no chunk beyond its tokens, and none that the next item would still fit into', async () => {
    await fc.assert(
      fc.asyncProperty(groups, fc.integer({ min: 20, max: 150 }), async (all, tokens) => {
        const chunks = await packed(itemsOf(all), { tokens });
        const sizeOf = ({ items }: Chunk): number => items.reduce((sum, text) => sum + itemTokens(text), 0);
        for (const [at, chunk] of chunks.entries()) {
          // a single code point may be more than a chunk holds
          if (chunk.items.length > 1) expect(sizeOf(chunk)).toBeLessThanOrEqual(tokens);
          const next = chunks[at + 1];
          if (next?.group === chunk.group) expect(sizeOf(chunk) + itemTokens(next.items[0]!)).toBeGreaterThan(tokens);
        }
      }),
    );
  });

  test('takes two results together whatever their size, so that rounds come to an end', async () => {
    const items = Array.from({ length: 9 }, () => ({ group: 0, text: 'long '.repeat(100) }));
    expect((await packed(items, { tokens: 10, least: 2 })).map((chunk) => chunk.items.length)).toEqual([2, 2, 2, 2, 1]);
  });
});

describe('splitting', () => {
  test('pieces are the text, fit, and break no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 1, max: 40 }), (text, tokens) => {
        const pieces = splitText(text, tokens);
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) {
          expect(Buffer.from(piece).toString()).toBe(piece);
          if (Array.from(piece).length > 1) expect(estimateTokens(piece)).toBeLessThanOrEqual(tokens);
          expect(piece === '' && text !== '').toBe(false);
        }
      }),
    );
  });
  test('breaks at white space where there is some', () => {
    expect(splitText('alpha beta gamma delta epsilon zeta', 4).every((piece) => /^\S+( \S+)* ?$/.test(piece))).toBe(
      true,
    );
  });
});

describe('sizes', () => {
  test('leave half of the context to miscounting, and something to every model', () => {
    const asked = { ...call('a0', ['text']), parameters: { kind: 'aggregate', instruction: 'x' } } as const;
    const of = (context: number | undefined): number => dataTokens(asked, context);
    for (const context of [4_096, 32_000, 128_000]) {
      expect(2 * of(context)).toBeLessThan(context);
      expect(2 * of(context)).toBeGreaterThan(0.5 * context);
    }
    expect(of(1_000_000)).toBe(of(128_000));
    expect(of(undefined)).toBe(of(8_192));
    expect(of(512)).toBeGreaterThan(0);
  });
  test('a list is as long as its longest item lets it be, from 2 to 20', () => {
    expect(windowFor(1000, ['short'])).toBe(20);
    expect(windowFor(1000, ['short', 'word '.repeat(100)])).toBeLessThan(12);
    expect(windowFor(10, ['word '.repeat(100)])).toBe(2);
  });
  test('questions of a tree: the chunks, then as many joins as results fit together', () => {
    const schedule = { kind: 'tree', tokens: 1100 } as const;
    expect(foldQuestions(schedule, [1, 1, 1])).toEqual({ low: 3, expected: 3, high: 3 });
    expect(foldQuestions(schedule, [8])).toEqual({ low: 9, expected: 8 + 2 + 1, high: 8 + 4 + 2 + 1 });
    expect(foldQuestions({ kind: 'fold', tokens: 1100 }, [8, 2])).toEqual({ low: 10, expected: 10, high: 10 });
  });
});
