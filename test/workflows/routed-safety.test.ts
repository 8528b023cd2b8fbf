import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SemanticCall } from '../../plans/operators/call.js';
import type { RoutedImplementation, RoutedPlan } from '../../plans/physical/routed/plan.js';
import { CallError } from '../../plans/protocol/call-errors.js';
import { type Engine, startEngine } from '../support/engine.js';
import { call } from '../support/relations.js';
import { byModel, routedPlan } from '../support/routed.js';

/** Safe mode: whatever the parts of a plan do, every input gets an answer, and the report says whose. */

const truthOf = (id: number): boolean => id % 2 === 0;
const idIn = (text: string): number => Number(/item (\d+)/.exec(text)?.[1]);
const reply = (answer: boolean) => ({ text: JSON.stringify({ answer }) });

let engine: Engine;
let oracleFails: (id: number) => boolean;
let answerSmall: (id: number) => { readonly text: string; readonly confidence?: number };
beforeAll(async () => {
  engine = await startEngine({
    oracle: {
      answer: (prompt) => {
        if (oracleFails(idIn(prompt))) throw new CallError('contentFilter', 'the endpoint refused it');
        const id = idIn(prompt);
        return reply(prompt.includes('tenth') ? id % 10 === 0 : truthOf(id));
      },
    },
    small: { answer: (prompt) => answerSmall(idIn(prompt)), limits: { concurrency: 2, retries: 3 } },
  });
}, 120_000);
afterAll(() => engine.close());
beforeEach(() => {
  oracleFails = () => false;
  answerSmall = (id) => reply(truthOf(id));
});

const asked: SemanticCall = { ...call('f0', ['text']), template: 'Is it even? {0}' };
const filter = "SELECT id FROM t WHERE AI_FILTER('Is it even? {text}') ORDER BY id";
const idsOf = (rows: number, from = 0) => Array.from({ length: rows }, (_, at) => from + at);
const even = (rows: number) => idsOf(rows).filter(truthOf);

/** Code that is right about an item, after what `body` does with it. */
const code = (body = ''): RoutedImplementation => ({
  ...{ family: 'symbolic', name: 'code', usd: 0, seconds: 0 },
  code: `(row) => { const n = Number(/item (\\d+)/.exec(row.input0)[1]); ${body} return { answer: n % 2 === 0, confidence: 0.9 }; }`,
});

async function run(plan: RoutedPlan, rows: number, options: Parameters<Engine['start']>[2] = {}, sql = filter) {
  const before = new Map(engine.calls);
  const csv = `id,text\n${idsOf(rows)
    .map((id) => `${id},item ${id}`)
    .join('\n')}\n`;
  const started = await engine.start(sql, csv, { strategy: { kind: 'routed', plan }, cache: false, ...options });
  const result = await started.result();
  const ids = (await started.rows()).map((row) => Number(row['id']));
  const calls = (model: string): number => (engine.calls.get(model) ?? 0) - (before.get(model) ?? 0);
  return { result, ids, calls, notes: result.notes?.join() ?? '' };
}

const whole = { stop: 'complete', undecided: 0, errors: { count: 0 } };

describe('code in the sandbox', () => {
  test('answers without a call', async () => {
    const { ids, result, calls, notes } = await run(routedPlan(asked, [code()]), 250);
    expect([ids, calls('oracle'), result.spend.calls]).toEqual([even(250), 0, 0]);
    expect(notes).toBe('filter "Is it even? {0}" was routed: code decided 100 %');
  });

  test.each([
    ['throws', "throw new Error('odd')"],
    ['answers of another type', "return { answer: 'yes' }"],
    ['answers with a number that is none', 'return { answer: NaN }'],
    ['answers with a function', 'return { answer: () => true }'],
    ['is surer than sure', 'return { answer: true, confidence: 2 }'],
    ['has a field too many', 'return { answer: true, because: n }'],
  ])("that %s on some rows: these are the default model's", async (_, body) => {
    const { ids, result, calls, notes } = await run(routedPlan(asked, [code(`if (n % 10 === 3) { ${body}; }`)]), 100);
    expect(ids).toEqual(even(100));
    expect(result).toMatchObject(whole);
    expect(calls('oracle')).toBe(10);
    expect(notes).toContain('10 of 100 inputs ended in safe mode, by oracle');
    expect(notes).not.toContain('degraded');
  });

  test('that cannot tell leaves a row to the next implementation, the last one to the default model', async () => {
    const plan = routedPlan(asked, [code('if (n % 10 === 3) return null;'), byModel('small')]);
    const first = await run({ ...plan, router: { ...plan.router, logits: [40, 0] } }, 100);
    expect([first.ids, first.calls('small'), first.calls('oracle')]).toEqual([even(100), 10, 0]);
    const alone = await run(routedPlan(asked, [code('if (n % 10 === 3) return null;')]), 100);
    expect([alone.ids, alone.calls('oracle')]).toEqual([even(100), 10]);
  });

  test.each([
    ['never ends', 'while (true) {}'],
    ['answers a hundred megabytes', "return { answer: 'x'.repeat(1e8) }"],
  ])('that %s is stopped, disabled after three rows, and switched off', async (_, body) => {
    const { ids, result, calls, notes } = await run(routedPlan(asked, [code(`if (n > 20) { ${body}; }`)]), 60);
    expect(ids).toEqual(even(60));
    expect(result).toMatchObject(whole);
    expect(calls('oracle')).toBe(39);
    expect(notes).toContain('the plan is degraded: code was switched off (more than 30 of 60 inputs failed');
  });

  test('that always throws degrades the plan', async () => {
    const { ids, calls, notes } = await run(routedPlan(asked, [code("throw new Error('no')")]), 40);
    expect([ids, calls('oracle')]).toEqual([even(40), 40]);
    expect(notes).toMatch(/40 of 40 inputs ended in safe mode, by oracle; the plan is degraded: code was switched off/);
  });
});

describe('models', () => {
  const plan = (more: Parameters<typeof routedPlan>[2] = {}) => routedPlan(asked, [byModel('small')], more);

  test('less sure than the margin: the default model answers, whatever the threshold', async () => {
    answerSmall = (id) => ({
      ...reply(id % 5 === 0 ? !truthOf(id) : truthOf(id)),
      confidence: id % 5 === 0 ? 0.3 : 0.8,
    });
    const { ids, calls, notes } = await run(plan({ safety: { margin: 0.4 } }), 100);
    expect([ids, calls('small'), calls('oracle')]).toEqual([even(100), 100, 20]);
    expect(notes).toContain('20 of 100 inputs ended in safe mode');
  });

  test('over the share of a bucket in safe mode: the rest is not asked any more', async () => {
    answerSmall = () => ({ ...reply(true), confidence: 0.1 });
    const { ids, calls, notes } = await run(plan({ safety: { margin: 0.4, share: 0.1 } }), 300);
    expect(ids).toEqual(even(300));
    expect(calls('small')).toBeGreaterThan(30);
    expect(calls('small')).toBeLessThan(150);
    expect(calls('oracle')).toBe(300);
    expect(notes).toContain('the plan is degraded: small was switched off (more than 30 of 300 inputs failed');
  });

  test.each([
    ['that nobody serves', () => new CallError('connection', 'connection refused', { absent: true }), 'never reached'],
    ['that refuses the key', () => new CallError('auth', 'the key is wrong'), 'the key is wrong'],
  ])('a model %s is switched off at once', async (_, error, why) => {
    answerSmall = () => {
      throw error();
    };
    const { ids, result, calls, notes } = await run(plan(), 120, { onError: 'fail' });
    expect([ids, calls('oracle')]).toEqual([even(120), 120]);
    expect(result).toMatchObject(whole);
    expect(notes).toMatch(new RegExp(`the plan is degraded: small was switched off \\(.*${why}`));
  });

  test("a backend that vanishes in the middle: its answers stand, the rest is the default model's", async () => {
    let answered = 0;
    answerSmall = (id) => {
      answered += 1;
      if (answered > 50) throw new CallError('connection', 'connection reset', { absent: true });
      return reply(truthOf(id));
    };
    const { ids, result, calls } = await run(plan(), 200);
    expect(ids).toEqual(even(200));
    expect(result).toMatchObject(whole);
    expect(calls('oracle')).toBe(150);
  }, 60_000);

  test('what was switched off in one wave stays so in the next', async () => {
    const sql = "SELECT id FROM t WHERE AI_FILTER('Is it even? {text}') AND AI_FILTER('Is it tenth? {text}') LIMIT 20";
    const refused: number[] = [];
    answerSmall = (id) => {
      refused.push(id);
      throw new CallError('auth', 'the key is wrong');
    };
    const { ids, result, notes } = await run(plan(), 400, {}, sql);
    expect(ids).toEqual(idsOf(20).map((id) => 10 * id));
    // the first wave has 80 rows, which are too few
    expect(result.operators.find(({ step }) => step === 'safe')?.inputs).toBeGreaterThan(100);
    expect(Math.max(...refused)).toBeLessThan(80);
    expect(notes).toContain('degraded');
  });

  test('rows that the default model fails on are row errors, asked once', async () => {
    oracleFails = (id) => id % 10 === 0;
    const { ids, result, calls } = await run(routedPlan(asked, [byModel('oracle')]), 30, { onError: 'skip' });
    expect(ids).toEqual(even(30).filter((id) => id % 10 !== 0));
    expect([result.errors.count, calls('oracle')]).toEqual([3, 30]);
  });
});

test('one model under several names of a plan, and programs named as models, are told apart', async () => {
  const named = { ...code("throw new Error('no')"), name: 'oracle' };
  const { ids, notes } = await run(routedPlan(asked, [named, { ...byModel('oracle'), name: 'last' }]), 40);
  expect(ids).toEqual(even(40));
  expect(notes).toMatch(/20 of 40 inputs ended in safe mode/);
});
