import { expect, it } from 'vitest';
import { fitLexicon } from '../../../../../plans/physical/cascade/fitted/lexicon.js';
import { fitNearness } from '../../../../../plans/physical/cascade/fitted/nearness.js';
import { clouds, rejected, sentences, simulate } from './simulate-fitted.js';

const runs = 150;

it.each([0.6, 0.2])(
  'word weights keep the targets as often as stated where %f of the words tell',
  (telling) => {
    const { recallMissed, precisionMissed } = simulate(sentences(350, telling), fitLexicon, runs, 120);
    expect(rejected(recallMissed, runs), `recall missed ${recallMissed} of ${runs}`).toBe(false);
    expect(rejected(precisionMissed, runs), `precision missed ${precisionMissed} of ${runs}`).toBe(false);
  },
  60_000,
);

it('word weights that tell save calls', () => {
  expect(simulate(sentences(1000, 0.6), fitLexicon, 10, 150).callShare).toBeLessThan(0.6);
});

/** More axes than tuples to fit to: the head knows its own tuples by heart. */
const byHeart = clouds(300, 90, 1.5, 0.35, 0);

it('with thresholds learned on the very tuples of the fit the targets fail: the split is what keeps them', () => {
  const misses = (split: boolean) => simulate(byHeart, fitNearness, 40, 120, split);
  const same = misses(false);
  expect(rejected(same.recallMissed, 40) || rejected(same.precisionMissed, 40)).toBe(true);
  const apart = misses(true);
  expect(rejected(apart.recallMissed, 40) || rejected(apart.precisionMissed, 40)).toBe(false);
}, 60_000);
