import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateTokens } from '../../../../plans/cost/index.js';
import { cutText, headOf, tailOf } from '../../../../plans/physical/chunk/cut.js';

/** Half a character. */
const lone = /\p{Surrogate}/u;
const words = fc.constantFrom(
  'brakes',
  'failed',
  'Äpfel',
  'и',
  '刹车失灵',
  '😀',
  '12.5',
  'https://a.b/c?d=e',
  'x'.repeat(300),
);
const marks = fc.constantFrom(' ', ' ', ' ', '. ', '! ', '.\n', '\n\n', '\n \n\n', '。', '', '\t');
const texts = fc
  .array(fc.tuple(words, marks), { minLength: 1, maxLength: 200 })
  .map((pairs) => pairs.map((pair) => pair.join('')).join(''));
const anything = fc.oneof(texts, fc.string({ unit: 'grapheme', maxLength: 400 }));
const sizes = fc.integer({ min: 64, max: 400 });

test('the parts are the text again, none empty, none longer than asked, whatever the text', () => {
  fc.assert(
    fc.property(anything, sizes, (text, most) => {
      const parts = cutText(text, most);
      expect(parts.map(({ text: part, gap }) => part + gap).join('')).toBe(text);
      for (const { text: part } of parts) {
        if (text.trim() !== '') expect(part.trim()).not.toBe('');
        expect(estimateTokens(part)).toBeLessThanOrEqual(most);
        if (!lone.test(text)) expect(part).not.toMatch(lone);
      }
    }),
  );
});

describe('it is cut where it is cut best', () => {
  const sentence = (n: number): string => `Sentence number ${n} tells of one thing that happened on that day.`;
  const paragraph = (n: number): string => [0, 1, 2].map((at) => sentence(3 * n + at)).join(' ');
  const text = Array.from({ length: 8 }, (_, n) => paragraph(n)).join('\n\n');
  test('between paragraphs while they fit', () => {
    const parts = cutText(text, 130);
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.slice(0, -1).every(({ gap }) => gap === '\n\n')).toBe(true);
  });
  test('else between sentences', () => {
    const parts = cutText(text.replaceAll('\n\n', ' '), 64);
    expect(parts.length).toBeGreaterThan(4);
    expect(parts.every(({ text: part }) => part.startsWith('Sentence') && part.endsWith('.'))).toBe(true);
  });
  test('else between words, and a text without any between characters', () => {
    expect(cutText('word '.repeat(500), 64).every(({ text: part }) => /^word( word)*$/.test(part))).toBe(true);
    const han = cutText('刹车失灵'.repeat(100), 64);
    expect(han.length).toBeGreaterThan(5);
    expect(cutText('😀'.repeat(200), 64).every(({ text: part }) => !lone.test(part))).toBe(true);
  });
  test('Chinese sentences', () => {
    const parts = cutText('他说刹车坏了。然后车撞上了树。没有人受伤。'.repeat(10), 64);
    expect(parts.every(({ text: part }) => part.endsWith('。'))).toBe(true);
  });
  test('a megabyte, half of it without any border', () => {
    const long = 'a'.repeat(500_000) + 'The end. '.repeat(60_000);
    expect(cutText(long, 1000).length).toBeGreaterThan(100);
  });
});

describe('head and tail', () => {
  const text = 'First one. Second one. Third one. Fourth one.';
  test('are whole sentences of the text that fit', () => {
    expect(headOf(text, 8)).toBe('First one. Second one.');
    expect(tailOf(text, 8)).toBe('Third one. Fourth one.');
    expect([headOf(text, 0), tailOf(text, 0)]).toEqual(['', '']);
  });
  test('begin and end the text, within the limit', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 100 }), (any, most) => {
        const [head, tail] = [headOf(any, most), tailOf(any, most)];
        expect(any.trimStart().startsWith(head)).toBe(true);
        expect(any.trimEnd().endsWith(tail)).toBe(true);
        expect(Math.max(estimateTokens(head), estimateTokens(tail))).toBeLessThanOrEqual(most);
      }),
    );
  });
});
