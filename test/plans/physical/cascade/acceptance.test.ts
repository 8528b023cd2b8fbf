import { describe, expect, it } from 'vitest';
import { learnAcceptance } from '../../../../plans/physical/cascade/acceptance.js';
import { planSample } from '../../../../plans/physical/cascade/sample.js';
import { deriveSeed, mulberry32 } from '../../../../plans/tuning/numeric/random.js';
import { rejected } from './guarantee.js';

const size = 1500;
/** Whether the proxy's label is right, by its margin. */
const proxies = {
  calibrated: (margin: number) => 0.4 + 0.6 * margin,
  uninformative: () => 0.8,
  inverted: (margin: number) => 1 - 0.5 * margin,
} as const;

function tableOf(right: (margin: number) => number, levels?: number) {
  const random = mulberry32(5);
  const scores = Float64Array.from({ length: size }, () => {
    const margin = random.uniform();
    return levels === undefined ? margin : Math.round(margin * levels) / levels;
  });
  return { scores, agrees: Array.from(scores, (margin) => random.uniform() < right(margin)) };
}

describe('learnAcceptance', () => {
  for (const [name, right] of Object.entries(proxies))
    for (const levels of [undefined, 4])
      it.each([50, 200, 500])(`keeps its accuracy: ${name}, ${levels ?? 'all'} margins, sample of %i`, (budget) => {
        const { scores, agrees } = tableOf(right, levels);
        const failures = { 0.9: 0, 0.95: 0 };
        for (let run = 0; run < 1000; run++) {
          const plan = planSample({ scores, budget, seed: deriveSeed(9, run), scheme: 'uniform' });
          const sampled = new Set(plan.indices);
          for (const confidence of [0.9, 0.95] as const) {
            const found = learnAcceptance({
              scores,
              plan,
              agrees: plan.indices.map((i) => agrees[i]!),
              accuracy: 0.9,
              confidence,
            });
            if (found.kind === 'ask-all') continue;
            let wrong = 0;
            let asked = 0;
            for (let i = 0; i < size; i++)
              if (sampled.has(i) || scores[i]! < found.accept) asked++;
              else if (!agrees[i]!) wrong++;
            expect(asked).toBe(found.expectedOracleCalls);
            expect(found.bound).toBeGreaterThanOrEqual(0.9 - 1e-9);
            if (1 - wrong / size < 0.9) failures[confidence]++;
          }
        }
        expect(rejected(failures[0.9], 0.1)).toBe(false);
        expect(rejected(failures[0.95], 0.05)).toBe(false);
      });

  it('saves calls with an informative margin', () => {
    const { scores, agrees } = tableOf(proxies.calibrated);
    const plan = planSample({ scores, budget: 200, seed: 1, scheme: 'uniform' });
    const verdicts = plan.indices.map((i) => agrees[i]!);
    const found = learnAcceptance({ scores, plan, agrees: verdicts, accuracy: 0.9, confidence: 0.95 });
    expect(found.kind === 'acceptance' && found.expectedOracleCalls).toBeLessThan(0.7 * size);
  });

  it('asks all for an accuracy of 1, and for a sample too small, saying what would do', () => {
    const { scores, agrees } = tableOf(proxies.calibrated);
    const plan = planSample({ scores, budget: 20, seed: 1, scheme: 'uniform' });
    const verdicts = plan.indices.map((i) => agrees[i]!);
    const ask = (accuracy: number) => learnAcceptance({ scores, plan, agrees: verdicts, accuracy, confidence: 0.95 });
    expect(ask(1)).toMatchObject({ kind: 'ask-all', reason: 'target-of-one' });
    expect(ask(0.9)).toMatchObject({ kind: 'ask-all', reason: 'sample-too-small', sampleNeeded: 29 });
    expect(() => ask(1.5)).toThrow(/accuracy/);
  });

  it('accepts all where the proxy is always right', () => {
    const scores = Float64Array.from({ length: 1000 }, (_, i) => i / 1000);
    const plan = planSample({ scores, budget: 50, seed: 1, scheme: 'uniform' });
    const agrees = plan.indices.map(() => true);
    expect(learnAcceptance({ scores, plan, agrees, accuracy: 0.9, confidence: 0.95 })).toMatchObject({
      kind: 'acceptance',
      accept: 0,
      expectedOracleCalls: 50,
    });
  });

  it('refuses a sample that is not uniform', () => {
    const plan = planSample({ scores: [0.1, 0.9], budget: 2, seed: 1, scheme: 'importance' });
    const request = { scores: [0.1, 0.9], plan, agrees: [true, true], accuracy: 0.9, confidence: 0.9 };
    expect(() => learnAcceptance(request)).toThrow(/uniform/);
  });
});
