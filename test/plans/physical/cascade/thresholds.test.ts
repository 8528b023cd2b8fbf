import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { population } from '../../../../bench/cascade/populations.js';
import { outcomeOf } from '../../../../bench/cascade/simulate.js';
import { decide } from '../../../../plans/physical/cascade/decide.js';
import { planSample } from '../../../../plans/physical/cascade/sample.js';
import type { SamplePlan, SampleScheme } from '../../../../plans/physical/cascade/sample.js';
import type { Targets } from '../../../../plans/physical/cascade/targets.js';
import { learnThresholds } from '../../../../plans/physical/cascade/thresholds.js';
import { mulberry32 } from '../../../../plans/tuning/numeric/random.js';

const scheme = fc.constantFrom<SampleScheme>('uniform', 'importance');
const seed = fc.integer({ min: 0, max: 1e6 });
const target = fc.double({ min: 0.6, max: 0.98, noNaN: true });
const confidence = fc.double({ min: 0.8, max: 0.99, noNaN: true });
const kind = fc.constantFrom('informative' as const, 'sharp' as const, 'discrete' as const, 'uninformative' as const);
const schemes: readonly SampleScheme[] = ['uniform', 'importance'];

function drawn(name: Parameters<typeof population>[0], how: SampleScheme, start: number, budget = 200) {
  const people = population(name, 800, start);
  const plan = planSample({ scores: people.scores, budget, seed: start, scheme: how });
  const labels = plan.indices.map((index) => people.labels[index] === 1);
  return { people, plan, labels, learn: (targets: Targets) => learn(people.scores, plan, labels, targets) };
}

/** Thresholds and calls, with numbers for what is absent. */
function learn(scores: Float64Array, plan: SamplePlan, labels: readonly boolean[], targets: Targets) {
  const found = learnThresholds({ scores, plan, labels, targets });
  if (found.kind === 'ask-all') return { reject: -1, accept: 2, calls: scores.length };
  return { reject: found.reject ?? -1, accept: found.accept ?? 2, calls: found.expectedOracleCalls };
}

describe('learnThresholds', () => {
  it('rejects no more for a higher recall target, accepts no more for a higher precision target', () => {
    fc.assert(
      fc.property(kind, scheme, seed, target, target, confidence, (name, how, start, a, b, sure) => {
        const { learn: run } = drawn(name, how, start);
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const recalls = [low, high].map((recall) => run({ recall, confidence: sure }));
        expect(recalls[1]!.reject).toBeLessThanOrEqual(recalls[0]!.reject);
        expect(recalls[1]!.calls).toBeGreaterThanOrEqual(recalls[0]!.calls);
        const precisions = [low, high].map((precision) => run({ recall: 0.9, precision, confidence: sure }));
        expect(precisions[1]!.calls).toBeGreaterThanOrEqual(precisions[0]!.calls);
      }),
      { numRuns: 60 },
    );
  });

  it('asks no less for a higher confidence', () => {
    fc.assert(
      fc.property(kind, scheme, seed, target, confidence, confidence, (name, how, start, goal, a, b) => {
        const { learn: run } = drawn(name, how, start);
        for (const targets of [{ recall: goal }, { precision: goal }, { recall: goal, precision: goal }]) {
          const [less, more] = [Math.min(a, b), Math.max(a, b)].map((sure) => run({ ...targets, confidence: sure }));
          expect(more!.calls).toBeGreaterThanOrEqual(less!.calls);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('does not depend on the order of the tuples', () => {
    fc.assert(
      fc.property(kind, scheme, seed, (name, how, start) => {
        const { people, plan, labels } = drawn(name, how, start);
        const random = mulberry32(start + 1);
        const place = Array.from(people.scores, (_, i) => ({ i, key: random.uniform() }))
          .sort((a, b) => a.key - b.key)
          .map(({ i }) => i);
        const at = new Map(place.map((from, to) => [from, to]));
        const scores = Float64Array.from(place, (from) => people.scores[from]!);
        const moved = { ...plan, indices: plan.indices.map((index) => at.get(index)!) };
        const targets = { recall: 0.9, precision: 0.9, confidence: 0.9 };
        expect(learnThresholds({ scores, plan: moved, labels, targets })).toEqual(
          learnThresholds({ scores: people.scores, plan, labels, targets }),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('asks exactly as often as it expects, and reports bounds that reach the targets', () => {
    fc.assert(
      fc.property(kind, scheme, seed, target, target, (name, how, start, recall, precision) => {
        const { people, plan, labels } = drawn(name, how, start);
        const targets = { recall, precision, confidence: 0.9 };
        const found = learnThresholds({ scores: people.scores, plan, labels, targets });
        const calls = found.kind === 'cascade' ? found.expectedOracleCalls : people.scores.length;
        expect(outcomeOf(people, plan, (score) => decide(found, score)).calls).toBe(calls);
        if (found.kind === 'ask-all') return;
        if (found.reject !== undefined) expect(found.bounds.recall).toBeGreaterThanOrEqual(recall - 1e-6);
        if (found.accept !== undefined) expect(found.bounds.precision).toBeGreaterThanOrEqual(precision - 1e-6);
        expect(found.reject ?? 0).toBeLessThanOrEqual(found.accept ?? 1);
      }),
      { numRuns: 60 },
    );
  });

  it.each(schemes)('leaves a side without a target to the oracle (%s)', (how) => {
    const { people, plan, labels } = drawn('sharp', how, 3);
    const recall = learnThresholds({ scores: people.scores, plan, labels, targets: { recall: 0.9, confidence: 0.9 } });
    expect(recall).toMatchObject({ kind: 'cascade', bounds: { precision: 1 } });
    expect(recall).not.toHaveProperty('accept');
    const precision = { precision: 0.9, recall: 1, confidence: 0.9 };
    const found = learnThresholds({ scores: people.scores, plan, labels, targets: precision });
    expect(found).toMatchObject({ kind: 'cascade', bounds: { recall: 1 } });
    expect(found).not.toHaveProperty('reject');
  });

  it.each(schemes)('never errs about a table that was sampled whole (%s)', (how) => {
    const { people, plan, learn: run } = drawn('anti-correlated', how, 3, 800);
    expect(plan.indices).toHaveLength(people.scores.length);
    expect(run({ recall: 0.9, precision: 0.9, confidence: 0.9 }).calls).toBe(800);
  });

  it.each([{ recall: 1 }, { precision: 1 }, { recall: 1, precision: 1 }, {}])('asks all for %j', (targets) => {
    const { people, plan, labels } = drawn('sharp', 'uniform', 3);
    const found = learnThresholds({ scores: people.scores, plan, labels, targets: { ...targets, confidence: 0.9 } });
    expect(found).toMatchObject({ kind: 'ask-all', reason: 'target-of-one' });
  });

  it.each(schemes)('says how large a sample would do when it is too small (%s)', (how) => {
    const targets = { recall: 0.9, precision: 0.9, confidence: 0.95 };
    const people = population('sharp', 5000, 3);
    const learnWith = (budget: number) => {
      const plan = planSample({ scores: people.scores, budget, seed: 3, scheme: how });
      const labels = plan.indices.map((index) => people.labels[index] === 1);
      return learnThresholds({ scores: people.scores, plan, labels, targets });
    };
    const small = learnWith(30);
    expect(small).toMatchObject({ kind: 'ask-all', reason: 'sample-too-small' });
    if (small.kind !== 'ask-all') return;
    expect(small.sampleNeeded).toBeGreaterThan(30);
    expect(learnWith(3 * small.sampleNeeded!).kind).toBe('cascade');
  });

  it('says so when no positive was seen, or none of a table too small', () => {
    const none = drawn('none positive', 'uniform', 3, 60);
    const targets = { recall: 0.9, precision: 0.9, confidence: 0.95 };
    const { scores } = none.people;
    const found = learnThresholds({ scores, plan: none.plan, labels: none.labels, targets });
    expect(found).toMatchObject({ kind: 'ask-all', reason: 'no-positives' });
    expect(found).not.toHaveProperty('sampleNeeded');
    const plan = planSample({ scores: [], budget: 10, seed: 1, scheme: 'uniform' });
    expect(learnThresholds({ scores: [], plan, labels: [], targets }).kind).toBe('ask-all');
  });

  it.each([
    { recall: 0, confidence: 0.9 },
    { recall: 1.2, confidence: 0.9 },
    { precision: NaN, confidence: 0.9 },
    { recall: 0.9, confidence: 1 },
    { recall: 0.9, confidence: 0 },
  ])('refuses %j', (targets) => {
    const { people, plan, labels } = drawn('sharp', 'uniform', 3);
    expect(() => learnThresholds({ scores: people.scores, plan, labels, targets })).toThrow(/target|confidence/);
  });

  it('refuses labels that do not match the sample', () => {
    const { people, plan, labels } = drawn('sharp', 'uniform', 3);
    const targets = { recall: 0.9, confidence: 0.9 };
    expect(() => learnThresholds({ scores: people.scores, plan, labels: labels.slice(1), targets })).toThrow(/199/);
  });
});
