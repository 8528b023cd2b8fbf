import { expect, test } from 'vitest';
import { semanticOperators } from '../../../../plans/operators/registry.js';
import type { SemanticCall } from '../../../../plans/operators/call.js';
import { keyCall, keyLikeness, keysOf, sharesKey, spelled } from '../../../../plans/physical/pairs/keys.js';

const text = (label: string) => ({ sql: label, label, modality: 'text' }) as const;
const call: SemanticCall = {
  id: 'f0',
  role: 'filter',
  position: 4,
  template: 'Is {1} about {{one}} of {0}?',
  inputs: [text('p.name'), text('n.text')],
  pair: [[1], [0]],
  parameters: { kind: 'filter' },
  output: { kind: 'boolean' },
  guidance: { instructions: 'Parts are bolts.', examples: [{ inputs: ['a', 'b'], output: true }] },
};

test('a value is asked for its keys by itself, with the question that the pairs are asked', () => {
  const keyed = keyCall(call);
  expect(keyed).toMatchObject({
    id: 'f0',
    role: 'filter',
    position: 4,
    guidance: { instructions: 'Parts are bolts.' },
  });
  expect(keyed.template).toContain('Is <A: n.text> about {{one}} of <B: p.name>?');
  expect(keyed.guidance?.examples).toBeUndefined();
  expect(keyed.pair).toBeUndefined();
  expect(() => {
    semanticOperators.complete.check(keyed);
  }).not.toThrow();
});

test.each([
  [['Air-Bags', 'air bags', ' AIR  BAGS! '], ['air bags']],
  [['Citroën', 'citroen'], ['citroen']],
  [
    ['ﬁve', '５'],
    ['five', '5'],
  ],
  [
    ['電車', 'ΣΊΣΥΦΟΣ'],
    ['電車', 'σισυφος'],
  ],
  ['wheel', ['wheel']],
  [['', '…', 7, null, { a: 1 }], []],
  [null, []],
  [
    ['a', 'b', 'c', 'd', 'e', 'f'],
    ['a', 'b', 'c', 'd', 'e'],
  ],
] as const)('%j has the keys %j', (answer, keys) => {
  expect(keysOf(answer)).toEqual(keys);
});

test('values that share a key match; others are as alike as their most alike keys are spelled', () => {
  const of = (...keys: readonly string[]) => spelled(keys);
  expect(sharesKey(of('a', 'wheel'), of('wheel'))).toBe(true);
  expect(sharesKey(of('wheel'), of('wheels'))).toBe(false);
  expect(sharesKey(of(), of())).toBe(false);
  expect(keyLikeness(of(), of('wheel'))).toBe(0);
  expect(keyLikeness(of('wheel'), of('door'))).toBe(0);
  expect(keyLikeness(of('front wheel'), of('wheel'))).toBeGreaterThan(keyLikeness(of('front wheel'), of('fender')));
  // "wheel" and "wheels" have 6 and 7 pairs of characters, 5 of them alike
  expect(keyLikeness(of('door', 'wheel'), of('wheels'))).toBeCloseTo(10 / 13);
});
