import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPrompt } from '../../../bench/pool/truth/items.js';
import { Truth } from '../../../bench/pool/truth/registry.js';
import { TextIndex } from '../../../bench/pool/truth/text-index.js';
import { wordsOf } from '../../../bench/pool/truth/words.js';

const word = fc.stringMatching(/^[a-d]{1,3}$/);
const value = fc.array(word, { minLength: 4, maxLength: 14 });

describe('searching a prompt for known values', () => {
  it('finds what a search of every value at every place finds, the longest first', () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 12 }),
        fc.array(word, { maxLength: 8 }),
        (values, noise) => {
          const index = new TextIndex();
          const numbers = values.map((words) => index.add(words.join(' ')));
          const prompt = values.flatMap((words) => [...noise, ...words]);
          const found = index.find(wordsOf(prompt.join(' '))).map((one) => one.value);
          const expected: (number | undefined)[] = [];
          for (let at = 0; at < prompt.length; ) {
            const here = values
              .map((words, n) => ({ words, number: numbers[n] }))
              .filter(({ words }) => words.join(' ') === prompt.slice(at, at + words.length).join(' '))
              .sort((a, b) => b.words.length - a.words.length)[0];
            if (here === undefined) at++;
            else {
              expected.push(here.number);
              at += here.words.length;
            }
          }
          expect(found).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('a short value counts only where it stands by itself', () => {
    const index = new TextIndex();
    index.add('Delta');
    const times = (text: string): number => index.find(wordsOf(text)).length;
    expect(times('the delta of a river')).toBe(0);
    for (const text of [
      'Delta',
      'a\nDelta!?\nb',
      'a\nDelta\nb',
      '[Name]: «Delta»',
      '"Delta"',
      '<data>\nDelta\n</data>',
      'Airline: Delta',
      '- Delta',
      '{"name": "Delta", "x": 1}',
    ]) {
      expect([text, times(text)]).toEqual([text, 1]);
    }
  });

  it('takes texts without words for nothing, and the same words for the same value', () => {
    const index = new TextIndex();
    expect(index.add(' … !')).toBeUndefined();
    expect(index.add('One two')).toBe(index.add('one,  TWO!'));
    expect(index.whole('one two')).toBe(0);
    expect(index.whole('one two three')).toBeUndefined();
  });
});

describe('rows of a prompt', () => {
  const truth = new Truth({
    tuples: [
      { id: 'a', collection: 'flights', values: ['Delta', 'Atlanta, Boston, Detroit and Salt Lake City'], fields: {} },
      { id: 'b', collection: 'flights', values: ['Delta', 'London and Paris by way of Amsterdam'], fields: {} },
      { id: 'c', collection: 'flights', values: ['KLM', 'London and Paris by way of Amsterdam'], fields: {} },
    ],
    tasks: [],
  });
  const rows = (text: string): readonly string[] =>
    readPrompt(truth, [{ kind: 'text', text }], '').items.map(({ tuple }) => tuple.id);

  it('are told by all of their cells together', () => {
    expect(rows('[1]:\nDelta\n\n[2]:\nLondon and Paris by way of Amsterdam\n')).toEqual(['b']);
    expect(rows('[1]:\nKLM\n\n[2]:\nLondon and Paris by way of Amsterdam\n')).toEqual(['c']);
    expect(
      rows('Delta\nAtlanta, Boston, Detroit and Salt Lake City\nKLM\nLondon and Paris by way of Amsterdam'),
    ).toEqual(['a', 'c']);
  });

  it('are as many as are given, also the same one twice', () => {
    expect(rows('Delta\nDelta')).toEqual(['a', 'a']);
    expect(rows('nothing of theirs')).toEqual([]);
  });

  it.each(['[7]:\n<data>\n', '{"id": 7, "text": "', '<row id="7">', '7. ', '#7: ', 'Review 7: '])(
    'are named as the prompt names them: %s',
    (before) => {
      const { items } = readPrompt(
        truth,
        [{ kind: 'text', text: `Look.\n${before}London and Paris by way of Amsterdam` }],
        '',
      );
      expect(items.map(({ mark }) => mark)).toEqual(['7']);
    },
  );
});
