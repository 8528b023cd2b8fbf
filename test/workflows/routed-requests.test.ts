import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SemanticCall } from '../../plans/operators/call.js';
import type { RoutedPlan } from '../../plans/physical/routed/plan.js';
import { type Engine, startEngine } from '../support/engine.js';
import { askItems, csvOf, filter, knownModels, noFaults, truthOf } from '../support/known-truth.js';
import { call } from '../support/relations.js';
import { byModel, routedPlan } from '../support/routed.js';

/** Which plans a query takes: what does not fit is refused before anything is asked. */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(knownModels(noFaults()));
}, 120_000);
afterAll(() => engine.close());

const asked: SemanticCall = { ...call('f0', ['text']), template: 'Is it so? {0}' };
const run = (plan: RoutedPlan, sql = filter, csv = csvOf(0, 30)) =>
  askItems(engine, sql, csv, { strategy: { kind: 'routed', plan }, cache: false });

test('a plan of one model has that model answer', async () => {
  const { ids, calls } = await run(routedPlan(asked, [byModel('blunt')]));
  expect([calls('blunt'), calls('oracle')]).toEqual([30, 0]);
  expect(ids.filter(truthOf).length).toBeGreaterThan(ids.length / 2);
});

test('calls that the plan is not for run directly, which is noted', async () => {
  const sql = "SELECT id, AI_SCORE('How good? {text}') AS s FROM t WHERE AI_FILTER('Is it so? {text}')";
  const { result } = await run(routedPlan(asked, [byModel('oracle')]), sql);
  expect(result.notes?.join()).toMatch(/score "How good\? \{0\}" runs directly: the plan was made for another intent/);
});

describe('refused before any call', () => {
  const plan = routedPlan(asked, [byModel('oracle')]);
  test.each<[string, RoutedPlan, string, RegExp]>([
    ['another intent', { ...plan, signature: 'x' }, 'BadArgument', /made for another intent/],
    ['an unknown model', routedPlan(asked, [byModel('nobody')]), 'UnknownModel', /nobody/],
    [
      'an unknown default model',
      routedPlan(asked, [byModel('oracle')], { safety: { model: 'none' } }),
      'UnknownModel',
      /none/,
    ],
    [
      'a feature that is not there',
      {
        ...plan,
        router: {
          ...plan.router,
          scorer: { form: 'linear', bias: 0, terms: [{ feature: 'pixels', weight: 1, mean: 0, scale: 1 }] },
        },
      },
      'BadPlan',
      /"pixels"/,
    ],
  ])('%s', async (_, given, code, message) => {
    const before = new Map(engine.calls);
    await expect(run(given)).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect(engine.calls).toEqual(before);
  });
});
