import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Run } from '../../client/api.js';
import { recordHistory } from '../replay/record.js';
import { type Engine, startEngine } from '../support/engine.js';

/** What becomes of calls in flight when a run is paused, given another budget or cancelled: none is lost or bought twice. */

let engine: Engine;
let asked: string[] = [];

beforeAll(async () => {
  engine = await startEngine({
    oracle: {
      limits: { concurrency: 4 },
      async answer(prompt) {
        asked.push(/row \d+/.exec(prompt)?.[0] ?? prompt);
        await sleep(400);
        return { text: '{"answer": true}' };
      },
    },
  });
});
afterAll(() => engine.close());

const sql = "SELECT id FROM t WHERE AI_FILTER('good? {text}')";
/** Two partitions of 20, of which each begins with four calls at a time. */
const rows = (tag: string) =>
  `id,text\n${Array.from({ length: 40 }, (_, id) => `${id},${tag} row ${id}`).join('\n')}\n`;

async function start(tag: string) {
  asked = [];
  const run = await engine.start(sql, rows(tag));
  await expect.poll(() => asked.length, { timeout: 20_000 }).toBeGreaterThan(4);
  return run;
}

/** The history of the workflow that asks, for the replay tests. */
const record = (run: Run, name: string) => recordHistory(engine.client, `${run.id}/apply/f0/0`, undefined, name);

test.each([
  [
    'paused and resumed',
    async (run: Run) => {
      await run.pause('lunch');
      await run.resume();
    },
  ],
  [
    'given another budget',
    async (run: Run) => {
      await run.setBudget({ calls: 1000 });
    },
  ],
])('a run that is %s asks nothing twice', async (what, change) => {
  const run = await start(what);
  await change(run);
  expect(await run.rows()).toHaveLength(40);
  await record(run, what.startsWith('paused') ? 'in-flight-paused' : 'in-flight-budget');
  expect(asked.length).toBe(40);
  expect((await run.result()).spend).toMatchObject({ calls: 40, retries: 0 });
});

test('a run that is cancelled gives every row whose call was made', async () => {
  const run = await start('cancelled');
  await run.cancel();
  const { stop, undecided, spend } = await run.result();
  await record(run, 'in-flight-cancelled');
  expect(stop).toBe('cancelled');
  expect(asked.length).toBeGreaterThan(4);
  expect(asked.length).toBeLessThan(40);
  expect(spend.calls).toBe(asked.length);
  expect(await run.rows()).toHaveLength(asked.length);
  expect(undecided).toBe(40 - asked.length);
});
