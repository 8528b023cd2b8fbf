import { describe, expect, test } from 'vitest';
import { coarse } from '../../../plans/optimize/build-table.js';
import { evaluate, qualityInterval } from '../../../plans/optimize/evaluate.js';
import { objectiveOf, trialMetrics, utilityOf } from '../../../plans/optimize/objective.js';
import { planOf } from '../../../plans/optimize/plan-of.js';
import { aloneConfiguration } from '../../../plans/optimize/space.js';
import { newHistory, nextTrial } from '../../../plans/optimize/trial.js';
import { mulberry32 } from '../../../plans/tuning/numeric/random.js';
import { answer, configuration, model, none, rules, tableOf } from './table.js';

const labels = ['a', 'b', 'a', 'b'];
const table = tableOf(
  [
    rules([answer('a', 0, 0.9), answer('a', 0, 0.4), answer('b', 0, 0.6), none]),
    model('cheap', 1, [answer('a', 0.01), answer('b', 0.01), answer('b', 0.01), none]),
    model(
      'dear',
      10,
      labels.map((label) => answer(label, 1)),
    ),
  ],
  labels,
);

describe('what a plan makes of the sample', () => {
  test.each([
    // Rows 0 and 1 to the rules, 2 to the cheap model, 3 to the dear one.
    [
      [0.5, 0.25, 0.25],
      [0],
      { quality: 0.5, latencySeconds: 11, costUsd: 1.01, routed: [2, 1, 1], reached: [2, 1, 1], safe: 0 },
    ],
    // Row 1 is not sure enough and goes on to the cheap model, which is right.
    [
      [0.5, 0.25, 0.25],
      [0.5],
      { quality: 0.75, latencySeconds: 12, costUsd: 1.02, routed: [2, 1, 1], reached: [2, 2, 1], safe: 0 },
    ],
    // Row 3 fails in the rules: the default model answers, and is no bucket for it.
    [[1, 0, 0], [0], { quality: 0.5, latencySeconds: 10, costUsd: 1, routed: [4, 0, 0], reached: [4, 0, 0], safe: 1 }],
    // Nobody is sure enough but for the last; row 3 fails at once.
    [
      [1, 0, 0],
      [1],
      { quality: 0.75, latencySeconds: 13, costUsd: 1.03, routed: [4, 0, 0], reached: [4, 3, 0], safe: 1 },
    ],
    [[0, 0, 1], [0.7], { quality: 1, latencySeconds: 40, costUsd: 4, routed: [0, 0, 4], reached: [0, 0, 4], safe: 0 }],
  ])('masses %j, thresholds %j', (masses, thresholds, expected) => {
    const found = evaluate(table, configuration(table, masses, thresholds));
    expect(found.costUsd).toBeCloseTo(expected.costUsd, 9);
    expect({ ...found, costUsd: expected.costUsd }).toEqual(expected);
  });

  test('the plan has the buckets that were reached, with the shares that they had', () => {
    const direct = planOf(table, aloneConfiguration(table, 2));
    expect(direct.implementations.map(({ name }) => name)).toEqual(['dear']);
    expect(direct).toMatchObject({ thresholds: [0], router: { logits: [0] }, safety: { model: 'dear' } });
    // The default model answered for a failure only.
    const unsure = planOf(table, configuration(table, [1, 0, 0], [0.5]));
    expect(unsure.implementations.map(({ name }) => name)).toEqual(['rules', 'cheap']);
    expect(unsure.thresholds).toEqual([0.5, 0]);
    expect(unsure.router.logits[0]).toBeCloseTo(0, 9);
    expect(unsure.router.logits[1]).toBeLessThan(-20);
  });

  test('utility is 1 − w_l − w_c for the default model where it is always right, and more for what is cheaper and right', () => {
    const objective = objectiveOf(table);
    const of = (masses: readonly number[]): number =>
      utilityOf(objective, trialMetrics(evaluate(table, configuration(table, masses))));
    expect(of([0, 0, 1])).toBeCloseTo(0.3, 9);
    expect(of([0, 0.5, 0.5])).toBeGreaterThan(of([0, 0, 1]));
  });

  test('where the default model is free, the dearest implementation is the measure of cost', () => {
    const free = tableOf(
      [
        model(
          'paid',
          1,
          labels.map(() => answer('a', 2)),
        ),
        model(
          'own',
          1,
          labels.map((l) => answer(l)),
        ),
      ],
      labels,
    );
    const objective = objectiveOf(free);
    const alone = (at: number) => utilityOf(objective, trialMetrics(evaluate(free, aloneConfiguration(free, at))));
    expect(alone(1)).toBeCloseTo(1 - 0.4, 9);
    expect(alone(0)).toBeCloseTo(0.5 - 0.4 - 0.3, 9);
  });

  test('the interval holds the quality and is a point where all rows are right', () => {
    const sure = qualityInterval(table, aloneConfiguration(table, 2));
    expect(sure).toEqual({ lower: 1, upper: 1 });
    const unsure = qualityInterval(table, aloneConfiguration(table, 1));
    expect(unsure.lower).toBeLessThan(0.75);
    expect(unsure.upper).toBeGreaterThanOrEqual(0.75);
  });
});

describe('trials', () => {
  const random = mulberry32(5);
  const truth = Array.from({ length: 40 }, () => random.uniform() < 0.5);
  const easy = (row: number): boolean => row < 26;
  const searched = {
    ...tableOf(
      [
        model(
          'cheap',
          0.1,
          truth.map((label, row) => answer(easy(row) ? label : !label, 0.0001)),
        ),
        model(
          'dear',
          2,
          truth.map((label) => answer(label, 0.01)),
        ),
      ],
      truth,
    ),
  };

  test('are the same for the same table and history, begin with the starts, and never repeat', () => {
    const starts = [aloneConfiguration(searched, 1), aloneConfiguration(searched, 0)];
    let history = newHistory({ ...searched, starts });
    const utilities: number[] = [];
    for (let trial = 0; trial < 14; trial++) {
      const once = nextTrial({ ...searched, starts }, history);
      expect(nextTrial({ ...searched, starts }, history)).toEqual(once);
      history = once!.history;
      utilities.push(once!.utility);
    }
    expect(history.trials.slice(0, 2).map(({ configuration: one }) => one)).toEqual(starts);
    expect(new Set(history.trials.map(({ configuration: one }) => JSON.stringify(one))).size).toBe(14);
    // The cut at 26 of 40 rows by trying all.
    const best = Math.max(
      ...Array.from({ length: 41 }, (_, cut) =>
        utilityOf(
          objectiveOf(searched),
          trialMetrics(evaluate(searched, configuration(searched, [cut / 40, 1 - cut / 40]))),
        ),
      ),
    );
    expect(Math.max(...utilities)).toBeGreaterThan(best - 0.02);
    expect(Math.max(...utilities)).toBeLessThanOrEqual(best + 1e-9);
  });
});

test.each([
  [0, 0],
  [0.0002, 0.001],
  [0.0014, 0.001],
  [0.0015, 0.002],
  [0.034, 0.05],
  [0.7, 0.5],
  [0.72, 1],
  [3.5, 5],
  [80, 100],
])('%d s count as %d s', (seconds, expected) => {
  expect(coarse(seconds)).toBeCloseTo(expected, 12);
});
