import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Truth } from '../../../../plans/placement/adaptive/answers.js';
import {
  counted,
  type FeatureTallies,
  learned,
  noAnswers,
  nothingLearned,
  ratesFor,
  ratesOf,
} from '../../../../plans/placement/adaptive/pass-rates.js';
import { mulberry32 } from '../../../../plans/tuning/numeric/random.js';

const answers = fc.array(fc.constantFrom<Truth>(true, false, null), { maxLength: 50 });

test('rates are shares that add up to 1, whatever was answered', () => {
  fc.assert(
    fc.property(
      answers,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.array(fc.string()),
      (all, selectivity, texts) => {
        const tallies = all.reduce<FeatureTallies>(
          (sum, answer, at) => learned(sum, texts[at] ?? '', answer),
          nothingLearned,
        );
        for (const rates of [ratesOf(tallies.all, selectivity), ratesFor(tallies, texts[0] ?? '', selectivity)]) {
          for (const share of Object.values(rates)) expect(share).toBeGreaterThanOrEqual(0);
          expect(rates.true + rates.false + rates.null).toBeCloseTo(1, 9);
        }
      },
    ),
  );
});

test('a call that is believed to say TRUE always, and has, still has rates that add up to 1', () => {
  const tallies = learned(nothingLearned, 'yes', true);
  const rates = ratesFor(tallies, 'yes', 1);
  expect(rates.true + rates.false + rates.null).toBeCloseTo(1, 9);
});

test('before any answer the rates are what is believed; with many they are what was seen', () => {
  expect(ratesOf(noAnswers).true).toBeCloseTo(0.2);
  expect(ratesOf(noAnswers, 0.7).true).toBeCloseTo(0.7);
  let tally = noAnswers;
  for (let at = 0; at < 1000; at++) tally = counted(tally, at % 10 < 9);
  expect(ratesOf(tally).true).toBeCloseTo(0.9, 2);
});

test('a feature that the answer goes with tells tuples apart; one that it does not go with changes little', () => {
  const random = mulberry32(3);
  let tallies = nothingLearned;
  for (let at = 0; at < 300; at++) {
    const question = random.uniform() < 0.5;
    const text = `${question ? 'where is it?' : 'it is over there'} ${random.uniform() < 0.5 ? '1' : 'one'}`;
    tallies = learned(tallies, text, random.uniform() < (question ? 0.9 : 0.1));
  }
  const rate = (text: string): number => ratesFor(tallies, text).true;
  expect(rate('where is it? one')).toBeGreaterThan(0.75);
  expect(rate('it is over there one')).toBeLessThan(0.25);
  expect(Math.abs(rate('where is it? 1') - rate('where is it? one'))).toBeLessThan(0.15);
});
