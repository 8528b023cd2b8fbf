import { expect, it } from 'vitest';
import { fitNearness } from '../../../../../plans/physical/cascade/fitted/nearness.js';
import { clouds, rejected, simulate } from './simulate-fitted.js';

const runs = 1000;

it.each([
  ['clouds that touch', clouds(300, 3, 3, 0.35, 0)],
  ['positives that hide', clouds(300, 3, 4, 0.35, 0.12)],
  ['nothing to tell', clouds(300, 3, 0, 0.35, 0)],
])(
  'heads over vectors keep the targets as often as stated: %s',
  (_, tuples) => {
    const { recallMissed, precisionMissed, callShare } = simulate(tuples, fitNearness, runs, 120);
    expect(rejected(recallMissed, runs), `recall missed ${recallMissed} of ${runs}`).toBe(false);
    expect(rejected(precisionMissed, runs), `precision missed ${precisionMissed} of ${runs}`).toBe(false);
    expect(callShare).toBeLessThanOrEqual(1);
  },
  60_000,
);

it('a head that tells saves calls', () => {
  expect(simulate(clouds(1000, 4, 4, 0.3, 0), fitNearness, 20, 150).callShare).toBeLessThan(0.5);
});
