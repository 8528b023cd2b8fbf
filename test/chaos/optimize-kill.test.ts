import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Fermata, Optimization } from '../../client/api.js';
import { loadSettings } from '../../workers/config/load.js';
import type { Settings } from '../../workers/config/settings.js';
import { status } from '../../workers/embedded/stack.js';
import { openObjectStore } from '../../workers/runtime/objects/open.js';
import { mulberry32 } from '../../plans/tuning/numeric/random.js';
import type { SearchResult } from '../../plans/protocol/search.js';
import type { ChatCall } from '../support/endpoint.js';
import { traceOf } from '../support/complaints.js';
import { openProject, type Project, reviews } from '../support/project.js';

/** SIGKILL of each process of the stack in the midst of a search: the same trace, the same plan, next to nothing paid twice. */

const sample = 60;
const trials = 30;
const concurrency = 8;
const weights = { quality: 1, latency: 0, cost: 0.3 };
const processes = ['inference', 'workflow', 'server', 'cpu'] as const;
const sql = "SELECT id FROM reviews WHERE AI_FILTER('Is this a bad review? {text}')";

let project: Project;
let fermata: Fermata;
let settings: Settings;
let undisturbed: Outcome;

/** The small model is wrong about reviews that end in 1 or 4, and what it says of others is right. */
function answer({ prompt, body }: ChatCall): string {
  const wrong = body['model'] === 'fake-mini' && /review \d*[14]:/.test(prompt);
  return JSON.stringify({ answer: prompt.includes('bad film') !== wrong });
}

beforeAll(async () => {
  const mini = { model: 'fake-mini', price: { inputPerMTok: 0.1, outputPerMTok: 0.1 } };
  project = await openProject({ concurrency, endpoint: { latencyMs: 40, answer }, others: { mini } });
  await project.write('reviews.csv', reviews(300));
  ({ settings } = await loadSettings({ cwd: project.dir, env: project.env }));
  fermata = await project.connect();
  undisturbed = await outcomeOf(await start());
  expect(undisturbed.paid).toBe(2 * sample);
}, 120_000);
afterAll(async () => {
  await fermata.close();
  await project.close();
});

let before = 0;

/** Pays for everything itself; seconds are left out, since no two searches share them. */
function start(): Promise<Optimization> {
  before = project.endpoint.counts.calls;
  return fermata.optimize(sql, {
    tables: { reviews: 'reviews.csv' },
    candidates: ['mini'],
    weights,
    cache: false,
    sample,
    trials,
  });
}

interface Outcome {
  readonly trace: readonly unknown[];
  readonly incumbent: Pick<SearchResult['incumbent'], 'trial' | 'utility' | 'quality' | 'costUsd' | 'interval'>;
  readonly paid: number;
}

async function outcomeOf(search: Optimization): Promise<Outcome> {
  const { history, incumbent } = await search.result();
  const trace = await traceOf({ store: await openObjectStore(settings.store) }, history);
  const { trial, utility, quality, costUsd, interval } = incumbent;
  return {
    trace,
    incumbent: { trial, utility, quality, costUsd, interval },
    paid: project.endpoint.counts.calls - before,
  };
}

async function pidOf(name: string): Promise<number | undefined> {
  const found = await status(settings);
  const known = found.state === 'ready' || found.state === 'starting' ? found.processes : [];
  return known.find((one) => one.name === name)?.pid;
}

async function kill(name: string): Promise<void> {
  let pid: number | undefined;
  // One that has been killed before may not be back yet.
  await until(`started ${name}`, async () => (pid = await pidOf(name)) !== undefined);
  process.kill(pid!, 'SIGKILL');
}

async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = Date.now() + 120_000; !(await holds()); ) {
    if (Date.now() > deadline) throw new Error(`never ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const calls = (count: number) => () => project.endpoint.counts.calls - before >= count;
const tried = (count: number) => async (search: Optimization) => (await search.status()).trials >= count;
const triedAt = (count: number) => (search: Optimization) => tried(count)(search).catch(() => false);

test.each([
  ['inference', 'labels', calls(20)],
  ['server', 'trials', tried(20)],
] as const)('SIGKILL of the %s in the midst of %s', { timeout: 240_000 }, async (victim, _, moment) => {
  const search = await start();
  await until('got so far', () => moment(search));
  await kill(victim);
  const { paid, ...found } = await outcomeOf(search);
  const { paid: least, ...expected } = undisturbed;
  expect(found).toEqual(expected);
  expect(found.trace).toHaveLength(trials);
  expect(paid).toBeGreaterThanOrEqual(least);
  expect(paid).toBeLessThanOrEqual(least + concurrency);
});

test('SIGKILL at ten random moments of one search', { timeout: 240_000 }, async () => {
  const random = mulberry32(5);
  const times = (count: number, most: number) =>
    Array.from({ length: count }, () => 1 + Math.floor(random.uniform() * most)).sort((a, b) => a - b);
  const moments = [...times(5, 2 * sample - 1).map(calls), ...times(5, trials - 1).map(triedAt)];
  const search = await start();
  for (const [at, moment] of moments.entries()) {
    await until('got so far', () => moment(search));
    await kill(processes[at % processes.length]!);
  }
  const { paid, ...found } = await outcomeOf(search);
  const { paid: least, ...expected } = undisturbed;
  expect(found).toEqual(expected);
  expect(paid).toBeGreaterThanOrEqual(least);
  // Of the five during which models are asked, those of `inference` and `server`.
  expect(paid).toBeLessThanOrEqual(least + 3 * concurrency);
});

test('SIGKILL in the midst of a search within a query', { timeout: 240_000 }, async () => {
  const ask = async (question: string, disturb: () => Promise<void>) => {
    before = project.endpoint.counts.calls;
    const run = await fermata.sql(`SELECT id FROM reviews WHERE AI_FILTER('${question} {text}') ORDER BY id`, {
      ...{ tables: { reviews: 'reviews.csv' }, cache: false },
      optimize: { weights, candidates: ['mini'], sample, trials, above: 100 },
    });
    await disturb();
    const { notes = [], stop } = await run.result();
    const why = notes.find((note) => note.includes('is answered'))?.replaceAll(/p-\w+|filter ".*?"/g, '');
    return { rows: await run.rows(), why, stop, paid: project.endpoint.counts.calls - before };
  };
  const { paid: least, ...expected } = await ask('Is it a bad review?', () => Promise.resolve());
  expect(expected.why).toMatch(/by the plan .* that a search over 60 labels \(30 tried\) found/);
  const { paid, ...found } = await ask('Is that a bad review?', async () => {
    for (const [victim, moment] of [
      ['inference', calls(30)],
      ['workflow', calls(90)],
      ['cpu', calls(2 * sample)],
    ] as const) {
      await until('got so far', moment);
      await kill(victim);
    }
  });
  expect(found).toEqual(expected);
  expect(paid).toBeGreaterThanOrEqual(least);
  expect(paid).toBeLessThanOrEqual(least + concurrency);
});
