import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  accuracy,
  adjustedRandIndex,
  averageRanks,
  bestMatch,
  bootstrapInterval,
  errorQuality,
  groupedError,
  labelF1,
  listRetrieval,
  type MetricName,
  macroF1,
  metricOf,
  metrics,
  rankPrecision,
  relativeError,
  resultError,
  retrieval,
  sameText,
  shareInterval,
  spearman,
  spearmanOfIds,
  textSimilarity,
} from '../../../plans/evaluation/index.js';

const letters = (text: string): string[] => Array.from(text);
const pairKey = (pair: string): string => pair.split('-').sort().join('-');

describe('retrieval', () => {
  it('is precision, recall and F1 over sets of ids', () => {
    // 2 of 3 found are right, 2 of 4 right ones found: 2·(2/3)·(1/2) / (7/6) = 4/7.
    expect(retrieval(['a', 'b', 'x'], ['a', 'b', 'c', 'd'])).toEqual({
      precision: 2 / 3,
      recall: 0.5,
      f1: expect.closeTo(4 / 7),
    });
  });

  it('cuts to the limit first, and recalls against the smaller of limit and gold', () => {
    expect(retrieval(['x', 'a', 'b'], ['a', 'b', 'c'], { limit: 2 })).toEqual({ precision: 0.5, recall: 0.5, f1: 0.5 });
  });

  it('makes pairs a set after the cut: each pair twice in ten rows gives a recall of a half, LOTUS’s 0.667', () => {
    const gold = Array.from({ length: 30 }, (_, at) => `m${at}-n${at}`);
    const found = gold.flatMap((pair) => [pair, pair.split('-').reverse().join('-')]);
    const score = retrieval(found, gold, { limit: 10, key: pairKey });
    expect(score).toEqual({ precision: 1, recall: 0.5, f1: expect.closeTo(0.667, 3) });
  });

  it('of nothing in nothing is 1, or 0 where the scenario says so; of nothing in something 0', () => {
    expect(retrieval([], []).f1).toBe(1);
    expect(retrieval([], [], { bothEmpty: 0 }).f1).toBe(0);
    expect(retrieval([], ['a']).f1).toBe(0);
  });

  it('counts repeated items of MMQA’s lists as further hits', () => {
    // 3 of 4 named are hits; recall is capped at what was hit.
    expect(listRetrieval(['a', 'a', 'b', 'x'], ['a', 'b'])).toMatchObject({ precision: 0.75, recall: 1 });
  });
});

describe('labels', () => {
  it('agree by name', () => {
    expect(accuracy(letters('aabb'), letters('abbb'))).toBe(0.75);
    // a: 1 of 2 named, 1 of 1 real: 2/3. b: 2 of 2 named, 2 of 3 real: 4/5.
    expect(labelF1(letters('aabb'), letters('abbb'), 'a')).toBeCloseTo(2 / 3);
    expect(macroF1(letters('aabb'), letters('abbb'))).toBeCloseTo((2 / 3 + 4 / 5) / 2);
  });

  it('agree as groups: a worked case', () => {
    // Groups {1,2,3} {4,5} against {1,2} {3,4,5}: pairs together in both 2, in each 4 of 10: (2 − 1.6) / (4 − 1.6) = 1/6.
    expect(adjustedRandIndex(letters('xxxyy'), letters('ppqqq'))).toBeCloseTo(1 / 6);
  });

  it('agree as groups whatever the names, and symmetrically', () => {
    const labels = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('p', 'q')), { maxLength: 30 });
    fc.assert(
      fc.property(labels, (pairs) => {
        const [a, b] = [pairs.map(([x]) => x), pairs.map(([, y]) => y)];
        expect(
          adjustedRandIndex(
            a,
            a.map((x) => `${x}!`),
          ),
        ).toBe(1);
        expect(adjustedRandIndex(a, b)).toBeCloseTo(adjustedRandIndex(b, a));
        expect(adjustedRandIndex(a, b)).toBeLessThanOrEqual(1 + 1e-12);
      }),
    );
  });

  it('are compared row by row', () => {
    expect(() => accuracy(['a'], [])).toThrow(RangeError);
  });
});

describe('numbers', () => {
  it('err relatively, and infinitely where gold is 0', () => {
    expect(relativeError(15, 10)).toBe(0.5);
    expect(relativeError(-10, -8)).toBe(0.25);
    expect(relativeError(0, 0)).toBe(0);
    expect(relativeError(1, 0)).toBe(Infinity);
  });

  it('are read from the one row of a result', () => {
    expect(resultError(['13.5'], 10)).toBeCloseTo(0.35);
    expect(resultError([], 10)).toBe(1);
    expect(resultError([10, 10], 10)).toBe(1);
    expect(resultError([''], 10)).toBe(1);
  });

  it('of groups are the mean over the labels of either side', () => {
    // positive 0.5, negative 0 (found none of none), extra 1: (0.5 + 0 + 1) / 3.
    expect(groupedError({ positive: 3, extra: 1 }, { positive: 2, negative: 0 })).toBeCloseTo(0.5);
  });

  it('make a quality of an error: 100 % off is 0.5', () => {
    expect([0, 1, Infinity].map(errorQuality)).toEqual([1, 0.5, 0]);
  });
});

describe('orders', () => {
  it('share ranks where values are equal', () => {
    expect(averageRanks([10, 20, 20, 5])).toEqual([2, 3.5, 3.5, 1]);
  });

  it('agree by Spearman’s ρ: worked cases', () => {
    // d² = 1 + 1: 1 − 6·2 / (3·8) = 0.5.
    expect(spearman([1, 2, 3], [2, 1, 3])).toBeCloseTo(0.5);
    // Ranks 1, 2.5, 2.5, 4 against 1 … 4: 4.5 / √(4.5·5).
    expect(spearman([1, 2, 2, 3], [1, 2, 3, 4])).toBeCloseTo(4.5 / Math.sqrt(22.5));
    expect(spearman([1], [1])).toBe(0);
    expect(spearman([1, 1], [1, 2])).toBe(0);
  });

  it('are compared over common ids, without a penalty for the others', () => {
    const found = new Map([
      ['a', 1],
      ['b', 2],
      ['x', 0],
    ]);
    expect(
      spearmanOfIds(
        found,
        new Map([
          ['a', 5],
          ['b', 6],
          ['c', 7],
        ]),
      ),
    ).toBe(1);
    expect(spearmanOfIds(found, new Map([['a', 5]]))).toBe(0);
  });

  it('agree by rank precision at K', () => {
    // Among the first 3 one of the two right ones; the repeated x counts once.
    expect(rankPrecision(['x', 'x', 'a', 'y', 'b'], ['a', 'b'], 3)).toBe(0.5);
    expect(rankPrecision(['a'], ['a', 'b', 'c'], 2)).toBe(0.5);
    expect(rankPrecision([], [], 5)).toBe(1);
  });

  it('have one best row among those that tie', () => {
    expect([['a'], ['x'], ['a', 'b'], []].map((found) => bestMatch(found, ['a', 'b']))).toEqual([1, 0, 0, 0]);
  });

  it('keep ρ in [−1, 1], symmetric, and 1 under any rising function', () => {
    const values = fc.array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })), {
      minLength: 2,
      maxLength: 30,
    });
    fc.assert(
      fc.property(values, (pairs) => {
        const [a, b] = [pairs.map(([x]) => x), pairs.map(([, y]) => y)];
        const rho = spearman(a, b);
        expect(Math.abs(rho)).toBeLessThanOrEqual(1 + 1e-12);
        expect(rho).toBeCloseTo(spearman(b, a));
        expect(
          spearman(
            a,
            a.map((x) => x ** 3 + 5),
          ),
        ).toBeCloseTo(new Set(a).size > 1 ? 1 : 0);
      }),
    );
  });
});

describe('texts', () => {
  it('are the same but for case, space and form', () => {
    expect(sameText(' The  Ｇodfather\n', 'the godfather')).toBe(true);
    expect(sameText('the godfather', 'the godfather 2')).toBe(false);
  });

  it('are similar by edits over the longer one: kitten and sitting differ by 3 of 7', () => {
    expect(textSimilarity('kitten', 'Sitting')).toBeCloseTo(1 - 3 / 7);
    expect(textSimilarity('', '')).toBe(1);
  });
});

describe('intervals', () => {
  it('of a share are exact: none wrong in 50 leaves up to 7.1 %', () => {
    expect(shareInterval(50, 50).lower).toBeCloseTo(0.025 ** (1 / 50));
    expect(shareInterval(0, 0)).toEqual({ lower: 0, upper: 1 });
  });

  it('by bootstrap are like the exact ones, and the same for the same seed', () => {
    const rows = Array.from({ length: 200 }, (_, at) => Number(at < 140));
    const mean = (of: readonly number[]): number => of.reduce((sum, x) => sum + x, 0) / of.length;
    const drawn = bootstrapInterval(rows, mean, { seed: 3 });
    const exact = shareInterval(140, 200);
    expect(Math.abs(drawn.lower - exact.lower)).toBeLessThan(0.02);
    expect(Math.abs(drawn.upper - exact.upper)).toBeLessThan(0.02);
    expect(bootstrapInterval(rows, mean, { seed: 3 })).toEqual(drawn);
    expect(bootstrapInterval([1], mean, { seed: 3 })).toEqual({ lower: 1, upper: 1 });
  });
});

describe('the metric of an operator', () => {
  it.each<[MetricName, (boolean | string | number | null)[], (boolean | string | number)[], number]>([
    ['f1', [true, false, true, null], [true, true, false, false], 0.5],
    ['f1', [false, null], [false, false], 1],
    ['accuracy', ['a', 'b', null], ['a', 'b', 'c'], 2 / 3],
    ['randIndex', ['x', 'x', 'y'], ['p', 'p', 'q'], 1],
    ['randIndex', ['x', 'y', 'x', 'y'], ['p', 'p', 'q', 'q'], 0],
    ['relative', [15, '10', null], [10, 10, 10], (1 / 1.5 + 1 + 0) / 3],
    ['spearman', [1, 2, 3], [3, 2, 1], 0],
    ['spearman', [10, 20, null], [2, 3, 1], 1],
    ['exactText', ['A b', null], ['a  b', 'c'], 0.5],
    ['fuzzyText', ['kitten'], ['sitting'], 4 / 7],
  ])('%s of %j against %j', (name, found, gold, quality) => {
    expect(metrics[name](found, gold)).toBeCloseTo(quality);
  });

  it('is in [0, 1] for any answers', () => {
    const value = fc.oneof(fc.boolean(), fc.double({ noNaN: true }), fc.string(), fc.constant(null));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(value, value), { minLength: 1 }),
        fc.constantFrom(...Object.values(metricOf)),
        (rows, name) => {
          const quality = metrics[name](
            rows.map(([a]) => a),
            rows.map(([, b]) => b),
          );
          expect(quality >= 0 && quality <= 1 + 1e-12).toBe(true);
        },
      ),
    );
  });
});
