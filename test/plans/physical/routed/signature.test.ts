import { expect, test } from 'vitest';
import type { SemanticCall } from '../../../../plans/operators/call.js';
import { partsAmiss, otherIntent } from '../../../../plans/physical/routed/misfit.js';
import { planSignature, signedIntent } from '../../../../plans/physical/routed/signature.js';
import { call } from '../../../support/relations.js';
import { byModel, routedPlan } from '../../../support/routed.js';

const asked = { ...call('f0', ['r.text']), template: 'Is {0} about brakes?' };
const classify: SemanticCall = {
  ...call('c0', ['r.text'], { kind: 'enum', values: ['a', 'b'] }),
  parameters: { kind: 'classify', labels: [{ label: 'a' }, { label: 'b' }], multi: false },
};

test('names of columns, tables and models, the place in the SQL and white space say nothing', () => {
  const elsewhere = {
    ...asked,
    ...{ id: 'f7', position: 90, model: 'mini', template: '  Is {0}\n about   brakes? ' },
    inputs: [{ sql: 'x.body', label: 'body', modality: 'text' as const }],
  };
  expect(planSignature(elsewhere)).toBe(planSignature(asked));
});

test('intent, options, output and media do', () => {
  const others: SemanticCall[] = [
    { ...asked, template: 'Is {0} about tyres?' },
    { ...asked, template: 'is {0} about brakes?' },
    { ...asked, guidance: { instructions: 'Be strict.' } },
    { ...asked, output: { kind: 'string' } },
    { ...asked, inputs: [{ sql: 'p', label: 'p', modality: 'image' }] },
    classify,
    { ...classify, parameters: { kind: 'classify', labels: [{ label: 'b' }, { label: 'a' }], multi: false } },
  ];
  expect(new Set([asked, ...others].map(planSignature)).size).toBe(others.length + 1);
});

test('a plan for another intent says which', () => {
  const plan = routedPlan(asked, [byModel('big')]);
  expect(otherIntent(plan, asked)).toBeUndefined();
  expect(otherIntent(plan, classify)).toBe('the plan was made for another intent: filter "Is {0} about brakes?"');
  expect(otherIntent({ ...plan, signature: '[1]' }, asked)).toBe('the plan was made for another intent');
  expect(['', '{', 'null', '{"intent":1}'].map(signedIntent)).toEqual([undefined, undefined, undefined, undefined]);
});

test('parts that do not go with the call are told', () => {
  const rules = (column: string, label: string) =>
    ({
      family: 'symbolic',
      ...{ name: 'rules', usd: 0, seconds: 0 },
      program: {
        kind: 'list',
        rules: [{ test: { kind: 'term', column, term: 'x' }, label, confidence: 1 }],
        otherwise: { label, confidence: 1 },
      },
    }) as const;
  expect(partsAmiss(routedPlan(asked, [rules('input0', 'true')]), asked)).toEqual([]);
  expect(partsAmiss(routedPlan(classify, [rules('input0', 'a')]), classify)).toEqual([]);
  expect(partsAmiss(routedPlan(asked, [rules('input1', 'true')]), asked)[0]).toMatch(/rules reads input1/);
  expect(partsAmiss(routedPlan(asked, [rules('input0', 'yes')]), asked)[0]).toMatch(/rules answers "yes"/);
  expect(partsAmiss(routedPlan(classify, [rules('input0', 'c')]), classify)[0]).toMatch(/rules answers "c"/);
  const plan = routedPlan(asked, [byModel('big')]);
  const node = { feature: 'input1 length', below: 1, yes: { score: 0 }, no: { score: 1 } };
  const tree = { ...plan, router: { ...plan.router, scorer: { form: 'tree' as const, root: node } } };
  expect(partsAmiss(tree, asked)).toEqual(['its router reads a feature "input1 length" that no input has']);
});
