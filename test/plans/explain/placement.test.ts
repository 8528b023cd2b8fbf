import { expect, test } from 'vitest';
import { type ExplainedPlan, explainPlacement } from '../../../plans/explain/placement.js';
import { withMeasured } from '../../../plans/explain/measured.js';
import { compareText, planText } from '../../../plans/explain/text.js';
import type { Condition } from '../../../plans/placement/condition.js';
import { paperConstants } from '../../../plans/placement/cost-model.js';
import { placeOperators, placementStrategies } from '../../../plans/placement/strategies.js';
import type { PlacementTree } from '../../../plans/placement/tree.js';
import type { OperatorProgress } from '../../../plans/protocol/run.js';

const call = (
  id: string,
  intent: string,
  reads: readonly string[],
  usd?: number,
  positions?: readonly number[],
): Condition => ({
  kind: 'call',
  call: { id, intent, reads, ...(usd === undefined ? {} : { usd }), ...(positions === undefined ? {} : { positions }) },
});

const query = (usd?: number, positions?: readonly number[]): PlacementTree => ({
  output: ['b.title'],
  root: {
    kind: 'where',
    id: 'where',
    condition: {
      kind: 'and',
      parts: [
        call('ai', 'is {b.text} about AI?', ['b.text'], usd, positions),
        call('good', 'is {r.text} positive?', ['r.text'], 0.001),
      ],
    },
    input: {
      kind: 'join',
      id: 'join',
      join: 'inner',
      reads: ['b.id', 'r.book'],
      rows: 2500,
      left: { kind: 'relation', id: 'books', relation: 'b', rows: 1000, columns: ['b.id', 'b.title', 'b.text'] },
      right: { kind: 'relation', id: 'reviews', relation: 'r', rows: 3000, columns: ['r.book', 'r.text'] },
    },
  },
});

const model = { constants: paperConstants };

test('the tree with rows, prompts, calls, USD and reasons', () => {
  const plan = explainPlacement(placeOperators(query(0.002), 'pullup', model));
  expect(planText(plan, { reasons: true })).toBe(
    [
      'SemanticFilter is {r.text} positive?  est 100 rows',
      '│  est 300 distinct prompts · 300 calls · $0.30',
      '│  push-down (join): its columns are there below it',
      '│  pull-up (join): stops: the top',
      '└─ SemanticFilter is {b.text} about AI?  est 500 rows',
      '   │  est 100 distinct prompts · 100 calls · $0.20',
      '   │  push-down (join): its columns are there below it',
      '   │  pull-up (join): stops: the top',
      '   └─ inner join on b.id = r.book  est 2,500 rows',
      '      ├─ Scan b  est 1,000 rows',
      '      └─ Scan r  est 3,000 rows',
      'Total (pullup)  est 400 calls · $0.50 · 7,500 relational rows · cost 400',
    ].join('\n'),
  );
});

test('strategies side by side, with each filter where it stands', () => {
  const plans = placementStrategies.map((strategy) => explainPlacement(placeOperators(query(0.002), strategy, model)));
  expect(
    compareText(plans)
      .split('\n')
      .map((line) => line.replace(/ {2,}/gu, ' | ')),
  ).toEqual([
    'strategy | calls | USD | relational rows | cost | semantic operators, first to last',
    'pushdown | 4,000 | $5.00 | 100 | 4,000 | where.1 over books → where.2 over reviews',
    'pullup | 400 | $0.50 | 7,500 | 400 | where.1 over join → where.2',
    'cost | 400 | $0.50 | 7,500 | 400 | where.1 over join → where.2',
  ]);
});

test('an unknown price stays unknown in the node and in the sum', () => {
  const plan = explainPlacement(placeOperators(query(), 'pushdown', model));
  expect(plan.usd).toBeUndefined();
  expect(planText(plan)).toContain('unknown');
  expect(planText(plan)).not.toContain('$0.00');
});

test('what a run counted stands beside the estimate, by where the calls stand in the query', () => {
  const step = (position: number | undefined, change: Partial<OperatorProgress>): OperatorProgress => ({
    ...{ id: 'f0', operator: 'filter', intent: '', model: 'small', inputs: 800, answered: 800, calls: 700, cached: 90 },
    ...{ retries: 0, failed: 0, usd: 1.58, unpriced: 0, inputTokens: 0, outputTokens: 0, ms: 1 },
    ...(position === undefined ? {} : { position }),
    ...change,
  });
  const plan = explainPlacement(placeOperators(query(0.002, [17, 40]), 'pullup', model));
  const steps = [
    step(17, { id: 'f0.proxy' }),
    step(17, { id: 'f0.oracle', inputs: 50, calls: 50, cached: 0, usd: 0.01, unpriced: 3 }),
    step(99, { calls: 1e6 }),
    step(undefined, { calls: 1e6 }),
  ];
  const text = planText(withMeasured(plan, steps));
  const lines = text.split('\n');
  const asked = lines.findIndex((line) => line.includes('is {b.text} about AI?'));
  expect(lines[asked + 2]).toMatch(
    /actual 800 distinct prompts · 750 calls · 90 cached · \$1\.59 and 3 calls of unknown price$/,
  );
  expect(text.match(/actual/g)).toHaveLength(1);
  expect(withMeasured(plan, [])).toEqual(plan);
  const kept = JSON.parse(JSON.stringify(plan)) as ExplainedPlan;
  expect(planText(withMeasured(kept, steps))).toBe(text);
});
