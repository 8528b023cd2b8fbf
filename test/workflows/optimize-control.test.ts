import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Optimization } from '../../client/api.js';
import type { SearchStatus } from '../../plans/protocol/search.js';
import { recordHistory } from '../replay/record.js';
import { complaintModels, complaints, complaintSql, type ComplaintFaults } from '../support/complaints.js';
import { type Engine, startEngine } from '../support/engine.js';

/** What a search lets itself be told while it goes on. */

const faults: ComplaintFaults = { broken: () => false, onCall: () => undefined };
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(complaintModels(faults));
}, 120_000);
afterAll(() => engine.close());

/** Calls of a model wait until they are let go. */
function gate(model: string) {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let arrived: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => (arrived = resolve));
  faults.onCall = (name) => {
    if (name !== model) return undefined;
    arrived();
    return opened;
  };
  return { open, waiting };
}

async function until(search: Optimization, holds: (status: SearchStatus) => boolean): Promise<SearchStatus> {
  for (const deadline = Date.now() + 60_000; ; ) {
    const status = await search.status();
    if (holds(status)) return status;
    if (Date.now() > deadline) throw new Error(`never so: ${JSON.stringify(status)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const start = (from: number, trials: number) =>
  engine.optimize(complaintSql, complaints(from, 200), { candidates: ['small', 'liar'], trials });

test('before trial 0 there is nothing to accept, and a cancelled search has no plan', async () => {
  const { open, waiting } = gate('oracle');
  const search = await start(0, 10);
  await waiting;
  await expect(search.accept()).rejects.toThrow(/there is no plan yet/);
  expect((await search.status()).incumbent).toBeUndefined();
  const cancelling = search.cancel();
  await cancelling;
  open();
  await expect(search.result()).rejects.toMatchObject({
    code: 'RunCancelled',
    message: expect.stringContaining('before the sample was labelled') as string,
  });
  await recordHistory(engine.client, search.id, undefined, 'optimize-cancelled');
});

test('accepted while candidates are asked, it ends with what has answered: trial 0 and a plan', async () => {
  const { open, waiting } = gate('small');
  const search = await start(1000, 10);
  await waiting;
  await search.accept();
  open();
  const result = await search.result();
  expect(result).toMatchObject({ stop: 'accepted', trials: 1, incumbent: { trial: 0 } });
  expect(result.lost.map(({ name }) => name)).toEqual(['small', 'liar']);
  // The default model alone is no plan to keep.
  expect(result.saved).toBeUndefined();
  expect(JSON.parse(await search.plan())).toMatchObject({ implementations: [{ name: 'oracle' }] });
  await recordHistory(engine.client, search.id, undefined, 'optimize-accepted');
});

test('accepted in the midst of trials, it ends with the best so far', async () => {
  faults.onCall = () => undefined;
  const search = await start(2000, 2000);
  const { incumbent } = await until(search, ({ trials }) => trials >= 3);
  await search.accept();
  const result = await search.result();
  expect(result.stop).toBe('accepted');
  expect(result.trials).toBeLessThan(2000);
  expect(result.incumbent.utility).toBeGreaterThanOrEqual(incumbent!.utility);
  await expect(search.accept()).rejects.toMatchObject({ code: 'RunNotFound' });
});

test('paused it asks nobody and tries nothing; a limit that is set holds; resumed it ends as it would have', async () => {
  const { open, waiting } = gate('small');
  const search = await start(3000, 8);
  await waiting;
  await search.pause('lunch');
  open();
  const paused = await until(search, ({ phase }) => phase === 'paused');
  expect(paused).toMatchObject({ waiting: 'lunch', trials: 0 });
  const asked = engine.calls.get('liar') ?? 0;
  await expect(search.setBudget({ usd: -1 })).rejects.toThrow(/0 or more/);
  await search.setBudget({ usd: 3 });
  expect((await search.status()).budget).toEqual({ usd: 3 });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(engine.calls.get('liar') ?? 0).toBe(asked);
  expect((await search.status()).trials).toBe(0);
  await search.resume();
  expect(await search.result()).toMatchObject({ stop: 'complete', trials: 8, lost: [] });
  await recordHistory(engine.client, search.id, undefined, 'optimize-paused');
});

test('cancelled in the midst of trials it keeps the best plan, and so does a search whose seconds are over', async () => {
  faults.onCall = () => undefined;
  const search = await start(4000, 2000);
  await until(search, ({ trials }) => trials >= 2);
  await search.cancel();
  const cancelled = await search.result();
  expect(cancelled).toMatchObject({ stop: 'cancelled', labelled: 50 });
  expect(cancelled.saved).toBeUndefined();
  const timed = await start(5000, 2000);
  await until(timed, ({ trials }) => trials >= 2);
  await timed.setBudget({ seconds: 0.5 });
  expect(await timed.result()).toMatchObject({ stop: 'budget-seconds', labelled: 50 });
});
