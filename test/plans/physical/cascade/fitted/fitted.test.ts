import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitLexicon, termsOf } from '../../../../../plans/physical/cascade/fitted/lexicon.js';
import { fitLogistic, scoreWith, unit } from '../../../../../plans/physical/cascade/fitted/logistic.js';
import { fitNearness } from '../../../../../plans/physical/cascade/fitted/nearness.js';
import { drawTraining, trainingSize } from '../../../../../plans/physical/cascade/fitted/training.js';

describe('the head', () => {
  const axis = (x: number, y: number) => unit({ at: [0, 1], value: [x, y] });
  test('finds the best weights: no step from there lowers the loss', () => {
    const rows = [axis(1, 0.2), axis(0.9, -0.3), axis(-1, 0.1), axis(-0.8, -0.4), axis(0.1, 1)];
    const labels = [true, true, false, false, true];
    const { weights, bias } = fitLogistic(rows, labels, 2);
    const loss = (w: readonly number[], b: number): number =>
      rows.reduce(
        (sum, row, at) => {
          const p = scoreWith({ weights: Float64Array.from(w), bias: b }, row);
          return sum - Math.log(labels[at] === true ? p : 1 - p) / rows.length;
        },
        w.reduce((sum, x) => sum + x * x, 0) / (2 * 20 * rows.length),
      );
    const best = loss([...weights], bias);
    fc.assert(
      fc.property(
        fc.tuple(
          fc.double({ min: -1, max: 1, noNaN: true }),
          fc.double({ min: -1, max: 1, noNaN: true }),
          fc.double({ min: -1, max: 1, noNaN: true }),
        ),
        ([x, y, b]) => {
          expect(loss([(weights[0] ?? 0) + x, (weights[1] ?? 0) + y], bias + b)).toBeGreaterThanOrEqual(best - 1e-6);
        },
      ),
    );
  });
  test('scores lie in (0, 1) and are numbers, whatever the data', () => {
    const rows = fc.array(
      fc.record({
        row: fc.array(fc.float({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }), {
          minLength: 3,
          maxLength: 3,
        }),
        label: fc.boolean(),
      }),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(rows, (all) => {
        const score = fitNearness(
          all.map(({ row }) => row),
          all.map(({ label }) => label),
        );
        for (const { row } of all) {
          expect(score(row)).toBeGreaterThanOrEqual(0);
          expect(score(row)).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('words', () => {
  test.each([
    ['It burned. BURNED out!', ['it', 'burned', 'out', 'it burned', 'burned burned', 'burned out']],
    ["the owner's car", ['the', "owner's", 'car', "the owner's", "owner's car"]],
    ['刹车坏', ['刹', '车', '坏', '刹 车', '车 坏']],
    ['', []],
    ['… !?', []],
  ])('%s', (text, terms) => {
    expect([...termsOf(text)].toSorted()).toEqual([...terms].toSorted());
  });
  test('a word that goes with true raises the score, one that goes with false lowers it, an unknown one does neither', () => {
    const texts = Array.from({ length: 40 }, (_, at) =>
      at % 2 === 0 ? `the engine burned ${at}` : `the engine was fine ${at}`,
    );
    const score = fitLexicon(
      texts,
      texts.map((_, at) => at % 2 === 0),
    );
    expect(score('it burned')).toBeGreaterThan(0.8);
    expect(score('all fine')).toBeLessThan(0.2);
    expect(Math.abs(score('zebra') - 0.5)).toBeLessThan(0.2);
  });
  test('texts without any common word leave the rate of true answers', () => {
    const score = fitLexicon(['a1', 'b2', 'c3', 'd4'], [true, false, false, false]);
    expect(score('zebra')).toBeCloseTo(0.25, 1);
  });
});

describe('what is fitted to', () => {
  test('is drawn uniformly, the same each time, apart from what the sample is drawn from', () => {
    expect(drawTraining(1000, 7)).toEqual(drawTraining(1000, 7));
    expect(drawTraining(1000, 7)).not.toEqual(drawTraining(1000, 8));
    const counts = new Array<number>(100).fill(0);
    for (let seed = 0; seed < 2000; seed++) for (const at of drawTraining(100, seed)) counts[at]! += 1;
    expect(Math.min(...counts)).toBeGreaterThan(300);
    expect(Math.max(...counts)).toBeLessThan(500);
  });
  test.each([
    [0, 0],
    [4, 0],
    [100, 20],
    [900, 120],
    [10_000, 400],
    [1_000_000, 500],
  ])('of %i tuples, %i', (size, count) => {
    expect(trainingSize(size)).toBe(count);
    if (size <= 10_000) expect(drawTraining(size, 1)).toHaveLength(count);
  });
});
