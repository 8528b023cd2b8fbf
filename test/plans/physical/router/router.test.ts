import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bucketsOf,
  byCost,
  cutpointsOfMasses,
  digitize,
  massesOfLogits,
  withoutMissing,
} from '../../../../plans/physical/router/buckets.js';
import { joinFeatures, textFeatures, valueFeatures } from '../../../../plans/physical/router/features.js';
import { difficulties, fitScorer } from '../../../../plans/physical/router/fit-scorer.js';
import { percentileOf, percentileRanks, sketchScores } from '../../../../plans/physical/router/percentiles.js';
import { routeAll, routeStream } from '../../../../plans/physical/router/route.js';
import { type Scorer, scoreRows } from '../../../../plans/physical/router/scorer.js';
import { bucketsOfRows } from '../../../../plans/tuning/counterfactual/answers.js';
import { mulberry32 } from '../../../../plans/tuning/numeric/random.js';

const logits = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 1, maxLength: 5 });
const scores = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 200 });
const counted = (buckets: ArrayLike<number>, n: number): number[] =>
  Array.from({ length: n }, (_, k) => Array.from(buckets).filter((bucket) => bucket === k).length);

describe('percentiles and masses (CADENZA §5.1)', () => {
  it('a worked case: logits 0, ln 2, 0 over eight rows', () => {
    const masses = massesOfLogits([0, Math.log(2), 0]);
    expect(masses.map((mass) => Number(mass.toFixed(12)))).toEqual([0.25, 0.5, 0.25]);
    expect(cutpointsOfMasses([0.25, 0.5, 0.25])).toEqual([0.25, 0.75]);
    const ranks = percentileRanks([0.9, 0.1, 0.5, 0.2, 0.8, 0.3, 0.4, 0.7]);
    expect(Array.from(ranks)).toEqual([1, 0.125, 0.625, 0.25, 0.875, 0.375, 0.5, 0.75]);
    expect(Array.from(bucketsOf(ranks, masses))).toEqual([2, 0, 1, 0, 2, 1, 1, 1]);
  });

  it('percentiles are 1/n … 1 in the order of scores, whatever the ties', () => {
    fc.assert(
      fc.property(scores, (all) => {
        const ranks = percentileRanks(all);
        expect(Array.from(ranks).sort((a, b) => a - b)).toEqual(all.map((_, at) => (at + 1) / all.length));
        for (const [a, one] of all.entries())
          for (const [b, other] of all.entries()) if (one < other) expect(ranks[a]!).toBeLessThan(ranks[b]!);
      }),
      { numRuns: 50 },
    );
  });

  it('depend on the order of scores only', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1000 })), (all) => {
        expect(percentileRanks(all.map((x) => Math.exp(x / 100)))).toEqual(percentileRanks(all));
      }),
    );
  });

  it('each bucket has its mass of the rows, within one row, for any scores; harder rows never go to a cheaper one', () => {
    fc.assert(
      fc.property(scores, logits, (all, alpha) => {
        const masses = massesOfLogits(alpha);
        const buckets = bucketsOf(percentileRanks(all), masses);
        let sum = 0;
        let seen = 0;
        const counts = counted(buckets, masses.length);
        for (const [k, mass] of masses.entries()) {
          sum += mass;
          seen += counts[k]!;
          expect(Math.abs(seen - sum * all.length)).toBeLessThan(1 + 1e-6);
        }
        expect(seen).toBe(all.length);
        const order = all.map((_, row) => row).sort((a, b) => all[a]! - all[b]! || a - b);
        for (const [at, row] of order.slice(1).entries())
          expect(buckets[row]!).toBeGreaterThanOrEqual(buckets[order[at]!]!);
      }),
    );
  });

  it('agree with the buckets that the tuner prices trials by', () => {
    fc.assert(
      fc.property(logits, fc.integer({ min: 1, max: 60 }), (alpha, rows) => {
        const masses = massesOfLogits(alpha);
        const ranks = Array.from({ length: rows }, (_, at) => (at + 1) / rows);
        expect(Array.from(bucketsOf(ranks, masses))).toEqual(bucketsOfRows(masses, rows));
      }),
    );
  });

  it('one implementation has all rows, one row has the bucket of percentile 1, no row is no bucket', () => {
    expect(Array.from(bucketsOf(percentileRanks([0.3, 0.1]), massesOfLogits([7])))).toEqual([0, 0]);
    expect(Array.from(bucketsOf(percentileRanks([0.3]), [0.5, 0.5]))).toEqual([1]);
    expect(bucketsOf(percentileRanks([]), [0.5, 0.5])).toHaveLength(0);
    expect(digitize(0.5, [0.5])).toBe(0);
    expect(digitize(0.5000001, [0.5])).toBe(1);
  });

  it('logits as large as numbers get still make masses', () => {
    expect(massesOfLogits([1e308, -1e308])).toEqual([1, 0]);
  });
});

describe('an implementation that is gone', () => {
  it('leaves its rows to the next dearer one, else to the next cheaper', () => {
    expect(withoutMissing([0.2, 0.3, 0.5], [true, false, true])).toEqual([0.2, 0, 0.8]);
    expect(withoutMissing([0.25, 0.25, 0.5], [true, true, false])).toEqual([0.25, 0.75, 0]);
    expect(() => withoutMissing([1], [false])).toThrow(RangeError);
  });

  it('keeps the sum, and gives nothing to what is gone', () => {
    fc.assert(
      fc.property(logits, fc.infiniteStream(fc.boolean()), (alpha, flags) => {
        const masses = massesOfLogits(alpha);
        const available = masses.map(() => flags.next().value as boolean);
        if (!available.includes(true)) return;
        const left = withoutMissing(masses, available);
        expect(left.reduce((a, b) => a + b)).toBeCloseTo(1);
        left.forEach((mass, at) =>
          available[at] ? expect(mass).toBeGreaterThanOrEqual(masses[at]!) : expect(mass).toBe(0),
        );
      }),
    );
  });

  it('buckets are ordered by price, then time, then name', () => {
    const of = (name: string, usd: number, seconds: number) => ({ name, usd, seconds });
    const order = byCost([of('d', 1, 0), of('c', 0, 2), of('b', 0, 1), of('a', 0, 1)]).map(({ name }) => name);
    expect(order).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('a sketch of scores', () => {
  it('ranks the profile’s own scores as they stand, within a point and a row', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 800 }),
        (all) => {
          const sketch = sketchScores(all);
          const ranks = percentileRanks(all);
          all.forEach((score, row) => {
            const off = Math.abs(percentileOf(score, sketch, 1) - ranks[row]!);
            expect(off).toBeLessThanOrEqual(1 / (sketch.length - 1) + 1 / all.length);
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('stays in (0, 1] and rises with the score, for any score', () => {
    fc.assert(
      fc.property(scores, fc.double({ noNaN: true }), fc.double({ noNaN: true }), (all, a, b) => {
        const sketch = sketchScores(all);
        const [low, high] = [percentileOf(Math.min(a, b), sketch, 0.5), percentileOf(Math.max(a, b), sketch, 0.5)];
        expect(low).toBeGreaterThan(0);
        expect(low).toBeLessThanOrEqual(high);
        expect(high).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('spreads constant scores over the buckets by their masses', () => {
    const rows = 1000;
    const table = textFeatures(Array.from({ length: rows }, () => 'same'));
    const router = { scorer: { form: 'linear', bias: 0.5, terms: [] }, logits: [0, 0] } as const;
    const random = mulberry32(1);
    const spread = Array.from({ length: rows }, () => 1 - random.uniform());
    const [cheap] = counted(routeStream(router, table, sketchScores([0.5]), spread), 2);
    expect(cheap).toBeGreaterThan(450);
    expect(cheap).toBeLessThan(550);
  });

  it('needs a score', () => {
    expect(() => sketchScores([])).toThrow(RangeError);
  });
});

describe('features', () => {
  it('are finite numbers for any text or value', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.jsonValue()), { maxLength: 20 }), (pairs) => {
        const values = pairs.map(([, value]) => value as never);
        const table = joinFeatures([
          textFeatures(
            pairs.map(([text]) => text),
            'a.',
          ),
          valueFeatures(values, 'b.'),
        ]);
        expect(new Set(table.names).size).toBe(table.names.length);
        for (const column of table.values) for (const value of column) expect(Number.isFinite(value)).toBe(true);
      }),
    );
  });

  it('count what they say', () => {
    const table = textFeatures(['Why NOT?\n42 but no']);
    const of = (name: string): number => table.values[table.names.indexOf(name)]![0]!;
    expect(of('words')).toBeCloseTo(Math.log1p(5));
    expect(of('digits')).toBeCloseTo(2 / 18);
    expect(of('lines')).toBeCloseTo(Math.log1p(2));
    expect(of('contrast')).toBeCloseTo(Math.log1p(3));
  });
});

describe('a scorer', () => {
  /** Long texts need the dearer implementation; of those in the middle, chance decides. */
  const made = (seed: number, rows: number) => {
    const random = mulberry32(seed);
    const lengths = Array.from({ length: rows }, () => 1 + Math.floor(random.uniform() * 100));
    const table = textFeatures(lengths.map((length) => 'word '.repeat(length)));
    const cheap = lengths.map((length) => random.uniform() < 1 / (1 + Math.exp((length - 50) / 5)));
    return { table, right: [cheap, lengths.map(() => true)] };
  };

  it('puts rows that the cheap one gets wrong behind those it gets right, on rows unseen', () => {
    const { table, right } = made(1, 120);
    const scorer = fitScorer(table, difficulties(right), 7);
    const held = made(2, 500);
    const buckets = routeAll({ scorer, logits: [0, 0] }, held.table);
    const routed = Array.from(buckets).filter((bucket, row) => held.right[bucket]![row]).length;
    const blind = held.right[0]!.filter((ok, row) => (row % 2 === 0 ? ok : true)).length;
    expect(routed).toBeGreaterThan(blind + 50);
  });

  it('takes the tree where the line says nothing', () => {
    const lengths = Array.from({ length: 300 }, (_, at) => 1 + ((at * 37) % 100));
    const table = textFeatures(lengths.map((length) => 'x'.repeat(length ** 2)));
    // Hard are the middle ones only.
    const right = [lengths.map((length) => length < 40 || length > 60), lengths.map(() => true)];
    const scorer = fitScorer(table, difficulties(right), 7);
    expect(scorer.form).toBe('tree');
    const found = scoreRows(scorer, table);
    lengths.forEach((length, row) => {
      if (length > 45 && length < 55) expect(found[row]!).toBeGreaterThan(0.5);
    });
  });

  it('gives the same from the same, within [0, 1], as plain data', () => {
    const { table, right } = made(3, 80);
    const scorer = fitScorer(table, difficulties(right), 7);
    expect(fitScorer(table, difficulties(right), 7)).toEqual(scorer);
    const again = scoreRows(JSON.parse(JSON.stringify(scorer)) as Scorer, table);
    expect(again).toEqual(scoreRows(scorer, table));
    for (const score of again) expect(score >= 0 && score <= 1).toBe(true);
  });

  it.each([
    ['no row', []],
    ['one row', [true]],
    ['rows all of one kind', Array<boolean>(50).fill(true)],
  ])('is constant when it is fitted to %s', (_, cheap) => {
    const table = textFeatures(cheap.map((_right, row) => 'x'.repeat(row)));
    const scorer = fitScorer(table, difficulties([cheap, cheap.map(() => true)]), 1);
    expect(new Set(scoreRows(scorer, table)).size).toBeLessThanOrEqual(1);
  });

  it('leaves out rows that nothing got right', () => {
    expect(
      Array.from(
        difficulties([
          [true, false, false],
          [true, true, false],
          [false, true, false],
        ]),
      ),
    ).toEqual([0, 0.5, Number.NaN]);
    expect(Array.from(difficulties([[true]]))).toEqual([0]);
  });

  it('names a feature that is not there', () => {
    const scorer = { form: 'tree', root: { feature: 'y', below: 1, yes: { score: 0 }, no: { score: 1 } } } as const;
    expect(() => scoreRows(scorer, textFeatures(['x']))).toThrow(RangeError);
  });
});
