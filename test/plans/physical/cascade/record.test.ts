import { expect, test } from 'vitest';
import { type CascadeRecord, describeCascade, goal, sharesOf } from '../../../../plans/physical/cascade/record.js';

const targets = { recall: 0.9, confidence: 0.95 };
const learned: CascadeRecord = {
  v: 1,
  inputs: 2000,
  unscored: 1,
  sampled: 200,
  accepted: 500,
  rejected: 920,
  rest: 380,
  decision: { kind: 'cascade', reject: 0.2, expectedOracleCalls: 580, bounds: { recall: 0.91, precision: 1 } },
};
const refused: CascadeRecord = {
  ...learned,
  inputs: 1000,
  accepted: 0,
  rejected: 0,
  sampled: 100,
  rest: 900,
  decision: { kind: 'ask-all', reason: 'sample-too-small', message: 'too few positives', sampleNeeded: 400 },
};

test('says who decided how much, over all waves', () => {
  expect(describeCascade('filter "so?"', 'mini', targets, [learned])).toBe(
    'filter "so?": cascade: mini decided 71 %, the oracle was asked 580 of 2,000, recall ≥ 0.9 at 95 % confidence',
  );
  expect(describeCascade('f', 'mini', targets, [learned, refused])).toMatch(
    /decided 47.3 %.*1 of 2 waves asked about all/,
  );
  expect(describeCascade('f', 'mini', targets, [refused])).toBe(
    'f: cascade asked about all 1,000 inputs: too few positives (a sample of about 400 might do)',
  );
});

test('shares add up to one; of nothing they are zero', () => {
  const { proxy, sample, rest } = sharesOf([learned, refused]);
  expect(proxy + sample + rest).toBeCloseTo(1, 12);
  expect(sharesOf([])).toEqual({ proxy: 0, train: 0, sample: 0, rest: 0 });
  const fitted = { ...learned, trained: 100, rest: 280 };
  const shares = sharesOf([fitted]);
  expect([shares.train, shares.proxy + shares.train + shares.sample + shares.rest]).toEqual([0.05, 1]);
  expect(describeCascade('f', 'lexicon', targets, [fitted])).toContain('the oracle was asked 580 of 2,000');
});

test('names the targets that are set', () => {
  expect(goal({ precision: 0.8, confidence: 0.9 })).toBe('precision ≥ 0.8 at 90 % confidence');
});
