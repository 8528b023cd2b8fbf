import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Fermata } from '../../client/api.js';
import type { SemanticCall } from '../../plans/operators/call.js';
import type { RoutedImplementation } from '../../plans/physical/routed/plan.js';
import { loadSettings } from '../../workers/config/load.js';
import type { Settings } from '../../workers/config/settings.js';
import { status } from '../../workers/embedded/stack.js';
import { openProject, type Project, reviews } from '../support/project.js';
import { call } from '../support/relations.js';
import { byModel, routedPlan } from '../support/routed.js';

/** SIGKILL of the processes that a routed run is worked on by, code in the sandbox included: the same answers, next to nothing paid twice. */

const rows = 1_200;
const concurrency = 16;
const sql = "SELECT id FROM reviews WHERE AI_FILTER('Is this a bad review? {text}') ORDER BY id";
const expected = [...Array(rows).keys()].filter((id) => id % 3 === 0);
const asked: SemanticCall = { ...call('f0', ['text']), template: 'Is this a bad review? {0}' };
/** Right about what it answers; it throws on some rows, and cannot tell others. */
const code: RoutedImplementation = {
  ...{ family: 'symbolic', name: 'code', usd: 0, seconds: 0 },
  code: `(row) => {
    const n = Number(/review (\\d+)/.exec(row.input0)[1]);
    if (n % 10 === 3) throw new Error('not this one');
    return n % 10 < 7 ? { answer: /bad film/.test(row.input0), confidence: 0.9 } : null;
  }`,
};
const plan = routedPlan(asked, [code, byModel('mini'), byModel('fake')], { safety: { model: 'fake' } });

let project: Project;
let fermata: Fermata;
let settings: Settings;
beforeAll(async () => {
  project = await openProject({
    concurrency,
    endpoint: { latencyMs: 30, answer: ({ prompt }) => JSON.stringify({ answer: prompt.includes('bad film') }) },
    others: { mini: { model: 'fake-mini' } },
  });
  ({ settings } = await loadSettings({ cwd: project.dir, env: project.env }));
  fermata = await project.connect();
});
afterAll(async () => {
  await fermata.close();
  await project.close();
});

async function pidOf(name: string): Promise<number> {
  const found = await status(settings);
  const pid =
    found.state === 'ready' || found.state === 'starting'
      ? found.processes.find((one) => one.name === name)?.pid
      : undefined;
  if (pid === undefined) throw new Error(`no ${name} in ${JSON.stringify(found)}`);
  return pid;
}

async function untilCalls(count: number): Promise<void> {
  for (const deadline = Date.now() + 60_000; project.endpoint.counts.calls < count; ) {
    if (Date.now() > deadline) throw new Error(`the run never reached ${count} calls`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Two thirds of the inputs are the models'; of the code's third, three in ten are handed on and one in ten is in safe mode. */
const leastCalls = Math.floor((2 / 3) * rows);

for (const victim of ['inference', 'cpu'] as const) {
  test(`SIGKILL of the ${victim} worker at two moments of a routed run`, { timeout: 240_000 }, async () => {
    const tables = { reviews: await project.write('reviews.csv', reviews(rows)) };
    for (const moment of [0, 0.5]) {
      const before = project.endpoint.counts.calls;
      const run = await fermata.sql(sql, { tables, cache: false, strategy: { kind: 'routed', plan } });
      await untilCalls(before + moment * leastCalls + (moment === 0 ? 0 : 1));
      process.kill(await pidOf(victim), 'SIGKILL');
      const ids = (await run.rows()).map((row) => Number(row['id']));
      const result = await run.result();
      expect(ids).toEqual(expected);
      expect([result.errors.count, result.undecided]).toEqual([0, 0]);
      const safe = result.operators.find(({ step }) => step === 'safe');
      expect(safe?.inputs).toBeGreaterThan(0);
      const wanted = result.operators
        .filter(({ step }) => step !== 'code')
        .reduce((sum, { inputs }) => sum + inputs, 0);
      const paid = project.endpoint.counts.calls - before;
      expect(paid).toBeGreaterThanOrEqual(wanted);
      expect(paid).toBeLessThanOrEqual(wanted + 2 * concurrency);
    }
  });
}
