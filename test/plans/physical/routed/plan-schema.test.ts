import { describe, expect, test } from 'vitest';
import { FermataError } from '../../../../plans/protocol/errors.js';
import { parseJson } from '../../../../plans/protocol/json.js';
import type { RoutedImplementation, RoutedPlan } from '../../../../plans/physical/routed/plan.js';
import { readRoutedPlan } from '../../../../plans/physical/routed/plan.schema.js';
import { call } from '../../../support/relations.js';
import { byModel, routedPlan } from '../../../support/routed.js';

const price = { usd: 0, seconds: 0.001 };
const rules: RoutedImplementation = {
  ...{ family: 'symbolic', name: 'rules', ...price },
  program: {
    kind: 'list',
    rules: [
      { test: { kind: 'term', column: 'input0', term: 'bad' }, label: 'true', confidence: 0.9 },
      { test: { kind: 'pattern', column: 'input0', pattern: 'year' }, label: 'false', confidence: 0.8 },
      { test: { kind: 'longer', column: 'input0', than: 40 }, label: 'false', confidence: 0.7 },
    ],
    otherwise: { label: 'false', confidence: 0.6 },
  },
};
const words: RoutedImplementation = {
  ...{ family: 'symbolic', name: 'words', ...price },
  program: {
    kind: 'words',
    column: 'input0',
    of: [{ label: 'true', by: { terms: [{ term: 'bad', rarity: 1, weight: 2 }], bias: -1 } }],
  },
};
const code: RoutedImplementation = { family: 'symbolic', name: 'code', ...price, code: '(row) => null' };
const whole = routedPlan(call('f0', ['text']), [rules, words, code, byModel('mini', { batch: 20 }), byModel('big')], {
  thresholds: [0.9, 0.8, 0.7, 0.6, 0],
});

function refused(value: unknown): FermataError {
  try {
    readRoutedPlan(value, 'plan.json');
  } catch (error) {
    if (FermataError.is(error, 'BadPlan')) return error;
    throw error;
  }
  throw new Error('it was read');
}

test('what is written is read, with every kind of part', () => {
  const tree: RoutedPlan = {
    ...whole,
    router: {
      logits: [0, 0, 0, 0, -3],
      scorer: { form: 'tree', root: { feature: 'input0 words', below: 3, yes: { score: 0 }, no: { score: 1 } } },
    },
  };
  for (const plan of [whole, tree]) {
    const parsed = parseJson(JSON.stringify(plan));
    expect(parsed.ok && readRoutedPlan(parsed.value)).toEqual(plan);
  }
});

test('a plan of a newer version is told as that, whatever else it holds', () => {
  const { message, hint, where } = refused({ version: 2, steps: [] });
  expect(message).toBe('plan.json is no routed plan: it is of version 2, this program reads version 1');
  expect(hint).toContain('update');
  expect(where).toEqual({ file: 'plan.json' });
});

describe('tampered plans are refused with the place', () => {
  const [first, ...others] = whole.implementations;
  const swapped = (one: unknown) => ({ ...whole, implementations: [one, ...others] });
  const list = (test: unknown) =>
    swapped({
      ...first,
      program: { ...(first as { program: object }).program, rules: [{ test, label: 'true', confidence: 1 }] },
    });
  test.each<[string, unknown, RegExp]>([
    ['a threshold less', { ...whole, thresholds: [0.9, 0] }, /5 implementations, but 2 thresholds/],
    ['a logit more', { ...whole, router: { ...whole.router, logits: [0, 0, 0, 0, 0, 0] } }, /but 6 logits/],
    ['a last threshold', { ...whole, thresholds: [0, 0, 0, 0, 0.5] }, /the last threshold is not 0/],
    [
      'a name twice',
      { ...whole, implementations: [first, first, ...others.slice(1)] },
      /two implementations of one name/,
    ],
    ['no implementation', { ...whole, implementations: [] }, /implementations: /],
    ['a threshold above 1', { ...whole, thresholds: [1.5, 0, 0, 0, 0] }, /thresholds\.0: /],
    ['a share of nothing', { ...whole, safety: { ...whole.safety, share: 0 } }, /safety\.share: /],
    ['a field more', { ...whole, run: 'rm' }, /"run"/],
    ['no signature', { ...whole, signature: '' }, /signature: /],
    ['a negative price', swapped({ ...first, usd: -1 }), /implementations\.0\.usd/],
    ['an unknown family', swapped({ ...first, family: 'magic' }), /implementations\.0/],
    [
      'an unknown pattern',
      list({ kind: 'pattern', column: 'input0', pattern: '(a+)+$' }),
      /implementations\.0\.program\.rules\.0\.test\.pattern/,
    ],
    [
      'a number of a text',
      list({ kind: 'below', column: 'input0', threshold: 3 }),
      /implementations\.0\.program\.rules\.0\.test/,
    ],
    ['a column by name', list({ kind: 'term', column: 'review', term: 'x' }), /an input by its place/],
    [
      'vectors',
      swapped({ ...words, program: { ...(words as { program: object }).program, kind: 'nearness' } }),
      /implementations\.0\.program/,
    ],
    ['code that imports', swapped({ ...code, code: '(row) => import("fs")' }), /`import` is not allowed/],
    [
      'code that is none',
      swapped({ ...code, code: 'while (true) {}' }),
      /implementations\.0\.code: .*function expression/,
    ],
    ['code that is too long', swapped({ ...code, code: `(row) => "${'x'.repeat(9_000)}"` }), /at most 8192/],
    [
      'a scale of 0',
      {
        ...whole,
        router: {
          ...whole.router,
          scorer: { form: 'linear', bias: 0, terms: [{ feature: 'input0 length', weight: 1, mean: 0, scale: 0 }] },
        },
      },
      /router\.scorer\.terms\.0\.scale/,
    ],
    [
      'a batch of one',
      { ...whole, implementations: [...whole.implementations.slice(0, 4), { ...byModel('big'), batch: 1 }] },
      /implementations\.4\.batch/,
    ],
  ])('%s', (_, value, message) => {
    expect(refused(value).message).toMatch(message);
  });
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'plan'],
  ['a list', [whole]],
  ['an empty object', {}],
  ['another document', { version: 1, runId: 'q-1' }],
  ['version as text', { ...whole, version: '1' }],
])('%s is no plan', (_, value) => {
  expect(refused(value).message).toMatch(/^plan\.json is no routed plan: ./);
});

test('depth does not break the reader, nor do names of prototypes', () => {
  let root: unknown = { score: 0 };
  for (let at = 0; at < 50_000; at++) root = { feature: 'input0 words', below: 1, yes: root, no: { score: 0 } };
  const deep = { ...whole, router: { ...whole.router, scorer: { form: 'tree', root } } };
  expect(refused(deep).message).toContain('nested deeper');
  const polluted = parseJson(JSON.stringify(whole).replace('{"version"', '{"__proto__":{"polluted":1},"version"'));
  expect(polluted.ok && refused(polluted.value).message).toContain('__proto__');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('every part that is left out or made null is missed', () => {
  const paths: (readonly string[])[] = [];
  const walk = (value: unknown, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) paths.push([...path, key]);
      walk(inner, [...path, key]);
    }
  };
  walk(whole, []);
  expect(paths.length).toBeGreaterThan(50);
  for (const path of paths) {
    for (const damage of ['drop', 'null'] as const) {
      const copy = structuredClone(whole) as unknown as Record<string, unknown>;
      const holder = path.slice(0, -1).reduce((at, key) => at[key] as Record<string, unknown>, copy);
      const key = path.at(-1) ?? '';
      if (damage === 'drop') Reflect.deleteProperty(holder, key);
      else holder[key] = null;
      if (damage === 'drop' && key === 'batch') expect(readRoutedPlan(copy)).toEqual(copy);
      else expect(refused(copy).code, path.join('.')).toBe('BadPlan');
    }
  }
});
