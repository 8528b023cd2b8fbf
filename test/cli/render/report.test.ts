import { tableFromArrays } from 'apache-arrow';
import { expect, test } from 'vitest';
import { reportLines } from '../../../cli/render/report.js';
import { styleFor } from '../../../cli/render/style.js';
import type { OperatorProgress } from '../../../plans/protocol/run.js';
import { fakeResult } from '../../support/fake-fermata.js';

const operator: OperatorProgress = {
  id: 'f0',
  operator: 'filter',
  intent: 'a cat? {0}',
  model: 'eyes',
  inputs: 12,
  answered: 12,
  calls: 9,
  cached: 3,
  retries: 1,
  failed: 0,
  usd: 0.25,
  unpriced: 0,
  inputTokens: 4000,
  outputTokens: 60,
  ms: 61_000,
};

function tableOf(operators: readonly OperatorProgress[]): readonly string[] {
  const result = fakeResult(tableFromArrays({ id: [1] }), { operators });
  return reportLines(result, [], styleFor(false), undefined).map((line) => line.replace(/ {2,}/g, ' | ').trim());
}

test('a line an operator and model, with all that it used', () => {
  const [, header, line] = tableOf([operator]);
  expect(header).toBe(
    'operator | model | inputs | calls | cached | retries | failed | tokens in | out | USD | time | intent',
  );
  expect(line).toBe('filter | eyes | 12 | 9 | 3 | 1 | 0 | 4,000 | 60 | $0.2500 | 1 min 01 s | a cat? {0}');
});

test('media and shares of a strategy have columns where there are some', () => {
  const steps = tableOf([
    { ...operator, images: 9 },
    { ...operator, strategy: 'cascade', step: 'proxy', share: 0.5, images: 1, clips: 2 },
  ]);
  expect(steps[1]).toContain('inputs | decided | calls');
  expect(steps[1]).toContain('out | media | USD');
  expect(steps[2]).toContain('60 | 9 images | $0.25');
  expect(steps[3]).toMatch(/^filter·proxy \| eyes \| 12 \| 50 % .* \| 1 image, 2 clips \| /);
});
