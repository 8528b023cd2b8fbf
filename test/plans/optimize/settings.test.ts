import { expect, test } from 'vitest';
import { bestSettings, configurationOf } from '../../../plans/optimize/settings.js';
import { plainConfiguration } from '../../../plans/optimize/space.js';
import type { Contender, SearchTable } from '../../../plans/optimize/table.js';
import { emptyHistory, recordTrial } from '../../../plans/tuning/history.js';
import type { Configuration } from '../../../plans/tuning/space.js';

const labels = [true, false, true, false];
const rules = (name: string): Contender => ({
  implementation: {
    family: 'symbolic',
    name,
    program: { kind: 'list', rules: [], otherwise: { label: 'true', confidence: 0.5 } },
    usd: 0,
    seconds: 0,
  },
  seconds: 0,
  answers: labels.map((_, row) => ({
    state: 'ok',
    value: row < 2 ? labels[row]! : !labels[row]!,
    confidence: 0.5,
    usd: 0,
  })),
});
const model = (name: string): Contender => ({
  implementation: { family: 'general', name, model: name, usd: 1, seconds: 1 },
  seconds: 1,
  answers: labels.map((value) => ({ state: 'ok', value, usd: 1 })),
});
const table = (contenders: readonly Contender[], direct: number): SearchTable => ({
  v: 1,
  signature: 's',
  metric: 'f1',
  weights: { quality: 1, latency: 0, cost: 0.5 },
  seed: 1,
  labels,
  percentiles: [0.25, 0.5, 0.75, 1],
  scorer: { form: 'linear', bias: 0.5, terms: [] },
  contenders,
  direct,
  starts: [],
});

test('the best trials are kept by name, and fit into another search as far as their implementations are there', () => {
  const old = table([rules('rules'), model('large')], 1);
  const tried: readonly Configuration[] = [
    plainConfiguration(old, [0, 1]),
    plainConfiguration(old, [1, 0]),
    { ...plainConfiguration(old, [0.5, 0.5]), 'threshold of rules': 0.25 },
  ];
  const history = tried.reduce(
    (before, configuration, at) =>
      recordTrial(before, { id: String(at), configuration, status: 'done', metrics: { quality: 0 }, priceUsd: 0 }),
    emptyHistory(1, labels.length),
  );
  const settings = bestSettings(old, history);
  expect(settings[0]).toEqual({ shares: { rules: 0.5, large: 0.5 }, thresholds: { rules: 0.25, large: 0 } });
  expect(settings).toHaveLength(2);

  const [best] = settings;
  const next = table([rules('rules'), model('small'), model('large')], 2);
  expect(configurationOf(next, best!)).toEqual({ router: [0.5, 0, 0.5], 'threshold of rules': 0.25 });
  const without = table([model('small'), model('large')], 1);
  expect(configurationOf(without, best!)).toEqual({ router: [0, 1] });
});
