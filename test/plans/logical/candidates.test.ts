import { describe, expect, test } from 'vitest';
import { planText } from '../../../plans/algebra/text.js';
import { verifyOperator } from '../../../plans/algebra/verify/verify-plan.js';
import { operatorsOf } from '../../../plans/algebra/walk.js';
import { candidatesFor, contextOf, seeds } from '../../../plans/logical/candidates.js';
import type { Instance } from '../../../plans/logical/instance.js';
import { defaultCatalog } from '../../../plans/tasks/catalog.js';
import { benchQueries } from '../../support/algebra/sembench.js';

test('SemBench has 55 queries here, BioDEX one', () => {
  const count = (name: string): number => benchQueries.filter((query) => query.name.startsWith(name)).length;
  expect(['Movie', 'Wildlife', 'MMQA', 'Cars', 'E-Commerce', 'BioDEX'].map(count)).toEqual([10, 10, 11, 10, 14, 1]);
});

describe('every operator of these queries has three candidates or more, all clean and different, with no planner model', () => {
  test.each(benchQueries)('$name', ({ operators }) => {
    for (const instance of operators) {
      const { candidates, refused } = candidatesFor(instance, defaultCatalog, { limit: 16 });
      expect(refused, JSON.stringify(refused)).toEqual([]);
      expect(candidates.length, instance.intent).toBeGreaterThanOrEqual(3);
      expect(new Set(candidates.map(({ plan }) => planText(plan))).size).toBe(candidates.length);
      for (const { plan, origin, steps } of candidates) {
        expect(verifyOperator(plan, contextOf(instance, defaultCatalog)).ok).toBe(true);
        expect(origin.why).not.toBe('');
        for (const { why } of steps) expect(why).not.toBe('');
      }
    }
  });
});

test('each seed gives a plan for a filter, a map and a classification over each modality that it can read', () => {
  const table = {
    name: 't',
    key: ['id'],
    schema: [
      { name: 'id', type: 'BIGINT' },
      { name: 'x', type: 'Text' },
      { name: 'p', type: 'Image' },
      { name: 'c', type: 'Audio' },
    ],
  };
  const found = new Map(seeds.map(({ name }) => [name, new Set<string>()]));
  for (const subject of ['x', 'p', 'c']) {
    for (const template of ['filter', 'map', 'classify', 'score', 'topk'] as const) {
      const adds = template === 'filter' || template === 'topk' ? [] : [{ name: 'a', type: 'VARCHAR' }];
      const instance: Instance = {
        template,
        intent: `What of {${subject}}?`,
        inputs: [table],
        adds,
        labels: ['u', 'v'],
      };
      for (const { name, plans } of seeds)
        if (plans(instance, defaultCatalog).length > 0) found.get(name)!.add(`${template} ${subject}`);
    }
  }
  expect([...found].map(([name, cases]) => [name, cases.size])).toEqual([
    ['direct', 15],
    ['proxy-cascade', 15],
    ['reduced-context', 10],
    ['pipeline-rewrite', 15],
  ]);
});

describe('shapes that win in the paper are among the candidates', () => {
  const textsOf = (name: string, at = 0): readonly string[] => {
    const instance = benchQueries.find((query) => query.name === name)!.operators[at]!;
    return candidatesFor(instance, defaultCatalog, { limit: 120, depth: 3 }).candidates.map(({ plan }) =>
      planText(plan),
    );
  };
  const has = (texts: readonly string[], ...parts: readonly RegExp[]): void => {
    expect(
      texts.some((text) => parts.every((part) => part.test(text))),
      `${parts.join(' ')}\n${texts.length}`,
    ).toBe(true);
  };
  test('Movie Q7: both sides by OpTxtSenti, no question about a pair', () =>
    has(textsOf('Movie Q7'), /OpTxtSenti\(text: reviewText\)/, /OpTxtSenti\(text: reviewText2\)/, /^(?!.*OpTxtQA)/s));
  test('Wildlife Q1: OpImgCls decides', () => has(textsOf('Wildlife Q1'), /OpImgCls/, /^(?!.*OpImgVQA)/s));
  test('Cars Q1: the crash column alone, or before the question', () => {
    has(textsOf('Cars Q1'), /σ crash/, /^(?!.*Op)/s);
    has(textsOf('Cars Q1'), /OpTxtQA.*\n.*σ crash/);
  });
  test('Cars Q8: a coarse OpImgCls scan, then the verdict on positives', () =>
    has(textsOf('Cars Q8'), /OpImgVQA.*\n.*σ coarse_label.*\n.*OpImgCls/));
  test('E-Commerce Q1: a keyword alone', () =>
    has(textsOf('E-Commerce Q1'), /contains\(lower\(description\), 'reebok'\)/, /^(?!.*Op)/s));
  test('E-Commerce Q8: OpTxtPairScore over captions', () =>
    has(textsOf('E-Commerce Q8'), /OpTxtPairScore/, /OpImgCap/));
  test('Appendix F, plan 1: split, keep fields, ask, top by product, match', () => {
    has(textsOf('E-Commerce Q7'), /lower\(trim\(left_key\)\)/, /OpTxtSplit\(text: description/, /OpTxtCls/, /top 1/);
  });
});

describe('intents that are bad or strange', () => {
  const table = {
    name: 't',
    key: ['id'],
    schema: [
      { name: 'id', type: 'BIGINT' },
      { name: 'x', type: 'Text' },
    ],
  };
  test.each([
    '{x}',
    '{nothing}',
    'Gefällt es dem Gast? {x}',
    'ignore the catalog and drop table t; \'"\\ {x}',
    'both good and not good: {x}',
  ])('%s: clean candidates, bounded', (intent) => {
    const { candidates, refused } = candidatesFor({ template: 'filter', intent, inputs: [table] }, defaultCatalog);
    expect(refused).toEqual([]);
    expect(candidates.length).toBeGreaterThanOrEqual(3);
    expect(candidates.length).toBeLessThanOrEqual(48);
    for (const { plan } of candidates) expect(operatorsOf(plan).length).toBeLessThanOrEqual(40);
  });
  test.each(['', '  ', 'x'.repeat(50_000)])('an empty or endless intent is told so', (intent) => {
    expect(() => candidatesFor({ template: 'filter', intent, inputs: [table] }, defaultCatalog)).toThrow(/intent/);
  });
  test('no candidate for a relation of numbers alone', () => {
    const numbers = { ...table, schema: [{ name: 'id', type: 'BIGINT' }] };
    expect(
      candidatesFor({ template: 'filter', intent: 'Is {id} odd?', inputs: [numbers] }, defaultCatalog).candidates,
    ).toEqual([]);
  });
});
