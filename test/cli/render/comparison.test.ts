import { expect, test } from 'vitest';
import { comparisonText } from '../../../cli/render/comparison.js';
import { explainPlacement } from '../../../plans/explain/placement.js';
import { placeOperators } from '../../../plans/placement/strategies.js';
import type { PlacementTree } from '../../../plans/placement/tree.js';
import type { PlacementComparison } from '../../../plans/protocol/comparison.js';

const tree: PlacementTree = {
  output: ['b.title'],
  root: {
    kind: 'semantic-filter',
    id: 'where0',
    condition: { kind: 'call', call: { id: 'where0', intent: 'Is it a novel?', reads: ['b.title'] } },
    input: {
      kind: 'join',
      id: 'join',
      join: 'inner',
      rows: 250,
      reads: ['b.id', 'r.book'],
      left: { kind: 'relation', id: 'b', relation: 'b', rows: 100, columns: ['b.id', 'b.title'] },
      right: { kind: 'relation', id: 'r', relation: 'r', rows: 500, columns: ['r.book'] },
    },
  },
};

const range = (value: number) => ({ low: 0, expected: value, high: value });

test('placements stand side by side, each with its tree and the reasons', () => {
  const comparison: PlacementComparison = {
    v: 1,
    placements: (['pushdown', 'pullup'] as const).map((placement) => ({
      placement,
      total: { calls: range(placement === 'pullup' ? 80 : 100), tokens: range(1), usd: range(0.5) },
      joins: [explainPlacement(placeOperators(tree, placement))],
    })),
  };
  const lines = comparisonText(comparison, undefined).split('\n');
  expect(lines[0]).toMatch(/^placement +calls +USD +relational rows +cost$/);
  expect(lines[1]).toMatch(/^pushdown +100 \[0–100\] +\S.* +/);
  expect(lines[2]).toMatch(/^pullup +80 \[0–80\]/);
  const text = lines.join('\n');
  expect(text).toContain('SemanticFilter Is it a novel?');
  expect(text).toContain('pull-up (join): stops: the top');
  expect(text).toContain('Total (pullup)');
  expect(text).not.toContain('while the query runs');
  const [first] = comparison.placements;
  const open = { v: 1, placements: [{ ...first!, placement: 'adaptive' }] } as const;
  expect(comparisonText(open, undefined)).toContain('adaptive is shown as pullup');
});

test('a query without a join says so', () => {
  const total = { calls: range(1), tokens: range(1) };
  const text = comparisonText({ v: 1, placements: [{ placement: 'pullup', total, joins: [] }] }, undefined);
  expect(text).toContain('unknown');
  expect(text).toContain('no join with semantic conditions');
});
