import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Fermata } from '../../client/api.js';
import { loadSettings } from '../../workers/config/load.js';
import type { Settings } from '../../workers/config/settings.js';
import { status } from '../../workers/embedded/stack.js';
import { openProject, type Project, reviews } from '../support/project.js';

/** SIGKILL of each process of the stack at three moments of a run over real processes: nothing lost, next to nothing paid twice. */

const rows = 2_000;
const concurrency = 32;
const sql = "SELECT id FROM reviews WHERE AI_FILTER('Is this a bad review? {text}') ORDER BY id";
const expected = [...Array(rows).keys()].filter((id) => id % 3 === 0);

let project: Project;
let fermata: Fermata;
let settings: Settings;

beforeAll(async () => {
  project = await openProject({
    concurrency,
    endpoint: { latencyMs: 30, answer: ({ prompt }) => JSON.stringify({ answer: prompt.includes('bad film') }) },
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

const victims = ['inference', 'workflow', 'server'] as const;
const moments = [0.1, 0.5, 0.9] as const;

for (const victim of victims) {
  test(`SIGKILL of the ${victim} at three moments of a run`, { timeout: 240_000 }, async () => {
    const tables = { reviews: await project.write('reviews.csv', reviews(rows)) };
    for (const moment of moments) {
      const before = project.endpoint.counts.calls;
      const run = await fermata.sql(sql, { tables, cache: false });
      await untilCalls(before + moment * rows);
      process.kill(await pidOf(victim), 'SIGKILL');
      const ids = (await run.rows()).map((row) => Number(row['id']));
      expect(ids).toEqual(expected);
      const paid = project.endpoint.counts.calls - before;
      expect(paid).toBeGreaterThanOrEqual(rows);
      expect(paid).toBeLessThanOrEqual(rows + concurrency);
      expect((await run.result()).errors.count).toBe(0);
    }
  });
}
