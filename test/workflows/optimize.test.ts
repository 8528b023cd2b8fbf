import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { savedPlan } from '../../client/saved-plans.js';
import { readRoutedPlan } from '../../plans/physical/routed/plan.schema.js';
import { recordHistory } from '../replay/record.js';
import {
  complaintModels,
  complaints,
  complaintSql,
  type ComplaintFaults,
  traceOf,
  truth,
} from '../support/complaints.js';
import { type Engine, startEngine } from '../support/engine.js';

/** Searches for a plan through real workflows, activities, store and ledger, with models that answer from a known truth. */

const faults: ComplaintFaults = { broken: () => false, onCall: () => undefined };
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(complaintModels(faults));
}, 120_000);
afterAll(() => engine.close());

type Options = NonNullable<Parameters<Engine['optimize']>[2]>;
/** Quality and cost alone count: seconds are the machine's. */
const weights = { quality: 1, latency: 0, cost: 0.3 };
const usual: Options = { weights, candidates: ['small', 'liar'], trials: 12, seed: 3 };

async function search(from: number, options: Options = {}, rows = 300, sql = complaintSql) {
  const before = new Map(engine.calls);
  const handle = await engine.optimize(sql, complaints(from, rows), { ...usual, ...options });
  const calls = (model: string): number => (engine.calls.get(model) ?? 0) - (before.get(model) ?? 0);
  return { handle, calls };
}

describe('a search', () => {
  test('finds a plan that is better than the default model, and says of what it consists', async () => {
    const { handle, calls } = await search(0, { candidates: ['small', 'liar', 'mute'] });
    const result = await handle.result();
    expect(result).toMatchObject({ stop: 'complete', trials: 12, labelled: 50, metric: 'f1', notes: [] });
    expect(result.direct).toMatchObject({ trial: 0, quality: 1 });
    expect(result.incumbent.utility).toBeGreaterThan(result.direct.utility + 0.01);
    expect(result.incumbent.costUsd).toBeLessThan(result.direct.costUsd);
    expect(result.incumbent.quality).toBeGreaterThan(0.6);
    expect(result.incumbent.interval.lower).toBeLessThanOrEqual(result.incumbent.quality);
    expect(result.lost).toEqual([{ name: 'mute', reason: 'the key is not known' }]);
    expect(result.implementations.map(({ name }) => name)).toEqual(['rules', 'small', 'liar', 'oracle']);
    expect(result.implementations.find(({ name }) => name === 'liar')).toMatchObject({ quality: 0, share: 0 });
    expect(result.implementations.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);

    const plan = readRoutedPlan(JSON.parse(await handle.plan()));
    expect(plan.safety.model).toBe('oracle');
    expect(plan.implementations.map(({ name }) => name)).not.toContain('liar');
    expect(plan.router.logits.reduce((sum, logit) => sum + Math.exp(logit), 0)).toBeCloseTo(1, 6);

    const kept = await savedPlan(engine.store, result.saved ?? '');
    expect(kept).toMatchObject({ runId: handle.id, direct: result.direct, measured: result.incumbent, plan });

    // Labels are the oracle's own answers: bought once.
    expect(calls('oracle')).toBe(50);
    expect(calls('small')).toBe(50);
    expect(result.spend.calls).toBe(200);
    await recordHistory(engine.client, handle.id, undefined, 'optimize-complete');
  });

  test('made again asks nobody, tries the same and finds the same; another seed draws other inputs', async () => {
    const [first, again, other] = [await search(0), await search(0), await search(0, { seed: 4 })];
    const results = [await first.handle.result(), await again.handle.result()] as const;
    expect(results[1].spend.calls).toBe(0);
    expect(await traceOf(engine, results[1].history)).toEqual(await traceOf(engine, results[0].history));
    expect(await again.handle.plan()).toBe(await first.handle.plan());
    expect(await first.handle.result()).toMatchObject({ incumbent: results[1].incumbent });
    await other.handle.result();
    expect(other.calls('small')).toBeGreaterThan(0);
  });

  test('the incumbent never falls, and only a better plan takes its place', async () => {
    const { handle } = await search(1000, { trials: 20 });
    const { history, incumbent, direct } = await handle.result();
    const trace = await traceOf(engine, history);
    expect(trace).toHaveLength(20);
    const utilities = trace.map((entry) => {
      const [, , quality, cost] = entry as [string, unknown, number, number];
      return quality - (weights.cost * Math.log1p(cost / 0.001)) / Math.log1p(direct.costUsd / 0.001);
    });
    let best = 0;
    for (const [at, utility] of utilities.entries()) if (utility > utilities[best]! + 0.01) best = at;
    expect(incumbent.trial).toBe(best);
    expect(incumbent.utility).toBeCloseTo(utilities[best]!, 9);
  });

  test('a teacher beside the default model is what quality is measured by', async () => {
    const { handle, calls } = await search(2000, { teacher: 'small', candidates: ['liar'] });
    const result = await handle.result();
    expect(result.direct.quality).toBeLessThan(1);
    expect(calls('small')).toBe(50);
    expect(calls('oracle')).toBe(50);
    expect(result.implementations.map(({ name }) => name)).not.toContain('small');
  });

  test.each([
    ['labels', "SELECT AI_CLASSIFY(text, ['complaint', 'other']) AS l FROM t", 'macroF1', true],
    ['scores', "SELECT AI_SCORE('How bad is it? {text}') AS s FROM t", 'spearman', false],
  ])('of %s', async (_, sql, metric, rules) => {
    const { handle } = await search(3000, {}, 200, sql);
    const result = await handle.result();
    expect(result.metric).toBe(metric);
    expect(result.implementations.some(({ name }) => name === 'rules')).toBe(rules);
    expect(result.direct.quality).toBe(1);
    expect(result.incumbent.utility).toBeGreaterThan(result.direct.utility);
  });
});

describe('the plan that was found', () => {
  test('answers all rows about as well as it was measured to, for less, and pays for no row of the sample', async () => {
    const rows = 600;
    const { handle } = await search(20_000, { candidates: ['small'], trials: 20 }, rows);
    const { incumbent, direct, implementations } = await handle.result();
    expect(implementations.filter(({ share }) => share > 0).length).toBeGreaterThan(1);
    const plan = readRoutedPlan(JSON.parse(await handle.plan()));
    const before = new Map(engine.calls);
    const run = await engine.start(complaintSql, complaints(20_000, rows), { strategy: { kind: 'routed', plan } });
    const result = await run.result();
    const found = (await run.rows()).map(({ id }) => Number(id));
    const right = found.filter(truth).length;
    const positives = Array.from({ length: rows }, (_, at) => 20_000 + at).filter(truth).length;
    const f1 = (2 * right) / (found.length + positives);
    expect(f1).toBeGreaterThanOrEqual(incumbent.interval.lower);
    expect(result.undecided).toBe(0);
    const asked = ['oracle', 'small'].map((model) => engine.calls.get(model)! - before.get(model)!);
    expect(result.spend.calls).toBe(asked[0]! + asked[1]!);
    expect(result.spend.cached).toBeGreaterThan(0);
    const whole = result.spend.usd + result.spend.savedUsd;
    expect(whole / rows).toBeLessThan((1.5 * incumbent.costUsd) / 50);
    expect(whole / rows).toBeLessThan((0.8 * direct.costUsd) / 50);
  });
});

describe('what goes wrong is told', () => {
  const failing = async (from: number, options: Options, rows?: number, sql?: string) => {
    const { handle, calls } = await search(from, options, rows, sql);
    const error = await handle.result().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return { error, asked: calls('oracle') + calls('small') };
  };

  test.each([
    ['budget of nothing', { budget: { usd: 0 } }, 'BudgetTooSmall', /does not reach for labels and the default model/],
    ['budget below trial 0', { budget: { calls: 49 } }, 'BudgetTooSmall', /budget of 49 calls .*about 50/],
    ['unknown teacher', { teacher: 'nobody' }, 'UnknownModel', /nobody/],
    ['unknown candidate', { candidates: ['small', 'nobody'] }, 'UnknownModel', /nobody/],
    ['too dear to start unasked', { confirmAboveUsd: 1e-6 }, 'NeedsConfirmation', /estimated at about/],
    ['no seconds', { budget: { seconds: 0 } }, 'BudgetExhausted', /stopped before the sample was labelled/],
  ] as const)('%s', async (_, options, code, message) => {
    const { error, asked } = await failing(4000, options);
    expect(error).toMatchObject({ code });
    expect(String(error)).toMatch(message);
    expect(asked).toBe(0);
  });

  test.each([
    ['two questions', `${complaintSql} AND AI_FILTER('Is it long? {text}')`, /asks 2 questions/],
    ['no question', 'SELECT id FROM t', /asks no model/],
    ['a struct', "SELECT AI_EXTRACT(text, {part: 'Which part?'}) AS p FROM t", /extract cannot be compared/],
    [
      'a join',
      "SELECT a.id FROM t a JOIN t b ON AI_FILTER('{a.text} as {b.text}')",
      /join or a nested query|several rows/,
    ],
  ])('%s', async (_, sql, message) => {
    const { error, asked } = await failing(4000, {}, 20, sql);
    expect(error).toMatchObject({ code: 'UnsupportedSql' });
    expect(String(error)).toMatch(message);
    expect(asked).toBe(0);
  });

  test('one row', async () => {
    const { error, asked } = await failing(4000, {}, 1);
    expect(error).toMatchObject({
      code: 'BadArgument',
      message: expect.stringContaining('has 1 distinct input:') as string,
    });
    expect(asked).toBe(0);
  });

  test('a teacher that fails on most inputs ends the search; on a few, they are left out', async () => {
    faults.broken = (item) => item % 5 !== 0;
    const most = await failing(5000, {});
    expect(String(most.error)).toMatch(
      /teacher oracle labelled \d+ of 50 inputs: contentFilter: the endpoint refused it/,
    );
    faults.broken = (item) => item % 5 === 0;
    const { handle } = await search(6000);
    const result = await handle.result();
    expect(result.labelled).toBeLessThan(50);
    expect(result.notes.join()).toMatch(/\d+ of 50 inputs have no label and were left out/);
    faults.broken = () => false;
  });

  test('every candidate failing, where rules cannot be learned either', async () => {
    const none = "SELECT id FROM t WHERE AI_FILTER('Is it a complaint? {text}') AND id % 5 = 4";
    const { error } = await failing(7000, { candidates: ['mute'] }, 300, none);
    expect(error).toMatchObject({ code: 'RunFailed' });
    expect(String(error)).toMatch(/nothing stands beside oracle \(mute: the key is not known\)/);
  });

  test('labels of one class', async () => {
    const none = "SELECT id FROM t WHERE AI_FILTER('Is it a complaint? {text}') AND id % 5 = 4";
    const { handle } = await search(8000, {}, 300, none);
    const result = await handle.result();
    expect(result.notes.join()).toMatch(/all 50 labels are false: they cannot tell good plans from bad/);
    expect(result.implementations.map(({ name }) => name)).toEqual(['small', 'liar', 'oracle']);
  });

  test('a budget that ends among the candidates leaves a plan of what was answered', async () => {
    const { handle } = await search(9000, { budget: { calls: 60 } });
    const result = await handle.result();
    expect(result.stop).toBe('budget-calls');
    expect(result.spend.calls).toBeLessThanOrEqual(60);
    expect(result.lost.map(({ name }) => name)).toEqual(['small', 'liar']);
    expect(result.implementations.map(({ name }) => name)).toEqual(['rules', 'oracle']);
    expect(result.trials).toBe(1);
    await recordHistory(engine.client, handle.id, undefined, 'optimize-budget');
  });
});
