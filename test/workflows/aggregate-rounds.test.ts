import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordHistory } from '../replay/record.js';
import { type Engine, startEngine } from '../support/engine.js';
import {
  askRows,
  counting,
  csvOf,
  idsOf,
  joining,
  longRows,
  noGroupFaults,
  numbersIn,
  type Row,
} from '../support/groups.js';

/** Aggregates over groups that take several rounds of questions. */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine({
    oracle: joining(noGroupFaults()),
    counting,
    tiny: { ...joining(noGroupFaults()), contextTokens: 3_000 },
    sums: { ...counting, contextTokens: 3_000 },
  });
}, 120_000);
afterAll(() => engine.close());

const ask = (sql: string, csv: string, options: Parameters<Engine['start']>[2] = {}) =>
  askRows(engine, sql, csv, options);

describe('groups that do not fit at once', () => {
  test.each(['tree', 'fold'] as const)('%s keeps every item and their order; a rerun pays nothing', async (kind) => {
    const rows = longRows(kind === 'tree' ? 1000 : 2000, 300);
    const sql = "SELECT g, AI_AGG(text, 'join', {model: 'tiny'}) AS j FROM t GROUP BY ALL ORDER BY g";
    const first = await ask(sql, csvOf(rows), { strategy: { kind } });
    expect(first.rows.map(({ j }) => numbersIn(String(j)))).toEqual([idsOf(rows, 'a'), idsOf(rows, 'b')]);
    expect(first.calls('tiny')).toBeGreaterThan(6);
    expect(first.result).toMatchObject({ stop: 'complete', undecided: 0 });
    const again = await ask(sql, csvOf(rows), { strategy: { kind } });
    expect(again.rows).toEqual(first.rows);
    expect(again.result.spend).toMatchObject({ calls: 0, usd: 0 });
    if (kind !== 'tree') return;
    await recordHistory(engine.client, `${first.run.id}/rounds/a0/1`, undefined, 'rounds-complete');
    await recordHistory(engine.client, first.run.id, undefined, 'rounds-query');
  });

  test('one item that is larger than the context is taken in pieces', async () => {
    const text = Array.from({ length: 900 }, (_, at) => `#${at}`).join(' ');
    const { rows, calls } = await ask(
      "SELECT AI_AGG(text, 'count', {model: 'sums'}) AS j FROM t",
      csvOf([[1, 'a', text]]),
    );
    expect(rows).toEqual([{ j: `n=900 sum=${(899 * 900) / 2}` }]);
    expect(calls('sums')).toBeGreaterThan(2);
  });

  test('a group of 100,000 beside a group of one', async () => {
    const rows: Row[] = Array.from({ length: 100_000 }, (_, at) => [at, 'big', `#${at}`]);
    rows.splice(500, 0, [0, 'one', '#7']);
    const sql = "SELECT g, AI_AGG(text, 'count', {model: 'counting'}) AS j FROM t GROUP BY g ORDER BY g";
    const { rows: got, calls } = await ask(sql, csvOf(rows));
    expect(got).toEqual([
      { g: 'big', j: `n=100000 sum=${(99_999 * 100_000) / 2}` },
      { g: 'one', j: 'n=1 sum=7' },
    ]);
    expect(calls('counting')).toBeLessThan(1000);
  }, 60_000);
});
