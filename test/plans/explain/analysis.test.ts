import { expect, test } from 'vitest';
import { analyze } from '../../../plans/explain/analysis.js';
import type { CallEstimate, OperatorProgress, RunResult } from '../../../plans/protocol/run.js';

const range = (expected: number) => ({ low: 0, expected, high: 2 * expected });

function foreseen(id: string, calls: number): CallEstimate {
  const [tokens, usd] = [range(10 * calls), range(calls / 100)];
  const names = { operator: 'filter', intent: 'Is it good? {0}', model: 'oracle' };
  return { id, ...names, rows: 100, distinct: 90, cached: 0, calls: range(calls), tokens, usd };
}

function step(id: string, change: Partial<OperatorProgress> = {}): OperatorProgress {
  const counts = { inputs: 90, answered: 90, calls: 50, cached: 2, retries: 0, failed: 1, usd: 0.5, unpriced: 0 };
  const names = { operator: 'filter', intent: 'Is it good? {0}', model: 'oracle' };
  return { id, ...names, ...counts, inputTokens: 400, outputTokens: 50, ms: 2000, ...change };
}

function ran(operators: readonly OperatorProgress[], notes?: readonly string[]): RunResult {
  return {
    v: 1,
    runId: 'q-1',
    stop: 'complete',
    rows: { object: '', count: 7, columns: [] },
    errors: { object: '', count: 0, ratio: 0 },
    undecided: 4,
    operators,
    spend: { ...step(''), savedUsd: 0 },
    ms: 3000,
    ...(notes === undefined ? {} : { notes }),
  };
}

const estimate = (...calls: CallEstimate[]) => ({
  calls,
  total: { calls: range(1), tokens: range(2), usd: range(3) },
});

test('each operator has what was estimated beside what was measured, in the order of the estimate', () => {
  const analysis = analyze(
    estimate(foreseen('f0', 60), foreseen('c0', 20)),
    ran([step('c0', { calls: 3 }), step('f0')]),
  );
  expect(analysis.operators.map(({ estimated, measured }) => [estimated?.calls.expected, measured?.calls])).toEqual([
    [60, 50],
    [20, 3],
  ]);
  expect(analysis.operators[0]?.measured).toEqual({
    inputs: 90,
    calls: 50,
    cached: 2,
    failed: 1,
    tokens: 450,
    usd: 0.5,
    unpriced: 0,
    seconds: 2,
  });
  expect(analysis).toMatchObject({ rows: 7, undecided: 4, seconds: 3, runId: 'q-1' });
});

test('steps that the estimate tells apart stay apart; the others count as the operator', () => {
  const steps = [
    step('f0.proxy', { calls: 90, model: 'proxy' }),
    step('f0.sample', { calls: 30, inputs: 30, ms: 1000 }),
    step('f0.rest', { calls: 12, inputs: 12, ms: 4000, usd: 0.25 }),
  ];
  const { operators } = analyze(estimate(foreseen('f0.proxy', 90), foreseen('f0', 40)), ran(steps));
  expect(operators.map(({ measured }) => measured?.calls)).toEqual([90, 42]);
  expect(operators[1]?.measured).toMatchObject({ usd: 0.75, seconds: 4, inputs: 42 });
});

test('a step that another model answers does not count as the call', () => {
  const steps = [
    step('f0.proxy', { calls: 0, model: 'lexicon', inputs: 2000 }),
    step('f0.train', { calls: 20, inputs: 20 }),
    step('f0.rest', { calls: 12, inputs: 12 }),
  ];
  const { operators } = analyze(estimate(foreseen('f0', 40)), ran(steps));
  expect(operators.map(({ model, measured }) => [model, measured?.calls, measured?.inputs])).toEqual([
    ['oracle', 32, 32],
    ['lexicon', 0, 2000],
  ]);
  expect(operators[1]).not.toHaveProperty('estimated');
});

test('what nobody foresaw is shown, and what was never asked says so', () => {
  const { operators } = analyze(estimate(foreseen('f0', 60)), ran([step('p3', { intent: 'pilot' })]));
  expect(operators).toHaveLength(2);
  expect(operators[0]).not.toHaveProperty('measured');
  expect(operators[1]).toMatchObject({ intent: 'pilot', measured: { calls: 50 } });
  expect(operators[1]).not.toHaveProperty('estimated');
});

test('a remark that the estimate and the run share is told once', () => {
  const { notes } = analyze({ ...estimate(), notes: ['a', 'b'] }, ran([], ['b', 'c']));
  expect(notes).toEqual(['a', 'b', 'c']);
});
