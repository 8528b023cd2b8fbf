import { describe, expect, test } from 'vitest';
import { postOrder } from '../../../../plans/placement/children.js';
import { type Condition, conditionText } from '../../../../plans/placement/condition.js';
import { decomposeJoins } from '../../../../plans/placement/steps/decompose-joins.js';
import { pullUpProjections } from '../../../../plans/placement/steps/pull-up-projections.js';
import { conjunctsOf, splitConjunctions } from '../../../../plans/placement/steps/split-conjunctions.js';
import type { JoinKind, PlacementTree, PlanNode } from '../../../../plans/placement/tree.js';
import { checked } from '../../../../plans/placement/validate.js';

const call = (id: string, reads: readonly string[] = ['a.x']): Condition => ({ kind: 'call', call: { id, reads } });
const plain = (text: string, more: object = {}): Condition => ({ kind: 'plain', text, reads: ['a.y'], ...more });
const not = (part: Condition): Condition => ({ kind: 'not', part });
const a: PlanNode = { kind: 'relation', id: 'a', relation: 'a', rows: 100, columns: ['a.x', 'a.y'] };
const b: PlanNode = { kind: 'relation', id: 'b', relation: 'b', rows: 100, columns: ['b.x', 'b.y'] };
const order = (root: PlanNode): readonly string[] => postOrder(root).map(({ id }) => id);

describe('splitting', () => {
  test('AND, and OR under NOT, however deep; an OR stays whole', () => {
    const or: Condition = { kind: 'or', parts: [call('f'), plain('p')] };
    const condition: Condition = { kind: 'and', parts: [not(not(call('g'))), not(or), { kind: 'and', parts: [or] }] };
    expect(conjunctsOf(condition).map(conditionText)).toEqual(['g', 'NOT f', 'NOT p', 'f OR p']);
  });

  test('plain conjuncts first, those that may raise last and unmovable', () => {
    const parts = [plain('cast', { raises: true }), call('f'), plain('p', { share: 0.5 })];
    const where: PlanNode = { kind: 'where', id: 'w', input: a, condition: { kind: 'and', parts } };
    const { tree, trace } = splitConjunctions({ root: where, output: ['a.x'] });
    expect(order(tree.root)).toEqual(['a', 'w.1', 'w.2', 'w.3']);
    expect(tree.root).toMatchObject({
      kind: 'filter',
      raises: true,
      input: { kind: 'semantic-filter', input: { rows: 50 } },
    });
    expect(trace).toMatchObject([{ step: 'split-conjunctions', node: 'w', reason: '3 conjuncts: p; f; cast' }]);
  });
});

describe('decomposing joins', () => {
  const sj = (join: JoinKind, reads: readonly string[]): PlacementTree => ({
    output: ['a.x'],
    root: {
      kind: 'semantic-join',
      id: 'j',
      join,
      left: a,
      right: b,
      rows: 10_000,
      reads,
      condition: call('f', ['a.x', 'b.x']),
    },
  });

  test.each([
    [[], 'cross'],
    [['a.y', 'b.y'], 'inner'],
  ] as const)('inner, with plain keys %j: a %s join and a condition', (reads, kind) => {
    expect(decomposeJoins(sj('inner', reads)).tree.root).toMatchObject({
      kind: 'where',
      condition: call('f', ['a.x', 'b.x']),
      input: { kind: 'join', join: kind, reads, id: 'j' },
    });
  });

  test.each(['left', 'right', 'full', 'semi', 'anti'] as const)('%s stays', (join) => {
    const tree = sj(join, []);
    expect(decomposeJoins(tree).tree).toEqual(tree);
  });
});

describe('pulling projections up', () => {
  const sp = (id: string, input: PlanNode): PlanNode => ({
    kind: 'semantic-projection',
    id,
    input,
    call: { id, reads: ['a.x'] },
    makes: `${id}.c`,
  });
  const join = (left: PlanNode, reads: readonly string[]): PlanNode => ({
    kind: 'join',
    id: 'j',
    join: 'inner',
    left,
    right: b,
    reads,
    rows: 500,
  });
  const pulled = (root: PlanNode, output: readonly string[] = ['a.x']): PlanNode => {
    const { tree } = pullUpProjections({ root, output });
    return checked(tree, 'pull-up-projections').root;
  };

  test('with the filter on its column, which no longer thins the join (PLOP figure 2)', () => {
    const score: PlanNode = {
      kind: 'filter',
      id: 'score',
      input: sp('s', a),
      condition: { kind: 'plain', text: 's.c >= 4', reads: ['s.c'] },
      rows: 25,
    };
    const root = pulled(join(score, ['a.y', 'b.y']));
    expect(order(root)).toEqual(['a', 'b', 'j', 's', 'score']);
    // a quarter passed, so the join gives four times the rows and the filter what the join gave
    expect(root).toMatchObject({ rows: 500, input: { input: { rows: 2000 } } });
  });

  test('not over the join that reads its column; an independent one rises past it', () => {
    const root = pulled(join(sp('free', sp('key', a)), ['key.c', 'b.y']));
    expect(order(root)).toEqual(['a', 'key', 'b', 'j', 'free']);
  });

  test('over LIMIT, as it changes no row; not when a filter on its column comes first', () => {
    const limit = (input: PlanNode): PlanNode => ({ kind: 'limit', id: 'limit', input, reads: ['a.y'], rows: 10 });
    expect(order(pulled(limit(sp('s', a))))).toEqual(['a', 'limit', 's']);
    const filter: PlanNode = { kind: 'semantic-filter', id: 'f', input: sp('s', a), condition: call('f', ['s.c']) };
    expect(order(pulled(limit(filter)))).toEqual(['a', 's', 'f', 'limit']);
  });

  test('with the part of a projection that is computed from it', () => {
    const project: PlanNode = {
      kind: 'project',
      id: 'p',
      input: sp('s', a),
      keeps: ['a.y'],
      makes: [
        { column: 'p.up', reads: ['s.c', 'a.x'] },
        { column: 'p.low', reads: ['a.y'] },
      ],
      rows: 100,
    };
    const root = pulled(join(project, ['p.low', 'b.y']), ['p.up', 'p.low']);
    expect(order(root)).toEqual(['a', 'p', 'b', 'j', 's', 'p.up']);
  });

  test('a raising or volatile prompt stays', () => {
    const fixed = { ...sp('s', a), raises: true };
    expect(order(pulled(join(fixed, ['a.y', 'b.y'])))).toEqual(['a', 's', 'b', 'j']);
  });

  test('not from the null-producing side of an outer join', () => {
    const left: PlanNode = {
      kind: 'join',
      id: 'j',
      join: 'left',
      left: b,
      right: sp('s', a),
      reads: ['a.y', 'b.y'],
      rows: 9,
    };
    expect(order(pulled(left))).toEqual(['b', 'a', 's', 'j']);
  });
});
