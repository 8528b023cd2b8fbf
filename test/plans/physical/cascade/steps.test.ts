import { expect, test } from 'vitest';
import {
  cascadeSteps,
  parseStepId,
  proxyName,
  reportedSteps,
  scoringStep,
  stepId,
  stepPartitionRows,
  stepSchedule,
} from '../../../../plans/physical/cascade/steps.js';
import type { CallSchedule } from '../../../../plans/protocol/activities.js';

const call: CallSchedule = {
  id: 'f0',
  operator: 'filter',
  role: 'filter',
  model: 'large',
  queue: 'q-large',
  partitionRows: 200,
  window: 3,
  strategy: {
    kind: 'cascade',
    proxy: { model: 'mini', queue: 'q-mini', window: 9 },
    targets: { recall: 0.9, confidence: 0.95 },
  },
};

test('an id names its call and step, and back', () => {
  for (const step of cascadeSteps) expect(parseStepId(stepId('f12', step))).toEqual({ call: 'f12', step });
  expect(parseStepId('f12')).toBeUndefined();
});

test('the proxy has its own model and queue, the others the model of the call; no step is a cascade again', () => {
  expect(stepSchedule(call, 'proxy')).toMatchObject({
    id: 'f0.proxy',
    model: 'mini',
    queue: 'q-mini',
    window: 9,
    partitionRows: 200,
  });
  for (const step of ['sample', 'rest'] as const) {
    expect(stepSchedule(call, step)).toMatchObject({ id: `f0.${step}`, model: 'large', queue: 'q-large', window: 3 });
  }
  for (const step of cascadeSteps) expect(stepSchedule(call, step).strategy).toBeUndefined();
});

test('small steps are cut into small partitions', () => {
  expect([1, 160, 400, 10_000].map((inputs) => stepPartitionRows(call, inputs))).toEqual([20, 20, 50, 200]);
});

test('a proxy that is fitted has answers to be fitted to, and scores of its own', () => {
  const plain = call.strategy!;
  expect([reportedSteps(plain), scoringStep(plain), proxyName(plain)]).toEqual([
    ['proxy', 'sample', 'rest'],
    'proxy',
    'mini',
  ]);
  const near = { ...plain, fitted: 'nearness' } as const;
  expect([reportedSteps(near), scoringStep(near), proxyName(near)]).toEqual([
    ['sides', 'train', 'sample', 'rest'],
    'score',
    'nearness by mini',
  ]);
  const keys = { ...plain, fitted: 'keys' } as const;
  expect([reportedSteps(keys), scoringStep(keys), proxyName(keys)]).toEqual([
    ['sides', 'train', 'sample', 'rest'],
    'score',
    'keys by mini',
  ]);
  expect(stepSchedule({ ...call, strategy: near }, 'sides')).toMatchObject({ id: 'f0.sides', model: 'mini' });
  for (const fitted of ['embedding', 'lexicon'] as const) {
    expect(reportedSteps({ ...plain, fitted })).toEqual(['proxy', 'train', 'sample', 'rest']);
    expect(scoringStep({ ...plain, fitted })).toBe('score');
  }
  expect(proxyName({ ...plain, fitted: 'embedding' })).toBe('embedding:mini');
});
