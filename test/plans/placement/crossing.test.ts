/** Barriers of design §4, one by one: what a filter over `a.x` below an operator may not cross. */
import { describe, expect, test } from 'vitest';
import { barrier, keeping } from '../../../plans/placement/crossing.js';
import { takeOut } from '../../../plans/placement/skeleton.js';
import { pushDown } from '../../../plans/placement/steps/push-down.js';
import type { JoinKind, PlacementTree, PlanNode } from '../../../plans/placement/tree.js';

const a: PlanNode = { kind: 'relation', id: 'a', relation: 'a', rows: 10, columns: ['a.x', 'a.y'] };
const b: PlanNode = { kind: 'relation', id: 'b', relation: 'b', rows: 10, columns: ['b.x'] };
const over = { id: 'n', input: a, rows: 10 };
const join = (kind: JoinKind, more: object = {}): PlanNode => ({
  kind: 'join',
  id: 'n',
  rows: 10,
  join: kind,
  left: a,
  right: b,
  reads: kind === 'cross' ? [] : ['a.y', 'b.x'],
  ...more,
});

const crossed: readonly (readonly [string, PlanNode, number])[] = [
  ['a filter', { ...over, kind: 'filter', condition: { kind: 'plain', text: 'p', reads: ['a.y'] } }, 0],
  ['a projection that drops the column', { ...over, kind: 'project', keeps: ['a.y'], makes: [] }, 0],
  ['ORDER BY', { ...over, kind: 'order', reads: ['a.x'] }, 0],
  ['DISTINCT of the column', { ...over, kind: 'distinct', columns: ['a.x', 'a.y'] }, 0],
  ['UNNEST of another column', { ...over, kind: 'unnest', makes: [{ column: 'u', reads: ['a.y'] }] }, 0],
  ['the kept side of LEFT', join('left'), 0],
  ['the kept side of RIGHT', join('right'), 1],
  ['both sides of an inner join', join('inner'), 1],
  ['a cross product', join('cross'), 0],
  ...(['semi', 'anti', 'mark', 'single'] as const).map((kind) => [`the shown side of ${kind}`, join(kind), 0] as const),
  ['a lateral join that reads another column', join('inner', { lateral: ['a.y'] }), 0],
];

const barred: readonly (readonly [string, PlanNode, number, string])[] = [
  ['aggregation', { ...over, kind: 'aggregate', keys: ['a.x'], makes: [] }, 0, 'aggregation'],
  ['DISTINCT without the column', { ...over, kind: 'distinct', columns: ['a.y'] }, 0, 'DISTINCT without'],
  ['DISTINCT ON', { ...over, kind: 'distinct', columns: ['a.x'], on: ['a.x'] }, 0, 'DISTINCT ON'],
  ['a window', { ...over, kind: 'window', makes: [] }, 0, 'window'],
  ['LIMIT', { ...over, kind: 'limit', reads: [] }, 0, 'LIMIT'],
  ['SAMPLE', { ...over, kind: 'sample' }, 0, 'SAMPLE'],
  [
    'a set operation',
    { id: 'n', rows: 1, kind: 'set', inputs: [a], takes: [['a.x']], makes: ['s.x'] },
    0,
    'set operation',
  ],
  ['UNNEST of the column', { ...over, kind: 'unnest', makes: [{ column: 'u', reads: ['a.x'] }] }, 0, 'UNNEST'],
  ['a CTE read twice', { ...over, kind: 'fence', why: 'a CTE that is read twice' }, 0, 'read twice'],
  ['the null-producing side of LEFT', join('left'), 1, 'null-producing'],
  ['the null-producing side of RIGHT', join('right'), 0, 'null-producing'],
  ['FULL, left', join('full'), 0, 'full'],
  ['FULL, right', join('full'), 1, 'full'],
  ...(['semi', 'anti', 'mark', 'single'] as const).map(
    (kind) => [`the hidden side of ${kind}`, join(kind), 1, 'hidden'] as const,
  ),
  ['a lateral join that reads the column', join('inner', { lateral: ['a.x'] }), 0, 'lateral'],
  ['the lateral side', join('inner', { lateral: ['a.y'] }), 1, 'lateral'],
];

describe('crossed', () => {
  test.each(crossed)('%s', (_, node, side) => {
    expect(barrier(node, side, ['a.x'])).toBeUndefined();
    expect(barrier({ ...node, volatile: true }, side, ['a.x'])).toContain('volatile');
    expect(barrier({ ...node, raises: true }, side, ['a.x'])).toContain('raise');
  });
});

test.each(barred)('not crossed: %s', (_, node, side, why) => {
  expect(barrier(node, side, ['a.x'])).toContain(why);
});

test('a filter whose own prompt may raise, or changes, does not move; nor does another past it', () => {
  const condition = { kind: 'call', call: { id: 'f', reads: ['a.x'] } } as const;
  const fixed: PlanNode = { kind: 'semantic-filter', id: 'fixed', condition, input: join('inner'), raises: true };
  const tree: PlacementTree = {
    output: ['a.x'],
    root: {
      kind: 'semantic-filter',
      id: 'free',
      condition: { ...condition, call: { id: 'g', reads: ['a.x'] } },
      input: fixed,
    },
  };
  const skeleton = takeOut(pushDown(tree).tree);
  expect(skeleton.filters.map(({ node, path }) => [node.id, path])).toEqual([['free', ['fixed']]]);
});

test('a projection that is crossed keeps what the filter reads', () => {
  const project: PlanNode = { ...over, kind: 'project', keeps: ['a.y'], makes: [] };
  expect(keeping(project, ['a.x', 'a.y'])).toMatchObject({ keeps: ['a.y', 'a.x'] });
});

test('pushdown goes through a renaming projection with the column renamed, and not through a computed one', () => {
  const call = (reads: readonly string[]) => ({ kind: 'call', call: { id: 'f', reads } }) as const;
  const named = (copy: boolean): PlacementTree => ({
    output: ['d.z'],
    root: {
      kind: 'semantic-filter',
      id: 'f',
      condition: call(['d.z']),
      input: { ...over, kind: 'project', keeps: [], makes: [{ column: 'd.z', reads: ['a.x'], copy }] },
    },
  });
  expect(pushDown(named(true)).tree.root).toMatchObject({
    kind: 'project',
    input: { condition: call(['a.x']), origin: 'a' },
  });
  expect(pushDown(named(false)).tree.root).toMatchObject({ id: 'f', origin: 'n', condition: call(['d.z']) });
});
