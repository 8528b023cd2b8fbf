import { expect, test } from 'vitest';
import { type ExplainedPlan, explainPlacement } from '../../../plans/explain/placement.js';
import { compareText, planText } from '../../../plans/explain/text.js';
import type { Condition } from '../../../plans/placement/condition.js';
import { paperConstants } from '../../../plans/placement/cost-model.js';
import { placeOperators, placementStrategies } from '../../../plans/placement/strategies.js';
import type { PlacementTree } from '../../../plans/placement/tree.js';

const call = (id: string, intent: string, reads: readonly string[], usd?: number): Condition => ({
  kind: 'call',
  call: { id, intent, reads, ...(usd === undefined ? {} : { usd }) },
});

const query = (usd?: number): PlacementTree => ({
  output: ['b.title'],
  root: {
    kind: 'where',
    id: 'where',
    condition: {
      kind: 'and',
      parts: [
        call('ai', 'is {b.text} about AI?', ['b.text'], usd),
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

test('what a run counted stands beside the estimate, and the model survives JSON', () => {
  const measured = {
    'where.1': { rows: 210, distinct: 800, calls: 790, usd: 1.58, seconds: 12.3456 },
    join: { rows: 2500 },
  };
  const plan = explainPlacement(placeOperators(query(0.002), 'pullup', model), measured);
  const text = planText(plan);
  expect(text).toContain('est 500 rows · actual 210');
  expect(text).toContain('actual 800 distinct prompts · 790 calls · $1.58 · 12.3 s');
  expect(planText(JSON.parse(JSON.stringify(plan)) as ExplainedPlan)).toBe(text);
});
