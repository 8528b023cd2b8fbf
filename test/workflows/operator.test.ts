import { afterAll, beforeAll, expect, test } from 'vitest';
import { openOptimization } from '../../client/optimization-handle.js';
import { markPlan, planUses, savedPlan } from '../../client/saved-plans.js';
import { recordHistory } from '../replay/record.js';
import { complaintModels, complaints, complaintSql, type ComplaintFaults, truth } from '../support/complaints.js';
import { type Engine, startEngine } from '../support/engine.js';

/** How a call of a query is answered with `optimize`: directly, by a kept plan, or by one that is searched for first. */

const faults: ComplaintFaults = { broken: () => false, onCall: () => undefined };
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(complaintModels(faults));
}, 120_000);
afterAll(() => engine.close());

const weights = { quality: 1, latency: 0, cost: 0.3 };
const usual = { weights, candidates: ['small'], trials: 12, seed: 3, above: 100 };

async function ask(from: number, rows: number, options: Partial<typeof usual> = {}, more: object = {}) {
  const optimize = { ...usual, ...options };
  const run = await engine.start(complaintSql, complaints(from, rows), { optimize, ...more });
  const result = await run.result();
  const ids = (await run.rows()).map(({ id }) => Number(id));
  return { run, result, ids, notes: result.notes?.join('\n') ?? '' };
}

test('few inputs are answered directly, and it says so', async () => {
  const { result, ids, notes } = await ask(100_000, 100);
  expect(notes).toMatch(/filter "Is it a complaint\? \{0\}" is answered directly: 100 distinct inputs/);
  expect(ids).toEqual(Array.from({ length: 100 }, (_, at) => 100_000 + at).filter(truth));
  expect(result.operators).toHaveLength(1);
});

test('a search comes first, its plan answers all rows under one budget, and the next query takes the plan', async () => {
  const { run, result, notes, ids } = await ask(110_000, 400);
  expect(notes).toMatch(/is answered by the plan p-\w+ that a search over 50 labels \(12 tried\) found: utility/);
  expect(result).toMatchObject({ stop: 'complete', undecided: 0 });
  expect(ids.length).toBeGreaterThan(0);
  expect(result.operators.map(({ step }) => step)).toEqual(expect.arrayContaining(['labels', 'candidate']));
  expect(result.operators.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(result.spend.usd, 9);
  await recordHistory(engine.client, run.id, undefined, 'operator-query');
  await recordHistory(engine.client, `${run.id}/operator/f0/0`, undefined, 'operator-search');
  await recordHistory(engine.client, `${run.id}/optimize/f0`, undefined, 'optimize-within');
  const id = /p-[0-9a-f]{10}/.exec(notes)?.[0] ?? '';
  const again = await ask(120_000, 400);
  expect(again.notes).toContain(`is answered by the kept plan ${id}`);
  expect(again.result.operators.some(({ step }) => step === 'labels')).toBe(false);
  expect(await planUses(engine.store, id)).toMatchObject({ uses: 1 });
  const other = await ask(130_000, 400, { weights: { quality: 1, latency: 0, cost: 0.31 } });
  expect(other.notes).not.toContain('kept plan');
});

test('a plan is not taken for other data, and the search for the next one begins where the last one ended', async () => {
  const options = { ...usual, weights: { quality: 1, latency: 0, cost: 0.25 } };
  const first = await ask(200_000, 400, options);
  const id = /p-[0-9a-f]{10}/.exec(first.notes)?.[0] ?? '';
  expect(await savedPlan(engine.store, id)).toMatchObject({ profile: { inputs: 400, profiled: 256 } });
  const longer = complaints(210_000, 400).replace(
    /,"/g,
    ',"a very long letter about other things, und noch viel mehr: ',
  );
  const changed = await engine.start(complaintSql, longer, { optimize: options });
  const result = await changed.result();
  const notes = result.notes?.join('\n') ?? '';
  expect(notes).toMatch(/is answered by the plan p-\w+ that a search over 50 labels/);
  expect(notes).toMatch(new RegExp(`; ${id} was made for other data: .*\\(PSI [0-9.]+\\)`));
  const search = openOptimization(`${changed.id}/optimize/f0`, engine);
  const [, second] = await search.tried();
  const { settings = [] } = await savedPlan(engine.store, id);
  const { implementations } = await search.result();
  expect(second?.shares).toEqual(
    implementations.map(({ name }) => expect.closeTo(settings[0]?.shares[name] ?? 0, 1) as number),
  );
  await markPlan(engine.store, id, 'pinned');
  const pinned = await (await engine.start(complaintSql, longer, { optimize: options })).result();
  expect(pinned.notes?.join()).toMatch(
    new RegExp(`answered by the pinned plan ${id}, which \\S+ found on \\S+; ${id} was made for other data`),
  );
  await markPlan(engine.store, id, undefined);
});

test('a search that cannot pay for itself is left out; one that fails leaves the default model', async () => {
  const dear = await ask(140_000, 70, { candidates: ['small', 'liar', 'mute'], above: 60 });
  expect(dear.notes).toMatch(/is answered directly: a search would cost about \S+ USD and save about \S+ USD/);
  expect(dear.result.operators).toHaveLength(1);
  const poor = await ask(
    150_000,
    400,
    { seed: 9, weights: { quality: 1, latency: 0, cost: 0.2 } },
    { budget: { calls: 150 } },
  );
  expect(poor.notes).toMatch(/is answered directly: the search for a plan failed: the budget of \d+ calls/);
  expect(poor.result).toMatchObject({ stop: 'budget-calls' });
  expect(poor.result.spend.calls).toBeLessThanOrEqual(150);
});
