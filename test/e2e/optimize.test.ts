import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SearchResult } from '../../plans/protocol/search.js';
import type { ChatCall } from '../support/endpoint.js';
import { openProject, type Project, reviews } from '../support/project.js';
import { runCli } from '../support/run-cli.js';

/** `fermata optimize` with the real stack; the endpoint serves a dear model and a cheap one that is as right. */

let project: Project;
let calls = 0;

function answer({ prompt }: ChatCall): string {
  calls += 1;
  return JSON.stringify({ answer: prompt.includes('bad film') });
}

beforeAll(async () => {
  const mini = { model: 'fake-mini', price: { inputPerMTok: 0.1, outputPerMTok: 0.1 } };
  project = await openProject({ endpoint: { answer }, others: { mini } });
  await project.write('reviews.csv', reviews(200));
});
afterAll(() => project.close());

const question = "SELECT id FROM reviews WHERE AI_FILTER('Is this a bad review? {text}') ORDER BY id";
const flags = ['--table', 'reviews.csv', '--yes', '--candidates', 'mini', '--trials', '8', '--sample', '30'];

test('finds a plan, writes it, is listed and watched, and a search made again asks nobody', async () => {
  const { code, stdout, stderr } = await runCli(
    project,
    'optimize',
    question,
    ...flags,
    '--json',
    '--out',
    'plan.json',
  );
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const result = JSON.parse(stdout) as SearchResult & { readonly schema: string };
  expect(result).toMatchObject({
    schema: 'fermata/optimization/1',
    stop: 'complete',
    trials: 8,
    labelled: 30,
    lost: [],
  });
  expect(result.incumbent.utility).toBeGreaterThan(result.direct.utility);
  expect(result.incumbent.quality).toBe(1);
  expect(calls).toBe(60);
  const plan = JSON.parse(await readFile(join(project.dir, 'plan.json'), 'utf8')) as object;
  expect(plan).toEqual(result.plan);

  const listed = await runCli(project, 'runs', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject({ runs: [{ runId: result.runId, state: 'done', sql: question }] });
  const watched = await runCli(project, 'watch', result.runId);
  expect(watched.stdout).toContain('a better plan was found · complete · 8 trials on 30 labels (f1)');
  const again = await runCli(project, 'optimize', question, ...flags, '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ spend: { calls: 0 }, saved: result.saved });
  expect(calls).toBe(60);

  const kept = await runCli(project, 'plans', 'list', '--json');
  expect(JSON.parse(kept.stdout)).toMatchObject({ plans: [{ id: result.saved }] });
  const routed = ['--strategy', 'routed', '--plan', result.saved ?? ''];
  const rows = await runCli(project, 'query', question, '--table', 'reviews.csv', '--yes', '-o', 'csv', ...routed);
  const ids = rows.stdout.trim().split(/\r?\n/).slice(1);
  expect(ids.map(Number)).toEqual([...Array(200).keys()].filter((id) => id % 3 === 0));
});

test('a failure says what is wrong and where', async () => {
  const { code, stderr } = await runCli(project, 'optimize', question, ...flags, '--no-cache', '--max-cost', '0');
  expect(code).toBe(4);
  expect(stderr).toContain('FRM1301');
  const many = await runCli(
    project,
    'optimize',
    question.replace(' ORDER', " AND AI_FILTER('{text} is long') ORDER"),
    ...flags,
  );
  expect(many.code).toBe(1);
  expect(many.stderr).toContain('the query asks 2 questions: a plan is for one');
});

test('the plan runs as a query of the same question over another table, and its report says who decided', async () => {
  await project.write('others.csv', reviews(90, { tag: 'once more' }).replace('id,text', 'nr,body'));
  const renamed = "SELECT nr FROM others WHERE AI_FILTER('Is this a bad review? {body}') ORDER BY nr";
  const before = calls;
  const routed = ['--strategy', 'routed', '--plan', 'plan.json', '--yes', '-o', 'csv'];
  const { code, stdout, stderr } = await runCli(project, 'query', renamed, '--table', 'others.csv', ...routed);
  expect(code).toBe(0);
  const bad = Array.from({ length: 30 }, (_, at) => 3 * at);
  expect(stdout.trim().split(/\r?\n/).slice(1).map(Number)).toEqual(bad);
  expect(stderr).toMatch(/filter "Is this a bad review\? \{0\}" was routed: .* decided [\d.]+ %/);
  expect(stderr).toContain('filter·');
  expect(calls - before).toBeLessThan(90);

  const other = renamed.replace('bad review', 'long review');
  const refused = await runCli(project, 'query', other, '--table', 'others.csv', ...routed);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('made for another intent: filter "Is this a bad review? {0}"');
});
