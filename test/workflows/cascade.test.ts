import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordHistory } from '../replay/record.js';
import { type Engine, startEngine } from '../support/engine.js';
import { askItems, cascade, csvOf, filter, knownModels, noFaults, quality } from '../support/known-truth.js';

/** Cascades through real workflows, activities, store and ledger, with models that answer from a known truth. */

let engine: Engine;
const faults = noFaults();
beforeAll(async () => {
  engine = await startEngine(knownModels(faults));
}, 120_000);
afterAll(() => engine.close());

const ask = (sql: string, csv: string, options: Parameters<Engine['start']>[2] = {}) =>
  askItems(engine, sql, csv, options);

/** Bytes of the wave's objects, by name. */
async function waveObjects(runId: string): Promise<Map<string, string>> {
  const objects = new Map<string, string>();
  for await (const name of engine.store.listNamed(`runs/${runId}/w0/`)) {
    objects.set(name, Buffer.from((await engine.store.getNamed(name))!).toString('base64'));
  }
  return objects;
}

describe('a cascade', () => {
  test('meets its targets with a part of the calls; a rerun is free; each step again writes the same', async () => {
    const rows = 2000;
    const csv = csvOf(0, rows);
    const first = await ask(filter, csv, { strategy: cascade() });
    const { recall, precision } = quality(first.ids, 0, rows);
    expect(recall).toBeGreaterThanOrEqual(0.9);
    expect(precision).toBeGreaterThanOrEqual(0.9);
    expect(first.calls('proxy')).toBe(rows);
    expect(first.calls('oracle')).toBeLessThan(0.5 * rows);
    expect(first.result.stop).toBe('complete');
    expect(first.result.undecided).toBe(0);

    const steps = first.result.operators;
    expect(steps.map(({ id, model, step }) => [id, model, step])).toEqual([
      ['f0.proxy', 'proxy', 'proxy'],
      ['f0.sample', 'oracle', 'sample'],
      ['f0.rest', 'oracle', 'rest'],
    ]);
    expect(steps.reduce((sum, { share = 0 }) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(steps[1]!.calls + steps[2]!.calls).toBe(first.calls('oracle'));
    expect(first.result.notes?.join()).toMatch(
      /proxy decided [\d.]+ %, the oracle was asked [\d,]+ of 2,000, recall ≥ 0.9 and precision ≥ 0.9 at 95 % confidence/,
    );

    const again = await ask(filter, csv, { strategy: cascade() });
    expect(again.ids).toEqual(first.ids);
    expect(again.result.spend).toMatchObject({ calls: 0, usd: 0 });

    const { id } = first.run;
    await recordHistory(engine.client, id, undefined, 'cascade-query');
    await recordHistory(engine.client, `${id}/cascade/f0/0`, undefined, 'cascade-complete');
    const before = await waveObjects(id);
    const plan = await planOf(id);
    const at = { runId: id, plan, call: 'f0', wave: 0 };
    const sample = await engine.activities.sampleCascade(at);
    const rest = await engine.activities.learnCascade(at);
    await engine.activities.mergeCascade({ ...at, sample: sample.partitions, rest: rest.partitions });
    expect(await waveObjects(id)).toEqual(before);
    expect([...before.keys()].some((name) => name.endsWith('f0.rest/in/0.arrow'))).toBe(true);
  });

  test('one target leaves the other side to the oracle', async () => {
    const recalled = await ask(filter, csvOf(5000, 800), { strategy: cascade({ recall: 0.9 }) });
    expect(quality(recalled.ids, 5000, 800)).toMatchObject({ precision: 1 });
    expect(quality(recalled.ids, 5000, 800).recall).toBeGreaterThanOrEqual(0.9);
    expect(recalled.calls('oracle')).toBeLessThan(0.9 * 800);
  });

  test('a proxy that does not say how sure it is may still decide', async () => {
    const { ids, calls, result } = await ask(filter, csvOf(100_000, 2000), { strategy: cascade(undefined, 'blunt') });
    const { recall, precision } = quality(ids, 100_000, 2000);
    expect(recall).toBeGreaterThanOrEqual(0.9);
    expect(precision).toBeGreaterThanOrEqual(0.9);
    expect(calls('oracle')).toBeLessThan(0.5 * 2000);
    expect(result.notes?.join()).toContain('blunt decided');
  });

  test('targets hold with a proxy that knows nothing, at the price of asking about nearly all', async () => {
    const { ids, calls } = await ask(filter, csvOf(33_000, 600), { strategy: cascade(undefined, 'coin') });
    const { recall, precision } = quality(ids, 33_000, 600);
    expect(recall).toBeGreaterThanOrEqual(0.9);
    expect(precision).toBeGreaterThanOrEqual(0.9);
    expect(calls('oracle')).toBeLessThanOrEqual(600);
  });

  test('works for a filter as a value, and for several filters', async () => {
    const sql =
      "SELECT id, AI_FILTER('Is it so? {text}') AS so FROM t WHERE AI_FILTER('Is it truly so? {text}') ORDER BY id";
    const { ids, result, run } = await ask(sql, csvOf(20_000, 500), { strategy: cascade() });
    expect(quality(ids, 20_000, 500).recall).toBeGreaterThanOrEqual(0.8);
    expect((await run.rows()).every((row) => typeof row['so'] === 'boolean')).toBe(true);
    expect(result.operators.map(({ id }) => id)).toEqual(
      ['f0', 'c0'].flatMap((id) => ['proxy', 'sample', 'rest'].map((step) => `${id}.${step}`)),
    );
  });

  test('LIMIT runs it over the whole wave', async () => {
    const { ids, result } = await ask(`${filter} LIMIT 5`, csvOf(25_000, 600), { strategy: cascade() });
    expect(ids).toHaveLength(5);
    expect(result.stop).toBe('complete');
  });
});

/** Hash of the plan, as the workflow was told. */
async function planOf(runId: string): Promise<string> {
  const { events } = await engine.client.workflow.getHandle(`${runId}/cascade/f0/0`).fetchHistory();
  const data = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
  return (JSON.parse(Buffer.from(data!).toString()) as { plan: string }).plan;
}
