import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, startEngine } from '../support/engine.js';
import { askRows, csvOf, idsOf, joining, longRows, noGroupFaults, numbersIn } from '../support/groups.js';

/** What goes wrong in aggregates: questions that fail, budgets that end, people who wait. */

let engine: Engine;
const faults = noGroupFaults();
beforeAll(async () => {
  engine = await startEngine({
    oracle: joining(faults),
    tiny: { ...joining(faults), contextTokens: 3_000 },
  });
}, 120_000);
afterAll(() => engine.close());

const ask = (sql: string, csv: string, options: Parameters<Engine['start']>[2] = {}) =>
  askRows(engine, sql, csv, options);

describe('failures', () => {
  const sql = "SELECT g, AI_AGG(text, 'join', {model: 'tiny'}) AS j, count(*) AS n FROM t GROUP BY g ORDER BY g";

  test.each(['null', 'skip'] as const)(
    'a group of which a question fails is one error; --on-error %s',
    async (onError) => {
      const rows = longRows(onError === 'null' ? 3000 : 3500, 200);
      faults.refuses = (items) => items.some((item) => item.startsWith(`#${rows[100]![0]} `));
      const { rows: got, run, result } = await ask(sql, csvOf(rows), { onError });
      faults.refuses = () => false;
      const whole = { g: 'b', j: expect.anything() as unknown, n: 100n };
      expect(got).toEqual(onError === 'null' ? [{ g: 'a', j: null, n: 100n }, whole] : [whole]);
      expect(await run.errors()).toMatchObject([{ row: 1, operator: 'a0', code: 'contentFilter' }]);
      expect(result.errors).toMatchObject({ count: 1, ratio: 0.5 });
    },
  );

  test('--on-error fail ends the run', async () => {
    faults.refuses = (items) => items.some((item) => item.startsWith('#3801 '));
    await expect(ask(sql, csvOf(longRows(3800, 10)), { onError: 'fail' })).rejects.toMatchObject({ code: 'RowErrors' });
    faults.refuses = () => false;
  });

  test.each([2, 8])('a budget of %i calls leaves groups undecided; a rerun pays for the rest alone', async (calls) => {
    const rows = longRows(4000 + 1000 * calls, 300);
    const stopped = await ask(sql, csvOf(rows), { budget: { calls } });
    expect(stopped.result.stop).toBe('budget-calls');
    expect(stopped.result.spend.calls).toBeLessThanOrEqual(calls);
    expect(stopped.result.undecided).toBeGreaterThan(0);
    expect(stopped.rows.length).toBeLessThan(2);
    const whole = await ask(sql, csvOf(rows));
    expect(whole.rows.map(({ j }) => numbersIn(String(j)))).toEqual([idsOf(rows, 'a'), idsOf(rows, 'b')]);
    const fresh = await ask(sql, csvOf(rows), { cache: false });
    expect(whole.result.spend.calls + stopped.result.spend.calls).toBe(fresh.result.spend.calls);
  });

  test('pause holds the next round; resume goes on', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let asked = 0;
    faults.onCall = () => {
      asked += 1;
      return held;
    };
    const run = await engine.start(sql, csvOf(longRows(20_000, 300)));
    while (asked === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await run.pause('lunch');
    faults.onCall = () => undefined;
    release();
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect((await run.status()).paused).toBe(true);
    await run.resume();
    expect(await run.result()).toMatchObject({ stop: 'complete', undecided: 0 });
  });
});
