import { expect, test } from 'vitest';
import { typicalOracleShare } from '../../../../plans/physical/cascade/typical.js';

const targets = (level: number) => ({ recall: level, precision: level, confidence: 0.95 });

test('the share falls with looser targets and with more inputs, and lies in (0, 1]', () => {
  for (const size of [500, 2000, 10_000]) {
    const shares = [0.99, 0.95, 0.9, 0.8].map((level) => typicalOracleShare(size, 0.2, targets(level)));
    expect([...shares].sort((a, b) => b - a)).toEqual(shares);
    for (const share of shares) expect(share > 0 && share <= 1).toBe(true);
  }
  const bySize = [300, 1000, 5000, 20_000].map((size) => typicalOracleShare(size, 0.2, targets(0.9)));
  expect([...bySize].sort((a, b) => b - a)).toEqual(bySize);
  expect(typicalOracleShare(1e9, 0.2, targets(0.9))).toBe(bySize[3]);
});

test('where no threshold can be shown, all are asked', () => {
  expect(typicalOracleShare(0, 0.2, targets(0.9))).toBe(1);
  expect(typicalOracleShare(100, 0.2, targets(0.95))).toBe(1);
  expect(typicalOracleShare(1000, 0.2, targets(1))).toBe(1);
  expect(typicalOracleShare(1000, 0.2, { confidence: 0.95 })).toBe(1);
});

test('is about what was measured on the simulated pool: two proxies, three difficulties, 1,000 tickets', () => {
  const measured = [
    [0.95, 0.93],
    [0.9, 0.79],
    [0.85, 0.64],
  ] as const;
  for (const [level, share] of measured) {
    expect(Math.abs(typicalOracleShare(1000, 0.25, targets(level)) - share)).toBeLessThan(0.08);
  }
});
