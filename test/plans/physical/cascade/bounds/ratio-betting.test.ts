import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logGamma } from '../../../../../plans/physical/cascade/bounds/beta.js';
import { logEvidence, ratioUpper } from '../../../../../plans/physical/cascade/bounds/ratio-betting.js';
import type { RatioCounts } from '../../../../../plans/physical/cascade/bounds/ratio-betting.js';

interface Layer {
  readonly bad: number;
  readonly good: number;
  readonly neither: number;
  readonly taken: number;
}

const layer = (separate: 'bad' | 'good' | undefined): fc.Arbitrary<Layer> =>
  fc
    .record({
      bad: fc.integer({ min: 0, max: separate === 'good' ? 0 : 5 }),
      good: fc.integer({ min: 0, max: separate === 'bad' ? 0 : 8 }),
      neither: fc.integer({ min: 1, max: 8 }),
      share: fc.double({ min: 0.1, max: 0.95, noNaN: true }),
    })
    .map(({ share, ...counts }) => ({
      ...counts,
      taken: Math.max(1, Math.floor(share * (counts.bad + counts.good + counts.neither))),
    }));

/** The expected capital over all samples, by enumeration. */
function expectation(layers: readonly Layer[], ratio: number, separate: boolean): number {
  const sizeOf = ({ bad, good, neither }: Layer) => bad + good + neither;
  const smallestRate = Math.min(...layers.map((one) => one.taken / sizeOf(one)));
  const walk = (at: number, drawn: readonly RatioCounts[]): number => {
    const one = layers[at];
    if (!one) return Math.exp(logEvidence({ strata: drawn, ratio, smallestRate, separate }));
    let sum = 0;
    for (let bad = 0; bad <= one.bad; bad++)
      for (let good = 0; good <= one.good; good++) {
        const rest = one.taken - bad - good;
        if (rest < 0 || rest > one.neither) continue;
        const log =
          choose(one.bad, bad) + choose(one.good, good) + choose(one.neither, rest) - choose(sizeOf(one), one.taken);
        sum += Math.exp(log) * walk(at + 1, [...drawn, { bad, good, rate: one.taken / sizeOf(one) }]);
      }
    return sum;
  };
  return walk(0, []);
}

const choose = (n: number, k: number) => logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);

describe('logEvidence', () => {
  it.each([
    ['apart', true, [layer('bad'), layer('good'), layer('good')]],
    ['mixed', false, [layer(undefined), layer(undefined)]],
  ] as [string, boolean, fc.Arbitrary<Layer>[]][])(
    'has an expected capital of at most 1 when the hypothesis is true (%s)',
    (_, separate, kinds) => {
      fc.assert(
        fc.property(fc.tuple(...kinds), (layers) => {
          const bad = layers.reduce((sum, one) => sum + one.bad, 0);
          const good = layers.reduce((sum, one) => sum + one.good, 0);
          fc.pre(bad > 0);
          // The largest ratio for which the hypothesis still holds; any above 5 tells no more.
          const ratio = Math.min(5, bad / Math.max(good, 1e-9));
          expect(expectation(layers, ratio, separate)).toBeLessThanOrEqual(1 + 1e-9);
        }),
        { numRuns: 150 },
      );
    },
  );

  it('grows with good tuples, the more the higher their weight, and falls with bad ones', () => {
    const test = (bad: number, good: number, rate: number) =>
      logEvidence({
        strata: [
          { bad, good: 0, rate: 0.1 },
          { bad: 0, good, rate },
        ],
        ratio: 0.1,
        smallestRate: 0.1,
        separate: true,
      });
    expect(test(0, 40, 0.1)).toBeGreaterThan(test(0, 30, 0.1));
    expect(test(0, 40, 0.1)).toBeGreaterThan(test(0, 40, 0.2));
    expect(test(1, 40, 0.1)).toBeLessThan(test(0, 40, 0.1));
  });
});

describe('ratioUpper', () => {
  const evidence = (bad: number, good: number) => ({
    strata: [
      { bad, good: 0, rate: 0.2 },
      { bad: 0, good, rate: 0.2 },
    ],
    smallestRate: 0.2,
    separate: true,
  });

  it('is where the evidence reaches 1 / alpha', () => {
    for (const [bad, good] of [
      [0, 50],
      [3, 100],
      [20, 30],
    ] as const) {
      const ratio = ratioUpper(evidence(bad, good), 0.05);
      expect(logEvidence({ ...evidence(bad, good), ratio })).toBeCloseTo(Math.log(20), 4);
      expect(ratio).toBeGreaterThan(bad / good);
    }
  });

  it('excludes nothing without a good tuple', () => {
    expect(ratioUpper(evidence(3, 0), 0.05)).toBe(Infinity);
  });
});
