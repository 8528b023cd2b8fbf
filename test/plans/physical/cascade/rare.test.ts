import { describe, expect, test } from 'vitest';
import { binomialCdf } from '../../../../plans/physical/cascade/bounds/beta.js';
import { hypergeometricCdf } from '../../../../plans/physical/cascade/bounds/hypergeometric.js';
import { drawRare, rejectRare, surestPairs, typicalRareShare } from '../../../../plans/physical/cascade/rare.js';
import { cosineOf, likenessOf } from '../../../../plans/physical/pairs/likeness.js';
import { deriveSeed, mulberry32 } from '../../../../plans/tuning/numeric/random.js';

test('the hypergeometric distribution is that of counting all draws', () => {
  for (let size = 1; size <= 9; size += 1) {
    for (let marked = 0; marked <= size; marked += 1) {
      for (let draws = 0; draws <= size; draws += 1) {
        const sets = Array.from({ length: 2 ** size }, (_, bits) => bits).filter((bits) => ones(bits) === draws);
        for (let count = 0; count <= size; count += 1) {
          const within = sets.filter((bits) => ones(bits & (2 ** marked - 1)) <= count).length;
          expect(hypergeometricCdf(count, { size, marked, draws })).toBeCloseTo(within / sets.length, 9);
        }
      }
    }
  }
});
const ones = (bits: number): number => bits.toString(2).replaceAll('0', '').length;

/** Pairs of which few are true, and whose scores tell so more or less well. */
interface Population {
  readonly pairs: number;
  readonly values: number;
  readonly rate: number;
  readonly separation: number;
}

function run({ pairs, values, rate, separation }: Population, recall: number, seed: number) {
  const random = mulberry32(deriveSeed(seed, pairs));
  const gauss = (): number => Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform());
  const truth = Array.from({ length: pairs }, () => random.uniform() < rate);
  const scores = truth.map((real) => 1 / (1 + Math.exp(-gauss() - (real ? separation : 0))));
  const order = scores.map((_, at) => at).sort((a, b) => scores[b]! - scores[a]!);
  const first = order.slice(0, surestPairs(pairs, values));
  const rest = order.slice(first.length).sort((a, b) => a - b);
  const found = first.filter((at) => truth[at]).length;
  const request = { scores: rest.map((at) => scores[at]!), found, targets: { recall, confidence: 0.95 } };
  const draw = drawRare({ ...request, seed });
  const total = truth.filter(Boolean).length;
  if (draw.kind === 'ask-all') return { recall: 1, calls: pairs };
  const labels = draw.plan.indices.map((at) => truth[rest[at]!]!);
  const decision = rejectRare({ ...request, plan: draw.plan, labels });
  if (decision.kind === 'ask-all') return { recall: 1, calls: pairs };
  const sampled = new Set(draw.plan.indices);
  const missed = rest.filter((at, place) => truth[at] && !sampled.has(place) && scores[at]! < decision.reject!).length;
  const asked = rest.filter((at, place) => sampled.has(place) || scores[at]! >= decision.reject!).length;
  expect(asked).toBe(decision.expectedOracleCalls);
  return { recall: total === 0 ? 1 : (total - missed) / total, calls: first.length + asked };
}

describe('the recall target holds', () => {
  test.each([
    [{ pairs: 2000, values: 50, rate: 0.05, separation: 3 }, 0.9],
    [{ pairs: 2000, values: 50, rate: 0.05, separation: 1 }, 0.9],
    [{ pairs: 2000, values: 100, rate: 0.1, separation: 0 }, 0.8],
    [{ pairs: 2000, values: 100, rate: 0.05, separation: -1 }, 0.7],
    [{ pairs: 4000, values: 200, rate: 0.04, separation: 2 }, 0.95],
    [{ pairs: 1000, values: 100, rate: 0.02, separation: 2 }, 0.5],
  ])('in 1,000 runs over %o at %f', (population, recall) => {
    const failures = Array.from({ length: 1000 }, (_, seed) => run(population, recall, seed)).filter(
      (one) => one.recall < recall,
    ).length;
    // a one-sided binomial test at 1 % does not reject a failure rate of 5 %
    expect(1 - binomialCdf(failures - 1, 1000, 0.05)).toBeGreaterThan(0.01);
  });

  test('with a part of the calls where likeness tells much, and no more than all where it tells nothing', () => {
    const mean = (population: Population): number =>
      Array.from({ length: 50 }, (_, seed) => run(population, 0.9, seed).calls).reduce((a, b) => a + b) / 50;
    const share = mean({ pairs: 10_000, values: 100, rate: 0.01, separation: 5 }) / 10_000;
    expect(share).toBeLessThan(0.5);
    expect(
      Math.abs(share - typicalRareShare(10_000, 100, surestPairs(10_000, 100), { recall: 0.9, confidence: 0.95 })),
    ).toBeLessThan(0.1);
    expect(mean({ pairs: 90_000, values: 300, rate: 1 / 300, separation: 6 })).toBeLessThan(0.2 * 90_000);
    expect(mean({ pairs: 2000, values: 50, rate: 0.05, separation: 0 })).toBeLessThanOrEqual(2000);
  });

  test('by asking all where that cannot be shown', () => {
    const of = (found: number, recall = 0.9) =>
      drawRare({ scores: [0.1, 0.2, 0.3], found, targets: { recall, confidence: 0.95 }, seed: 1 });
    expect(of(0)).toMatchObject({ kind: 'ask-all', reason: 'no-positives' });
    expect(of(8)).toMatchObject({ kind: 'ask-all', reason: 'sample-too-small' });
    expect(of(8, 1)).toMatchObject({ kind: 'ask-all', reason: 'target-of-one' });
  });
});

test('a value that is near everything says little by being near', () => {
  const cosine = Float32Array.of(0.9, 0.95, 0.2, 0.6, Number.NaN, 0.1);
  const left = Int32Array.of(0, 0, 1, 1, 2, 1);
  const right = Int32Array.of(0, 1, 0, 1, 0, 2);
  const scores = likenessOf({ left, right, cosine });
  expect(scores[3]).toBeGreaterThan(scores[2]!);
  expect(scores[4]).toBeNaN();
  // rows: 0.925, 0.3; columns: 0.55, 0.775, 0.1; all: 0.55
  expect(scores[0]).toBeCloseTo((0.9 - 0.925 - 0.55 + 0.55 + 4) / 8, 6);
  expect(cosineOf([3, 0], [4, 3])).toBeCloseTo(0.8);
  expect([cosineOf([0, 0], [1, 1]), cosineOf(undefined, [1])]).toEqual([Number.NaN, Number.NaN]);
});
