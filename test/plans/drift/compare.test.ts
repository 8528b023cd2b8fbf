import { describe, expect, test } from 'vitest';
import { describeShifts, driftBetween } from '../../../plans/drift/compare.js';
import { profileOf } from '../../../plans/drift/profile.js';
import { entropyOf, kindOf, wordVector } from '../../../plans/drift/text-kinds.js';
import type { Scorer } from '../../../plans/physical/router/scorer.js';
import { mulberry32 } from '../../../plans/tuning/numeric/random.js';

const random = mulberry32(11);
const scorer: Scorer = {
  form: 'linear',
  bias: 0.5,
  terms: [{ feature: 'input0 length', weight: 0.2, mean: 4, scale: 1 }],
};
const food = 'soup rice salad bread waiter table fresh cold spicy slow'.split(' ');
const cars = 'engine brake wheel dealer road petrol seat gear noisy fast'.split(' ');
const filler = 'the and was very with that this not quite good'.split(' ');
const pick = (words: readonly string[]) => words[Math.floor(random.uniform() * words.length)] ?? '';
const text = (words: readonly string[], length: number) =>
  Array.from({ length: length + Math.floor(random.uniform() * length) }, (_, at) =>
    pick(at % 2 === 0 ? words : filler),
  ).join(' ');
const inputs = (rows: number, words = food, length = 12) =>
  Array.from({ length: rows }, (_, at) => [`${text(words, length)} ${1000 + at}`]);
const profile = (rows: readonly (readonly string[])[]) => profileOf(rows, 10 * rows.length, scorer);

describe('drift', () => {
  test('is not seen where there is none, at its level', () => {
    let alarms = 0;
    const rounds = 30;
    for (let round = 0; round < rounds; round++) {
      if (driftBetween(profile(inputs(120)), profile(inputs(100))).drifted === true) alarms += 1;
    }
    // Level 0.01, and three standard errors of it.
    expect(alarms / rounds).toBeLessThanOrEqual(0.01 + 3 * Math.sqrt((0.01 * 0.99) / rounds));
  }, 30_000);

  test('is seen in longer texts, and in the scores that hang on their length', () => {
    const { drifted, shifts } = driftBetween(profile(inputs(200)), profile(inputs(200, food, 40)));
    expect(drifted).toBe(true);
    const found = shifts.map(({ what }) => what);
    expect(found).toEqual(expect.arrayContaining(['input0 length', 'input0 words', 'router score']));
    expect(found).not.toContain('kind english');
    expect(describeShifts(shifts)).toMatch(/^.+ \(PSI \d\.\d\d\), .+ and \d+ more$/);
  });

  test('is seen in other words alone', () => {
    const { shifts } = driftBetween(profile(inputs(150)), profile(inputs(150, cars)));
    expect(shifts.map(({ what }) => what)).toContain('words');
  });

  test('is seen in another language', () => {
    const german = inputs(100).map(([value = '']) => [
      value.replace(/the|and|was/g, 'und').replace(/with|not/g, 'nicht'),
    ]);
    const { shifts } = driftBetween(profile(inputs(100)), profile(german));
    expect(shifts.map(({ what }) => what)).toEqual(expect.arrayContaining(['kind english', 'kind german']));
  });

  test('cannot be told from a handful of inputs', () => {
    expect(driftBetween(profile(inputs(200)), profile(inputs(10, cars)))).toEqual({ shifts: [] });
  });

  test('survives being written and read', () => {
    const then = profile(inputs(300));
    expect(JSON.parse(JSON.stringify(then))).toEqual(then);
    expect(JSON.stringify(then).length).toBeLessThan(100_000);
    expect(then).toMatchObject({ inputs: 3000, profiled: 300, kinds: { english: expect.any(Number) as number } });
  });
});

describe('texts', () => {
  test.each([
    ['The soup was cold and the waiter rude', 'english'],
    ['Das Essen ist nicht gut und der Kellner unfreundlich', 'german'],
    ['Il cibo non è buono per gli ospiti', 'italian'],
    ['Суп был холодный', 'cyrillic'],
    ['スープは冷たかった', 'kana'],
    ['汤很冷', 'han'],
    ['XK-7 ZZ', 'latin'],
    ['ႠႡ', 'other'],
    ['12 / 7', 'none'],
    ['', 'none'],
  ])('%s is of kind %s', (value, kind) => expect(kindOf(value)).toBe(kind));

  test('have the entropy of their letters', () => {
    expect(entropyOf('')).toBe(0);
    expect(entropyOf('aaaa')).toBe(0);
    expect(entropyOf('1729')).toBe(0);
    expect(entropyOf('abab')).toBe(1);
    expect(entropyOf('abcdabcd')).toBe(2);
  });

  test('have unit vectors that know words, not their order or numbers', () => {
    const vector = wordVector('cold soup 17');
    expect(Math.hypot(...vector)).toBeCloseTo(1, 12);
    expect(wordVector('soup 9 COLD')).toEqual(vector);
    expect(wordVector('engine noise 17')).not.toEqual(vector);
    expect(wordVector('?!').every((value) => value === 0)).toBe(true);
  });
});
