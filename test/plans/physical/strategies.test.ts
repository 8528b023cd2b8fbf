import { expect, test } from 'vitest';
import { strategiesOf, strategyProblem } from '../../../plans/physical/strategies.js';
import { semanticOperators } from '../../../plans/operators/index.js';
import type { OperatorKind } from '../../../plans/operators/call.js';
import { call } from '../../support/relations.js';

test('every operator runs directly; a filter as a cascade, and what answers by word or value in batches too', () => {
  for (const kind of Object.keys(semanticOperators) as OperatorKind[]) expect(strategiesOf(kind)).toContain('direct');
  expect(strategiesOf('filter')).toEqual(['direct', 'cascade', 'prefilter', 'map', 'batched', 'classify', 'routed']);
  for (const kind of ['classify', 'extract', 'complete', 'score', 'sentiment', 'translate'] as const) {
    expect(strategiesOf(kind)).toContain('batched');
  }
  for (const kind of ['embed', 'transcribe', 'parse'] as const) expect(strategiesOf(kind)).toEqual(['direct']);
});

test('says why a call cannot', () => {
  expect(strategyProblem(call('f0', ['text']), 'cascade')).toBeUndefined();
  const complete = call('c0', ['text'], { kind: 'string' });
  expect(strategyProblem(complete, 'cascade')).toBe(
    'complete has no strategy cascade; it has: direct, batched, chunked, routed',
  );
  expect(strategyProblem(complete, 'direct')).toBeUndefined();
  const picture = { ...complete, inputs: [{ sql: 'p', label: 'p', modality: 'image' }] } as const;
  expect(strategyProblem(picture, 'batched')).toContain('texts alone');
  const explained = { ...call('c0', ['text']), output: { kind: 'string' } as const };
  expect(strategyProblem(explained, 'cascade')).toContain('explanation');
});

test('a top-k by comparisons needs a query that reads nothing of the score but its order', () => {
  const parameters = { kind: 'score', min: 0, max: 1 } as const;
  const score = { ...call('c0', ['text'], { kind: 'number' }), parameters };
  const top = { count: 3, least: false };
  for (const kind of ['pairwise', 'heap', 'listwise'] as const) {
    expect(strategyProblem(score, kind, top)).toBeUndefined();
    expect(strategyProblem(score, kind)).toContain('LIMIT k');
    expect(strategyProblem({ ...score, guidance: { explain: true } }, kind, top)).toContain('explains');
    const photo = { sql: 'photo', label: 'photo', modality: 'image' } as const;
    expect(strategyProblem({ ...score, inputs: [photo] }, kind, top)).toContain('texts');
  }
  expect(strategyProblem(score, 'tree', top)).toContain('has no strategy tree');
});
