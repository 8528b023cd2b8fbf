import { expect, test } from 'vitest';
import { type CallFacts, estimateCalls } from '../../../plans/cost/index.js';

const all = { low: 1, expected: 1, high: 1 };
const facts: CallFacts = {
  id: 'f0',
  operator: 'filter',
  intent: 'so?',
  model: 'm',
  role: 'filter',
  rows: 1000,
  distinct: 1000,
  cached: 0,
  promptTokens: 50,
  outputTokens: all,
};

test('the proxy is asked about everything and narrows nothing, the oracle about a share, whatever the limit', () => {
  const proxy = { ...facts, asked: all, selectivity: all };
  const oracle = { ...facts, asked: { low: 0.1, expected: 0.5, high: 1 } };
  const after = { ...facts, id: 'c0', role: 'value' } as const;
  for (const stopAfter of [undefined, 3]) {
    const [first, second] = estimateCalls([proxy, oracle], stopAfter).calls;
    expect(first?.calls).toEqual({ low: 1000, expected: 1000, high: 1000 });
    expect(second?.calls).toEqual({ low: 100, expected: 500, high: 1000 });
  }
  const value = estimateCalls([proxy, oracle, after]).calls[2];
  expect(value?.calls).toEqual(estimateCalls([facts, after]).calls[1]?.calls);
});

test('answers that are there are not asked for', () => {
  const [call] = estimateCalls([{ ...facts, cached: 600, asked: { low: 0, expected: 0.5, high: 1 } }]).calls;
  expect(call?.calls).toEqual({ low: 0, expected: 200, high: 400 });
});
