import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SemanticCall } from '../../plans/operators/call.js';
import { inputFeatures } from '../../plans/physical/routed/inputs.js';
import type { RoutedImplementation, RoutedPlan } from '../../plans/physical/routed/plan.js';
import { CallError } from '../../plans/protocol/call-errors.js';
import { deriveSeed, mulberry32 } from '../../plans/tuning/numeric/random.js';
import { recordHistory } from '../replay/record.js';
import { type Engine, startEngine } from '../support/engine.js';
import { call } from '../support/relations.js';
import { byModel, routedPlan } from '../support/routed.js';

/** Routed plans on the real engine: rules for what words give away, a small model that says how sure it is, and the default model. */

const coin = (stream: number, id: number): number => mulberry32(deriveSeed(stream, id)).uniform();
const truthOf = (id: number): boolean => coin(1, id) < 0.4;
/** Words give every second item away, which makes it shorter, too. */
const isPlain = (id: number): boolean => coin(2, id) < 0.5;
const textOf = (id: number): string =>
  isPlain(id)
    ? `item ${id} was ${truthOf(id) ? 'awful' : 'lovely'}`
    : `item ${id} came as it came, ${'and then some more was said about it '.repeat(1 + Math.floor(3 * coin(3, id)))}`;
const idIn = (text: string): number => Number(/item (\d+)/.exec(text)?.[1]);
/** The small model is wrong where it is unsure. */
const sureness = (id: number): number => 0.5 + 0.5 * coin(4, id);
const small = (id: number): boolean => (sureness(id) < 0.6 ? !truthOf(id) : truthOf(id));

const seen = new Map<string, number[]>();
let smallFails: (id: number) => boolean = () => false;
const note = (model: string, prompt: string): number => {
  const id = idIn(prompt);
  seen.set(model, [...(seen.get(model) ?? []), id]);
  return id;
};
const reply = (answer: boolean) => ({ text: JSON.stringify({ answer }) });

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine({
    oracle: { answer: (prompt) => reply(truthOf(note('oracle', prompt))) },
    small: {
      answer: (prompt, request) => {
        const id = note('small', prompt);
        if (smallFails(id)) throw new CallError('contentFilter', 'the endpoint refused it');
        if (!request.confidence) throw new CallError('badRequest', 'it is to be asked how sure it is');
        return { ...reply(small(id)), confidence: sureness(id) };
      },
    },
  });
}, 120_000);
afterAll(() => engine.close());
beforeEach(() => {
  seen.clear();
  smallFails = () => false;
});

const asked: SemanticCall = { ...call('f0', ['text']), template: 'Is it bad? {0}' };
const filter = "SELECT id FROM t WHERE AI_FILTER('Is it bad? {text}') ORDER BY id";
const rules: RoutedImplementation = {
  ...{ family: 'symbolic', name: 'rules', usd: 0, seconds: 0 },
  program: {
    kind: 'list',
    rules: [
      { test: { kind: 'term', column: 'input0', term: 'awful' }, label: 'true', confidence: 0.95 },
      { test: { kind: 'term', column: 'input0', term: 'lovely' }, label: 'false', confidence: 0.95 },
    ],
    otherwise: { label: 'false', confidence: 0.5 },
  },
};
const three = [rules, byModel('small'), byModel('oracle')] as const;
const idsOf = (from: number, rows: number) => Array.from({ length: rows }, (_, at) => from + at);
const csvOf = (ids: readonly number[]) =>
  `id,text\n${ids.map((id) => `${id},${JSON.stringify(textOf(id))}`).join('\n')}\n`;

async function ask(plan: RoutedPlan, csv: string, options: Parameters<Engine['start']>[2] = {}, sql = filter) {
  const run = await engine.start(sql, csv, { strategy: { kind: 'routed', plan }, ...options });
  const result = await run.result();
  return { run, result, ids: (await run.rows()).map((row) => Number(row['id'])) };
}
const askedOf = (model: string) => [...(seen.get(model) ?? [])].sort((a, b) => a - b);

/** By the definition: sort by difficulty, cut by masses, walk up while unsure. */
function bruteForce(ids: readonly number[], { router, thresholds, safety }: RoutedPlan) {
  const { scorer, logits } = router;
  if (scorer.form !== 'linear') throw new Error('tests route by a line');
  const table = inputFeatures(ids.map((id) => [textOf(id)]));
  const scoreOf = (row: number): number =>
    scorer.terms.reduce(
      (sum, { feature, weight, mean, scale }) =>
        sum + (weight * ((table.values[table.names.indexOf(feature)]?.[row] ?? Number.NaN) - mean)) / scale,
      scorer.bias,
    );
  const order = [...ids.keys()].sort((a, b) => scoreOf(a) - scoreOf(b) || a - b);
  const total = logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
  const small_: number[] = [];
  const oracle: number[] = [];
  const found: number[] = [];
  for (const [rank, row] of order.entries()) {
    const id = ids[row] ?? -1;
    let bucket = 0;
    for (let mass = Math.exp(logits[0] ?? 0) / total; (rank + 1) / ids.length > mass + 1e-12; ) {
      bucket += 1;
      mass += Math.exp(logits[bucket] ?? 0) / total;
    }
    let answer: boolean | undefined;
    let sure = isPlain(id) ? 0.95 : 0.5;
    if (bucket === 0) {
      answer = isPlain(id) && truthOf(id);
      if (sure < safety.margin) bucket = 2;
      else if (sure < (thresholds[0] ?? 0)) bucket = 1;
    }
    if (bucket === 1) {
      small_.push(id);
      [answer, sure] = [small(id), sureness(id)];
      if (sure < Math.max(thresholds[1] ?? 0, safety.margin)) bucket = 2;
    }
    if (bucket === 2) {
      oracle.push(id);
      answer = truthOf(id);
    }
    if (answer === true) found.push(id);
  }
  const ascending = (list: number[]) => list.sort((a, b) => a - b);
  return { small: ascending(small_), oracle: ascending(oracle), found: ascending(found) };
}

describe('asks whom the definition says, and answers as it does', () => {
  test.each<[string, number, RoutedPlan]>([
    ['equal shares, nothing handed on', 200, routedPlan(asked, three, { safety: { margin: 0.01 } })],
    ['handed on below thresholds', 310, routedPlan(asked, three, { thresholds: [0.9, 0.7, 0] })],
    [
      'a margin above a threshold',
      150,
      routedPlan(asked, three, { thresholds: [0.2, 0.7, 0], safety: { margin: 0.6, share: 1 } }),
    ],
    ['all in the first bucket', 120, withLogits(routedPlan(asked, three, { thresholds: [0.9, 0.7, 0] }), [40, 0, 0])],
    ['all in the last bucket', 60, withLogits(routedPlan(asked, three), [0, 0, 40])],
    ['one row', 1, routedPlan(asked, three, { thresholds: [0.9, 0.7, 0] })],
    ['two rows', 2, routedPlan(asked, three, { thresholds: [0.9, 0.7, 0] })],
  ])('%s', async (title, rows, plan) => {
    const ids = idsOf(1000 * title.length, rows);
    const expected = bruteForce(ids, plan);
    const { ids: found, result, run } = await ask(plan, csvOf(ids), { cache: false });
    expect([askedOf('small'), askedOf('oracle')]).toEqual([expected.small, expected.oracle]);
    expect(found).toEqual(expected.found);
    expect([result.stop, result.undecided, result.errors.count]).toEqual(['complete', 0, 0]);
    expect(result.spend.calls).toBe(expected.small.length + expected.oracle.length);
    expect(result.operators.reduce((sum, { share = 0 }) => sum + share, 0)).toBeCloseTo(1, 9);
    if (rows === 310) {
      await recordHistory(engine.client, run.id, undefined, 'routed-query');
      await recordHistory(engine.client, `${run.id}/routed/f0/0`, undefined, 'routed');
      await recordHistory(engine.client, `${run.id}/apply/f0.i0/0`, undefined, 'routed-program');
      await recordHistory(engine.client, `${run.id}/apply/f0.i2/0/6`, undefined, 'routed-later-part');
    }
  });
});

function withLogits(plan: RoutedPlan, logits: readonly number[]): RoutedPlan {
  return { ...plan, router: { ...plan.router, logits } };
}

test('a rerun pays nothing, and says the same', async () => {
  const plan = routedPlan(asked, three, { thresholds: [0.9, 0.7, 0] });
  const csv = csvOf(idsOf(300_000, 90));
  const first = await ask(plan, csv);
  expect(first.result.spend.calls).toBeGreaterThan(0);
  seen.clear();
  const again = await ask(plan, csv);
  expect([again.ids, again.result.spend.calls, seen.size]).toEqual([first.ids, 0, 0]);
  expect(again.result.notes).toEqual(first.result.notes);
});

test('the report says who decided how much', async () => {
  const plan = routedPlan(asked, three, { thresholds: [0.9, 0.7, 0] });
  const { result } = await ask(plan, csvOf(idsOf(310_000, 100)));
  expect(result.notes?.join()).toMatch(
    /filter "Is it bad\? \{0\}" was routed: rules decided [\d.]+ %, small decided [\d.]+ %, oracle decided [\d.]+ %$/,
  );
  expect(result.operators.map(({ step, model, strategy }) => [step, model, strategy])).toEqual([
    ['rules', 'rules', 'routed'],
    ['small', 'small', 'routed'],
    ['oracle', 'oracle', 'routed'],
  ]);
  const [byRules] = result.operators;
  expect(byRules).toMatchObject({ calls: 0, usd: 0, inputs: 33, failed: 0 });
});

test('an estimate prices each model at its bucket, and asks nobody', async () => {
  const plan = withLogits(routedPlan(asked, three, { thresholds: [0.9, 0.7, 0] }), [
    Math.log(5),
    Math.log(3),
    Math.log(2),
  ]);
  const { calls, notes } = await engine.estimate(filter, csvOf(idsOf(370_000, 100)), {
    strategy: { kind: 'routed', plan },
  });
  expect(calls.map(({ id, model, calls: range }) => [id, model, range.low, range.expected, range.high])).toEqual([
    ['f0.i1', 'small', 30, 30, 80],
    ['f0.i2', 'oracle', 20, 20, 100],
    ['f0.safe', 'oracle', 0, 0, 80],
  ]);
  expect(notes).toEqual([
    'filter "Is it bad? {0}" is routed by difficulty: rules 50 %, small 30 %, oracle 20 %; in safe mode oracle answers',
  ]);
  expect(seen.size).toBe(0);
});

test('NULLs ask nobody, duplicates once, no rows nothing', async () => {
  const plan = routedPlan(asked, three, { thresholds: [0.9, 0.7, 0] });
  const ids = idsOf(320_000, 30);
  const rows = ids.flatMap((id) => [
    `${id},${JSON.stringify(textOf(id))}`,
    `${id + 1000},${JSON.stringify(textOf(id))}`,
    `${id + 2000},`,
  ]);
  const { ids: found, result } = await ask(plan, `id,text\n${rows.join('\n')}\n`);
  const expected = bruteForce(ids, plan);
  expect(found).toEqual([...expected.found, ...expected.found.map((id) => id + 1000)]);
  expect(result.operators[0]?.inputs).toBe(10);
  seen.clear();
  for (const csv of ['id,text\n', 'id,text\n1,\n']) {
    const none = await ask(plan, csv);
    expect([none.ids, none.result.spend.calls, none.result.stop]).toEqual([[], 0, 'complete']);
  }
  expect(seen.size).toBe(0);
});

test('a value of several labels, rules and all', async () => {
  const classify: SemanticCall = {
    ...call('c0', ['text'], { kind: 'enum', values: ['good', 'bad'] }),
    parameters: { kind: 'classify', labels: [{ label: 'good' }, { label: 'bad' }], multi: false },
    template: '{0}',
  };
  const named: RoutedImplementation = {
    ...{ family: 'symbolic', name: 'words', usd: 0, seconds: 0 },
    program: {
      kind: 'words',
      column: 'input0',
      of: ['good', 'bad'].map((label) => ({
        label,
        by: { terms: [{ term: label === 'bad' ? 'awful' : 'lovely', rarity: 1, weight: 5 }], bias: -2 },
      })),
    },
  };
  const plan = routedPlan(classify, [named]);
  const ids = idsOf(330_000, 40).filter(isPlain);
  const { run } = await ask(
    plan,
    csvOf(ids),
    {},
    "SELECT id, AI_CLASSIFY(text, ['good', 'bad']) AS label FROM t ORDER BY id",
  );
  expect((await run.rows()).map((row) => row['label'])).toEqual(ids.map((id) => (truthOf(id) ? 'bad' : 'good')));
  expect(seen.size).toBe(0);
});

test('LIMIT stops when enough rows have passed', async () => {
  const plan = routedPlan(asked, three);
  const { ids, result } = await ask(plan, csvOf(idsOf(340_000, 100)), {}, `${filter} LIMIT 3`);
  expect([ids.length, result.stop]).toEqual([3, 'complete']);
});

test('a budget that ends in the middle leaves undecided what it leaves, and a rerun goes on', async () => {
  const plan = routedPlan(asked, three, { thresholds: [0.9, 0.7, 0] });
  const csv = csvOf(idsOf(350_000, 200));
  const stopped = await ask(plan, csv, { budget: { calls: 50 } });
  expect(stopped.result.stop).toBe('budget-calls');
  expect(stopped.result.undecided).toBeGreaterThan(0);
  expect(stopped.result.spend.calls).toBeLessThanOrEqual(50);
  const whole = await ask(plan, csv);
  expect(whole.result).toMatchObject({ stop: 'complete', undecided: 0 });
  expect(stopped.ids.every((id) => whole.ids.includes(id))).toBe(true);
  expect(whole.result.spend.calls + stopped.result.spend.calls).toBe(
    seen.get('small')!.length + seen.get('oracle')!.length,
  );
  for (const model of ['small', 'oracle']) expect(new Set(seen.get(model)).size).toBe(seen.get(model)?.length);
});

test('what a model refuses is answered by the default model, also with --on-error fail', async () => {
  smallFails = (id) => id % 7 === 0;
  const plan = routedPlan(asked, three, { thresholds: [0.9, 0.7, 0] });
  const { ids, result } = await ask(plan, csvOf(idsOf(360_000, 210)), { onError: 'fail' });
  const refused = askedOf('small').filter((id) => id % 7 === 0);
  expect(refused.length).toBeGreaterThan(3);
  expect(refused.every((id) => seen.get('oracle')?.includes(id))).toBe(true);
  for (const id of refused) expect(ids.includes(id)).toBe(truthOf(id));
  expect(result.errors.count).toBe(0);
  expect(result.notes?.join()).toMatch(new RegExp(`; ${refused.length} of 210 inputs ended in safe mode, by oracle`));
  expect(result.operators.at(-1)).toMatchObject({ step: 'safe', model: 'oracle', inputs: refused.length });
});
