import { describe, expect, it } from 'vitest';
import { population } from '../../../../bench/cascade/populations.js';
import type { PopulationName } from '../../../../bench/cascade/populations.js';
import { ours, simulate } from '../../../../bench/cascade/simulate.js';
import { binomialCdf } from '../../../../plans/physical/cascade/bounds/beta.js';
import type { SampleScheme } from '../../../../plans/physical/cascade/sample.js';
import type { Targets } from '../../../../plans/physical/cascade/targets.js';

const runs = 1000;
const size = 1200;
const budgets = [50, 150, 500];
const targets: readonly Targets[] = [0.9, 0.95].map((confidence) => ({ recall: 0.9, precision: 0.9, confidence }));

/** Whether a one-sided binomial test at 1 % rejects «the failure rate is at most δ». */
export function rejected(failures: number, delta: number): boolean {
  return 1 - binomialCdf(failures - 1, runs, delta) < 0.01;
}

/** 1,000 samples of each size: recall and precision, at two confidences, must not fail more often than stated. */
export function testGuarantee(scheme: SampleScheme, names: readonly PopulationName[]): void {
  describe.each(names)('%s', (name) => {
    it.each(budgets)('keeps both targets with a sample of %i', (budget) => {
      const tallies = simulate(
        { population: population(name, size, 11), scheme, budget, runs, seed: 7 },
        ours,
        targets,
      );
      tallies.forEach(({ recallFailures, precisionFailures, callShare }, at) => {
        const delta = 1 - targets[at]!.confidence;
        expect(rejected(recallFailures, delta), `recall missed ${recallFailures} times at ${delta}`).toBe(false);
        expect(rejected(precisionFailures, delta), `precision missed ${precisionFailures} times`).toBe(false);
        expect(callShare).toBeLessThanOrEqual(1);
      });
    });
  });
}
