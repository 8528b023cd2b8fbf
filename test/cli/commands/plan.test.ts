import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadServices } from '../../../cli/load-services.js';
import { verifyPlan } from '../../../plans/algebra/verify/verify-plan.js';
import { contextOf } from '../../../plans/logical/candidates.js';
import type { Instance } from '../../../plans/logical/instance.js';
import { defaultCatalog } from '../../../plans/tasks/catalog.js';
import { fakeCli } from '../../support/fake-cli.js';

/** Tables are read for real; no server is part of it: connecting would throw. */

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fermata-plan-'));
  await writeFile(join(cwd, 'reviews.csv'), 'code,id,text,photo\nx,1,good,a.png\nx,2,bad,b.png\ny,3,so so,c.png\n');
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

async function plan(...args: readonly string[]) {
  const settings = { home: join(cwd, 'home'), store: { kind: 'local', dir: join(cwd, 'store') } } as const;
  const cli = fakeCli({ cwd, settings, services: { describe: (...asked) => loadServices().describe(...asked) } });
  const code = await cli.run('plan', ...args);
  return { code, out: cli.stdout.text(), err: cli.stderr.text() };
}

interface Document {
  readonly schema: string;
  readonly instance: Instance;
  readonly candidates: readonly { readonly number: number; readonly hash: string; readonly plan: unknown }[];
}

test('candidates as text: each with its seed, its reason and its tree', async () => {
  const { code, out, err } = await plan('{text} is positive', '--input', 'reviews.csv');
  expect(code).toBe(0);
  expect(err).toContain('filter over reviews(code: VARCHAR, id: BIGINT, text: VARCHAR, photo: VARCHAR), key id: 12');
  expect(out).toMatch(/^1 {2}direct\n {3}direct: one question a tuple.*\n {4}π code, id, text, photo\n/);
  expect(out).toMatch(/\n\n2 {2}proxy-cascade\n/);
  expect(out).toContain(' → partitioned-extraction');
});

test('as JSON: every plan reads back without a fault', async () => {
  const { out } = await plan('{text} is positive', '--input', 'r=reviews.csv', '--json', '--limit', '20');
  const { schema, instance, candidates } = JSON.parse(out) as Document;
  expect(schema).toBe('fermata/candidates/1');
  expect(candidates.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  expect(new Set(candidates.map(({ hash }) => hash)).size).toBe(20);
  for (const candidate of candidates)
    expect(verifyPlan(candidate.plan, contextOf(instance, defaultCatalog))).toMatchObject({ ok: true });
});

test('as pictures: Markdown with Mermaid, and Graphviz', async () => {
  const intent = 'The "text" {text}\n```\n## is positive';
  const mermaid = await plan(intent, '--input', 'reviews.csv', '--format', 'mermaid', '--limit', '3');
  expect(mermaid.out.match(/^## \d\. /gm)).toHaveLength(3);
  expect(mermaid.out.match(/^```mermaid$/gm)).toHaveLength(3);
  expect(mermaid.out.match(/^```/gm)).toHaveLength(6);
  const dot = await plan(intent, '--input', 'reviews.csv', '--format', 'dot', '--candidate', '2');
  expect(dot.out).toMatch(/^\/\/ 2\. proxy-cascade\n\/\/ proxy-cascade: .*\ndigraph plan \{\n/);
  expect(dot.out.match(/digraph/g)).toHaveLength(1);
});

test('media are declared, and never fetched for a plan', async () => {
  const { code, out } = await plan('{photo} is red', '--input', 'reviews.csv', '--image', 'photo', '--json');
  expect([code, (JSON.parse(out) as Document).instance.inputs[0]?.schema.at(-1)]).toEqual([
    0,
    { name: 'photo', type: 'Image' },
  ]);
});

test('a join of a table with itself', async () => {
  const both = ['--input', 'a=reviews.csv', '--input', 'b=reviews.csv'];
  const { code, out, err } = await plan(
    '{a.text} contradicts {b.text}',
    ...both,
    '--on',
    'a_code = b_code and a_id < b_id',
  );
  expect(code).toBe(0);
  expect(err).toContain('told apart: a_code, a_id, a_text, a_photo, b_code, b_id, b_text, b_photo');
  expect(out).toContain('⋈ a_code = b_code AND a_id < b_id');
});

describe('what cannot be planned is told before anything is asked', () => {
  test.each<readonly [string, number, RegExp, readonly string[]]>([
    ['no input', 2, /name a table/, ['x']],
    ['a file that is not there', 1, /no such file/, ['x', '--input', 'nope.csv']],
    ['an empty intent', 1, /The intent is empty/, [' ', '--input', 'reviews.csv']],
    ['an endless intent', 1, /at most 10000/, ['x'.repeat(10_001), '--input', 'reviews.csv']],
    ['an unknown column', 1, /Did you mean "text"/, ['{txt}', '--input', 'reviews.csv']],
    ['a number', 1, /id, whose type BIGINT no task reads/, ['{id} is odd', '--input', 'reviews.csv']],
    ['an unknown media column', 1, /no column "foto"/, ['x', '--input', 'reviews.csv', '--image', 'foto']],
    ['an output of no type', 1, /is no type/, ['x', '--input', 'reviews.csv', '--output', 'a b']],
    [
      'an output that nothing gives',
      1,
      /No plan gives p: Image/,
      ['x', '--input', 'reviews.csv', '--output', 'p IMAGE'],
    ],
    ['a candidate that is not there', 2, /no candidate 99/, ['x', '--input', 'reviews.csv', '--candidate', '99']],
    [
      'a predicate that cannot be read',
      1,
      /predicate cannot be read/,
      ['x', '--input', 'a=reviews.csv', '--input', 'b=reviews.csv', '--on', '='],
    ],
  ])('%s', async (_, code, message, args) => {
    const found = await plan(...args);
    expect([found.code, found.out]).toEqual([code, '']);
    expect(found.err).toMatch(message);
  });
});
