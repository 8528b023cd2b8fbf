import { describe, expect, test } from 'vitest';
import { crossFitRules, crossFitScorer } from '../../../plans/optimize/cross-fit.js';
import { priorityOf, stratifiedSample } from '../../../plans/optimize/sample.js';
import { isRight } from '../../../plans/optimize/right.js';
import { inputFeatures, inputName } from '../../../plans/physical/routed/inputs.js';
import { mulberry32 } from '../../../plans/tuning/numeric/random.js';

const random = mulberry32(11);
const texts = Array.from({ length: 60 }, (_, row) =>
  row % 3 === 0
    ? `row ${row} is broken and loud`
    : `row ${row} is fine ${'very '.repeat(Math.floor(random.uniform() * 9))}`,
);
const labels = texts.map((text) => String(text.includes('broken')));
const ruleRows = texts.map((text) => ({ texts: { [inputName(0)]: text }, numbers: {} }));
const columns = { texts: [inputName(0)], numbers: [] };

describe('cross-fitting', () => {
  test('what is said of a row does not hang on its own label', () => {
    const { answers } = crossFitRules(ruleRows, labels, columns, 7)!;
    expect(answers.filter(({ label }, row) => label === labels[row]).length).toBeGreaterThan(57);
    for (const row of [0, 1, 17, 42]) {
      const flipped = labels.map((label, at) => (at === row ? String(label !== 'true') : label));
      expect(crossFitRules(ruleRows, flipped, columns, 7)!.answers[row]).toEqual(answers[row]);
    }
  });

  test('nor its score on its own difficulty, though scores of others do', () => {
    const features = inputFeatures(texts.map((text) => [text]));
    const difficulty = Float64Array.from(texts, (text) => (text.length > 35 ? 1 : 0));
    const { scores } = crossFitScorer(features, difficulty, 7);
    for (const row of [3, 30]) {
      const changed = difficulty.map((value, at) => (at === row ? 1 - value : value));
      const after = crossFitScorer(features, changed, 7).scores;
      expect(after[row]).toBe(scores[row]);
      expect(after).not.toEqual(scores);
    }
    const mean = (wanted: number): number => {
      const chosen = Array.from(scores).filter((_, row) => difficulty[row] === wanted);
      return chosen.reduce((sum, score) => sum + score, 0) / chosen.length;
    };
    expect(mean(1)).toBeGreaterThan(mean(0) + 0.3);
  });

  test('nothing is learned from few rows or one label', () => {
    expect(crossFitRules(ruleRows.slice(0, 9), labels.slice(0, 9), columns, 1)).toBeUndefined();
    expect(
      crossFitRules(
        ruleRows,
        labels.map(() => 'true'),
        columns,
        1,
      ),
    ).toBeUndefined();
  });
});

describe('the sample', () => {
  /** No two of one length. */
  const rows = Array.from({ length: 997 }, (_, row) => [
    `${'a '.repeat(1 + ((row * 37) % 997))}${row % 7 === 0 ? '!' : ''}`,
  ]);

  test('has the size asked for, ascending, no row twice, the same for one seed and another for another', () => {
    const sample = stratifiedSample(rows, 50, 1);
    expect(sample).toHaveLength(50);
    expect([...new Set(sample)].sort((a, b) => a - b)).toEqual(sample);
    expect(stratifiedSample(rows, 50, 1)).toEqual(sample);
    expect(stratifiedSample(rows, 50, 2)).not.toEqual(sample);
    expect(stratifiedSample(rows.slice(0, 30), 50, 1)).toEqual([...Array(30).keys()]);
  });

  test('is spread over lengths as all rows are: ten of fifty in each fifth', () => {
    const lengths = rows.map(([text]) => text!.length);
    const sorted = [...lengths].sort((a, b) => a - b);
    for (let seed = 1; seed <= 20; seed++) {
      const counts = [0, 0, 0, 0, 0];
      for (const row of stratifiedSample(rows, 50, seed)) {
        counts[Math.min(4, Math.floor((5 * sorted.indexOf(lengths[row]!)) / rows.length))]! += 1;
      }
      for (const count of counts) expect(Math.abs(count - 10)).toBeLessThanOrEqual(1);
    }
  });

  test('every row is drawn as often as any other', () => {
    const drawn = new Float64Array(100);
    const few = rows.slice(0, 100);
    for (let seed = 0; seed < 2000; seed++) for (const row of stratifiedSample(few, 20, seed)) drawn[row]! += 1 / 2000;
    for (const share of drawn) expect(Math.abs(share - 0.2)).toBeLessThan(0.05);
    expect(priorityOf(3, 1)).not.toBe(priorityOf(4, 1));
  });
});

test.each([
  [0.5, 0.59, { kind: 'number', min: 0, max: 1 } as const, true],
  [0.5, 0.61, { kind: 'number', min: 0, max: 1 } as const, false],
  [10, 9.5, { kind: 'number' } as const, true],
  [12, 10, { kind: 'integer' } as const, false],
  [' The  CAT', 'the cat', { kind: 'string' } as const, true],
  [true, false, { kind: 'boolean' } as const, false],
  [null, 'a', { kind: 'enum', values: ['a'] } as const, false],
])('%j beside %j of %j: %j', (value, label, output, expected) => {
  expect(isRight(value, label, output)).toBe(expected);
});
