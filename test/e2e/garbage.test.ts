import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Fermata } from '../../client/api.js';
import type { FaultKind, FaultRule } from '../support/endpoint.js';
import { openProject, type Project, reviews } from '../support/project.js';

/** Garbage instead of answers loses no true row, and is bounded. */

const rows = 60;
const sql = "SELECT id FROM reviews WHERE AI_FILTER('Is this a bad review? {text}') ORDER BY id";
const expected = [...Array(rows).keys()].filter((id) => id % 3 === 0);
let project: Project;
let fermata: Fermata;

beforeAll(async () => {
  project = await openProject({
    // In a repair the review is in an earlier message than the last.
    endpoint: { answer: ({ body }) => JSON.stringify({ answer: JSON.stringify(body).includes('bad film') }) },
  });
  fermata = await project.connect();
});
afterAll(async () => {
  await fermata.close();
  await project.close();
});

async function ask(tag: string, faults: (from: number) => readonly FaultRule[]) {
  const tables = { reviews: await project.write(`${tag}.csv`, reviews(rows, { tag })) };
  const before = project.endpoint.counts.calls;
  project.endpoint.setFaults(faults(before));
  const run = await fermata.sql(sql, { tables });
  const found = (await run.rows()).map(({ id }) => Number(id));
  return { found, result: await run.result(), calls: project.endpoint.counts.calls - before };
}

/** The calls `from + 1` to `from + count`. */
const burst = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + 1 + at);

test.each<FaultKind>(['garbage', 'html', 'emptyBody', 'badJson'])('every tenth call: %s', async (kind) => {
  const { found, result, calls } = await ask(`tenth-${kind}`, () => [{ kind, every: 10 }]);
  expect(found).toEqual(expected);
  expect(result.errors.count).toBe(0);
  expect(calls).toBeLessThanOrEqual(rows * 1.25);
});

test('an endpoint that gives nothing but garbage for a while, repairs included', async () => {
  const { found, result, calls } = await ask('burst', (from) => [{ kind: 'garbage', calls: burst(from, 2 * rows) }]);
  expect(found).toEqual(expected);
  expect(result.errors.count).toBe(0);
  expect(calls).toBe(3 * rows);
});

test('an endpoint that gives nothing but garbage: each row fails after four calls', async () => {
  const { found, result, calls } = await ask('always', () => [{ kind: 'garbage' }]);
  expect(found).toEqual([]);
  expect(result.errors.count).toBe(rows);
  expect(calls).toBe(4 * rows);
});
