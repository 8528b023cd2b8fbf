import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawSample } from '../../../../plans/physical/cascade/draw.js';
import { testsOf } from '../../../../plans/physical/cascade/targets.js';
import { fewestPositives } from '../../../../plans/physical/cascade/thresholds.js';

const targets = { recall: 0.9, precision: 0.9, confidence: 0.95 };
const scores = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 600 });

describe('drawSample', () => {
  test('draws fewer than all, and enough for the targets at the rate that the scores tell', () => {
    fc.assert(
      fc.property(scores, fc.nat(), (values, seed) => {
        const draw = drawSample(values, targets, seed);
        if (draw.kind === 'ask-all') return draw.message.length > 0;
        const { length } = draw.plan.indices;
        const rate = values.reduce((sum, value) => sum + value, 0) / values.length;
        return length < values.length && length * rate >= fewestPositives(testsOf(targets));
      }),
    );
  });

  test('the same arguments give the same draw', () => {
    const values = Array.from({ length: 900 }, (_, at) => (at % 3) / 2);
    expect(drawSample(values, targets, 5)).toEqual(drawSample(values, targets, 5));
    expect(drawSample(values, targets, 5)).not.toEqual(drawSample(values, targets, 6));
  });

  test.each([
    ['no tuple', [], targets, 'no-positives'],
    ['no positive', Array<number>(500).fill(0), targets, 'no-positives'],
    ['few tuples', Array<number>(20).fill(1), targets, 'sample-too-small'],
    ['rare positives', Array<number>(1000).fill(0.01), targets, 'sample-too-small'],
    ['a target of one', Array<number>(500).fill(0.5), { recall: 1, confidence: 0.9 }, 'target-of-one'],
    ['no target', Array<number>(500).fill(0.5), { confidence: 0.9 }, 'target-of-one'],
  ])('%s asks all: %s', (_, values, wanted, reason) => {
    expect(drawSample(values, wanted, 1)).toMatchObject({ kind: 'ask-all', reason });
  });
});
