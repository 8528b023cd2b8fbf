import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadServices } from '../../../cli/load-services.js';
import { verifyPlan } from '../../../plans/algebra/verify/verify-plan.js';
import { contextOf } from '../../../plans/logical/candidates.js';
import type { Instance } from '../../../plans/logical/instance.js';
import { defaultCatalog } from '../../../plans/tasks/catalog.js';
import type { Drafts } from '../../../plans/protocol/drafting.js';
import { fakeCli } from '../../support/fake-cli.js';
import { fakeFermata, noSpend } from '../../support/fake-fermata.js';

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

describe('with a planner', () => {
  const nodes = [
    { id: 'a', op: 'scan', relation: 'reviews' },
    { id: 'b', op: 'apply', input: 'a', task: 'OpTxtSenti', bind: { text: 'text' } },
    { id: 'c', op: 'select', input: 'b', predicate: "Polarity = 'positive'" },
    { id: 'd', op: 'project', input: 'c', columns: ['code', 'id', 'text', 'photo'] },
  ];
  const issue = { fault: 'malformed', at: '', message: 'the answer is empty', hint: 'Answer.' } as const;
  const drafts: Drafts = {
    v: 1,
    model: 'big',
    identity: 'openai:big-1',
    attempts: [
      { outcome: 'clean', rounds: 2, plan: { v: 1, nodes, output: 'd' } },
      { outcome: 'given-up', rounds: 3, issues: [issue, issue] },
      { outcome: 'repeated', rounds: 1 },
    ],
    exchanges: [{ attempt: 1, round: 0, prompt: 'p', answer: 'a' }],
    stopped: 'budget-calls',
    spend: { ...noSpend, calls: 6, cached: 1, inputTokens: 900, outputTokens: 80, usd: 0.25 },
  };
  async function asked(...args: readonly string[]) {
    const settings = { home: join(cwd, 'home'), store: { kind: 'local', dir: join(cwd, 'store') } } as const;
    const fermata = fakeFermata([], { drafts });
    const cli = fakeCli({
      cwd,
      settings,
      fermata,
      services: { describe: (...given) => loadServices().describe(...given) },
    });
    const code = await cli.run('plan', '{text} is positive', '--input', 'reviews.csv', ...args);
    return { code, out: cli.stdout.text(), err: cli.stderr.text(), drafted: fermata.drafted };
  }

  test('its clean drafts come first, and what became of the others is told', async () => {
    const { code, out, err, drafted } = await asked(
      '--planner',
      'big',
      '--max-calls',
      '6',
      '--drafts',
      '4',
      '--no-cache',
    );
    expect([code, drafted]).toEqual([0, [{ model: 'big', attempts: 4, cache: false, budget: { calls: 6 } }]]);
    expect(out).toMatch(/^1 {2}draft 1\n {3}draft 1: drafted by the planner model\n/);
    expect(out).toContain('\n\n2  direct\n');
    expect(err).toContain('draft 1: clean after 2 answers\n');
    expect(err).toContain('draft 2: given up after 3 answers: plan: the answer is empty. Answer. (and 1 more)\n');
    expect(err).toContain('draft 3: a plan that was there already, after 1 answer\n');
    expect(err).toContain('drafting stopped (budget-calls); the seeds carry on\n');
    expect(err).toContain('big: 6 calls · 1 cached · 900 tokens in, 80 out · $0.2500\n');
  });

  test('what it was asked and said is recorded', async () => {
    expect((await asked('--planner', 'big', '--record', 'said.json')).code).toBe(0);
    const recording = JSON.parse(await readFile(join(cwd, 'said.json'), 'utf8')) as Record<string, unknown>;
    expect(recording).toMatchObject({ schema: 'fermata/planner-recording/1', planner: 'openai:big-1', attempts: 3 });
    expect(recording['exchanges']).toEqual(drafts.exchanges);
    expect(recording['instance']).toMatchObject({ intent: '{text} is positive' });
  });

  test('wrong flags, and what cannot be planned, never reach it', async () => {
    const wrong = [
      ['--record', 'x'],
      ['--drafts', '21', '--planner', 'big'],
      ['--on', 'id = 1', '--planner', 'big'],
    ];
    for (const args of wrong) expect(await asked(...args)).toMatchObject({ out: '', drafted: [] });
    expect((await asked('--planner', 'big', '--record', 'no/such/folder/x')).err).toContain('cannot be written');
  });
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
