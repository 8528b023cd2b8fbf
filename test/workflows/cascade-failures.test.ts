import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, startEngine } from '../support/engine.js';
import { askItems, cascade, csvOf, filter, knownModels, noFaults, truthOf } from '../support/known-truth.js';

/** What goes wrong in a cascade: calls that fail, budgets that end, people who wait. */

let engine: Engine;
const faults = noFaults();
beforeAll(async () => {
  engine = await startEngine(knownModels(faults));
}, 120_000);
afterAll(() => engine.close());

const ask = (sql: string, csv: string, options: Parameters<Engine['start']>[2] = {}) =>
  askItems(engine, sql, csv, options);

describe('failures', () => {
  test('rows that the oracle fails on, sampled or not, are row errors; the others keep the targets', async () => {
    faults.oracleFails = (item) => item % 10 === 3;
    const { ids, result, run } = await ask(filter, csvOf(40_000, 900), { strategy: cascade() });
    faults.oracleFails = () => false;
    const errors = await run.errors();
    expect(errors.length).toBeGreaterThan(10);
    expect(
      errors.every(
        ({ row, operator, code }) => (40_000 + row - 1) % 10 === 3 && operator === 'f0' && code === 'contentFilter',
      ),
    ).toBe(true);
    const [, sample, rest] = result.operators;
    expect(sample!.failed).toBeGreaterThan(0);
    expect(sample!.failed + rest!.failed).toBe(errors.length);
    expect(ids.filter((id) => errors.some(({ row }) => row - 1 + 40_000 === id))).toEqual([]);
  });

  test('rows that the proxy fails on go to the oracle, also with --on-error fail', async () => {
    faults.proxyFails = (item) => item % 7 === 0;
    const { result, ids, run } = await ask(filter, csvOf(50_000, 700), { strategy: cascade(), onError: 'fail' });
    faults.proxyFails = () => false;
    expect(await run.errors()).toEqual([]);
    expect(result.stop).toBe('complete');
    const failed = ids.filter((id) => id % 7 === 0);
    expect(failed).toEqual(
      Array.from({ length: 700 }, (_, at) => 50_000 + at).filter((id) => id % 7 === 0 && truthOf(id)),
    );
  });

  test.each([
    ['during the proxy', 200],
    ['during the sample', 450],
    ['during the rest', 612],
  ])('a budget that ends %s leaves the rest undecided, and a rerun goes on', async (_, calls) => {
    const csv = csvOf(60_000 + calls * 1000, 400);
    const stopped = await ask(filter, csv, { strategy: cascade(), budget: { calls } });
    expect(stopped.result.stop).toBe('budget-calls');
    expect(stopped.result.spend.calls).toBeLessThanOrEqual(calls);
    expect(stopped.result.undecided).toBeGreaterThan(0);
    const whole = await ask(filter, csv, { strategy: cascade() });
    expect(whole.result).toMatchObject({ stop: 'complete', undecided: 0 });
    expect(whole.result.spend.cached).toBe(stopped.result.spend.calls);
    expect(stopped.ids.every((id) => whole.ids.includes(id))).toBe(true);
  });

  test('pause reaches the step that is running; resume goes on', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let asked = 0;
    faults.onProxyCall = () => {
      asked += 1;
      return held;
    };
    const run = await engine.start(filter, csvOf(90_000, 500), { strategy: cascade() });
    while (asked === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await run.pause('lunch');
    faults.onProxyCall = () => undefined;
    release();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const paused = engine.calls.get('proxy') ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(engine.calls.get('proxy')).toBe(paused);
    expect((await run.status()).paused).toBe(true);
    await run.resume();
    expect(await run.result()).toMatchObject({ stop: 'complete', undecided: 0 });
  });
});
