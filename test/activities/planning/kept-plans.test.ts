import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findKept, keepPlan } from '../../../activities/planning/kept-plans.js';
import { markPlan } from '../../../client/saved-plans.js';
import type { SavedPlan } from '../../../plans/protocol/saved-plan.js';
import { LocalObjectStore } from '../../../workers/runtime/objects/local.js';

const conditions = {
  weights: { quality: 1, latency: 0, cost: 1 },
  teacher: 'large',
  direct: 'large',
  backends: { large: 'large' },
};
const measured = {
  ...{ trial: 1, utility: 1, quality: 1, latencySeconds: 1, costUsd: 1 },
  interval: { lower: 0, upper: 1 },
};
const plan = (number: number, savedAt: number, more: Partial<SavedPlan> = {}): SavedPlan => ({
  ...{ v: 1, id: `p-000000000${number}`, runId: 'o-1', savedAt, metric: 'f1', labelled: 50 },
  ...{ direct: measured, measured, conditions },
  plan: {
    version: 1,
    signature: 'q',
    implementations: [{ family: 'general', name: 'large', model: 'large', usd: 1, seconds: 1 }],
    router: { scorer: { form: 'linear', bias: 0.5, terms: [] }, logits: [0] },
    thresholds: [0],
    safety: { model: 'large', margin: 0, share: 0.5 },
  },
  ...more,
});

let dir: string;
let store: LocalObjectStore;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fermata-kept-'));
  store = new LocalObjectStore({ kind: 'local', dir });
  for (const at of [1, 2, 3]) await keepPlan(store, plan(at, 1_000 * at));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const found = async (now = conditions) => findKept(store, 'q', now);

test('the latest plan is taken, then the one before it once it is rolled back, until a search finds it again', async () => {
  expect((await found()).plan?.id).toBe('p-0000000003');
  await markPlan(store, 'p-0000000003', 'retired');
  expect((await found()).plan?.id).toBe('p-0000000002');
  await keepPlan(store, plan(3, 4_000));
  expect((await found()).plan?.id).toBe('p-0000000003');
});

test('a pinned plan is taken whatever is newer and whatever has changed, the one pinned last first', async () => {
  await markPlan(store, 'p-0000000001', 'pinned', 10);
  expect(await found()).toMatchObject({ plan: { id: 'p-0000000001' }, pinned: {} });
  await markPlan(store, 'p-0000000002', 'pinned', 20);
  await keepPlan(store, plan(2, 2_000));
  expect(await found({ ...conditions, teacher: 'huge' })).toMatchObject({
    plan: { id: 'p-0000000002' },
    pinned: { changed: 'its labels are those of large' },
  });
});

test('other conditions take none, but begin where the latest search ended', async () => {
  const settings = [{ shares: { large: 1 }, thresholds: { large: 0 } }];
  await keepPlan(store, plan(4, 500, { settings }));
  const { plan: taken, missed, settings: begun } = await found({ ...conditions, direct: 'huge' });
  expect([taken, missed, begun]).toEqual([
    undefined,
    'p-0000000003 does not count: it was compared with large',
    settings,
  ]);
});
