import { tableFromArrays } from 'apache-arrow';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exitCodes } from '../../plans/protocol/errors.js';
import { fakeCli } from '../support/fake-cli.js';
import { fakeFermata } from '../support/fake-fermata.js';
import { call } from '../support/relations.js';
import { byModel, routedPlan } from '../support/routed.js';

const table = tableFromArrays({ id: Int32Array.of(1) });

it.each([
  ['none', [], undefined],
  ['direct', ['--strategy', 'direct'], { kind: 'direct' }],
  [
    'both targets by default',
    ['--strategy', 'cascade', '--proxy', 'mini'],
    { kind: 'cascade', proxy: 'mini', targets: { recall: 0.9, precision: 0.9, confidence: 0.95 } },
  ],
  [
    'one target leaves the other side to the model',
    ['--strategy', 'cascade', '--proxy', 'mini', '--recall', '1'],
    { kind: 'cascade', proxy: 'mini', targets: { recall: 1, confidence: 0.95 } },
  ],
  [
    'all',
    ['--strategy', 'cascade', '--proxy', 'm', '--recall', '.8', '--precision', '.7', '--confidence', '.99'],
    { kind: 'cascade', proxy: 'm', targets: { recall: 0.8, precision: 0.7, confidence: 0.99 } },
  ],
  ['a prefilter', ['--strategy', 'prefilter'], { kind: 'prefilter' }],
  [
    'a prefilter with all of its flags',
    ['--strategy', 'prefilter', '--embedder', 'e', '--recall', '.8', '--confidence', '.9'],
    { kind: 'prefilter', embedder: 'e', recall: 0.8, confidence: 0.9 },
  ],
  ['keys', ['--strategy', 'map'], { kind: 'map' }],
  [
    'keys with all flags',
    ['--strategy', 'map', '--mapper', 'm', '--recall', '.8', '--confidence', '.9'],
    { kind: 'map', mapper: 'm', recall: 0.8, confidence: 0.9 },
  ],
  ['batches', ['--strategy', 'batched'], { kind: 'batched' }],
  ['batches of a size', ['--strategy', 'batched', '--batch', '50'], { kind: 'batched', size: 50 }],
  ['parts', ['--strategy', 'chunked'], { kind: 'chunked' }],
  ['parts of a size', ['--strategy', 'chunked', '--chunk', '500'], { kind: 'chunked', tokens: 500 }],
  ['a shape of aggregates', ['--strategy', 'fold'], { kind: 'fold' }],
  ['lists', ['--strategy', 'listwise'], { kind: 'listwise' }],
  ['pairs', ['--strategy', 'pairwise'], { kind: 'pairwise', bothOrders: false }],
  ['pairs both ways', ['--strategy', 'heap', '--both-orders'], { kind: 'heap', bothOrders: true }],
])('%s', async (_, flags, strategy) => {
  const fermata = fakeFermata([{ table }]);
  expect(await fakeCli({ fermata }).run('query', 'SELECT 1', '--yes', ...flags)).toBe(0);
  expect(fermata.started[0]?.options.strategy).toEqual(strategy);
});

it.each([
  ['an unknown strategy', ['--strategy', 'magic']],
  ['a precision that nothing promises', ['--strategy', 'prefilter', '--precision', '.9']],
  ['a confidence in no target', ['--strategy', 'map', '--confidence', '.9']],
  ['a mapper of nothing', ['--mapper', 'm']],
  ['no proxy', ['--strategy', 'cascade']],
  ['a proxy of nothing', ['--proxy', 'mini']],
  ['a batch of nothing', ['--batch', '20']],
  ['a proxy of batches', ['--strategy', 'batched', '--proxy', 'mini']],
  ...['0', '1', '201', '2.5', 'all', ''].map((value) => [
    `a batch of ${value}`,
    ['--strategy', 'batched', '--batch', value],
  ]),
  ['parts of batches', ['--strategy', 'batched', '--chunk', '500']],
  ...['63', '99.5', 'all', ''].map((value) => [`parts of ${value}`, ['--strategy', 'chunked', '--chunk', value]]),
  ['both orders of nothing', ['--both-orders']],
  ['both orders of lists', ['--strategy', 'listwise', '--both-orders']],
  ['a plan of nothing', ['--plan', 'plan.json']],
  ['a plan of batches', ['--strategy', 'batched', '--plan', 'plan.json']],
  ['routed without a plan', ['--strategy', 'routed']],
  ['both orders of a cascade', ['--strategy', 'cascade', '--proxy', 'm', '--both-orders']],
  ['a target of nothing', ['--strategy', 'direct', '--precision', '0.9']],
  ...['0', '1.1', '-1', 'high', ''].map((value) => [
    `a recall of ${value}`,
    ['--strategy', 'cascade', '--proxy', 'm', '--recall', value],
  ]),
  ...['0', '1'].map((value) => [
    `a confidence of ${value}`,
    ['--strategy', 'cascade', '--proxy', 'm', '--confidence', value],
  ]),
] as [string, string[]][])('%s is a usage error before anything is started', async (_, flags) => {
  const fermata = fakeFermata([{ table }]);
  const cli = fakeCli({ fermata });
  expect(await cli.run('query', 'SELECT 1', ...flags)).toBe(exitCodes.usage);
  expect(fermata.started).toEqual([]);
});

const plan = routedPlan(call('f0', ['text']), [byModel('mini'), byModel('big')]);
let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fermata-plan-'));
  await writeFile(join(cwd, 'plan.json'), JSON.stringify(plan));
  await writeFile(join(cwd, 'cut.json'), JSON.stringify(plan).slice(0, -20));
  await writeFile(join(cwd, 'newer.json'), JSON.stringify({ ...plan, version: 2 }));
});
afterAll(() => rm(cwd, { recursive: true }));

it('reads the plan of a routed run from its file', async () => {
  const fermata = fakeFermata([{ table }]);
  const flags = ['--strategy', 'routed', '--plan', 'plan.json', '--yes'];
  expect(await fakeCli({ fermata, cwd }).run('query', 'SELECT 1', ...flags)).toBe(0);
  expect(fermata.started[0]?.options.strategy).toEqual({ kind: 'routed', plan });
});

it.each([
  ['cut.json', 'BadPlan', 'is not JSON'],
  ['newer.json', 'BadPlan', 'of version 2'],
  ['none.json', 'FileNotFound', 'the plan none.json cannot be read'],
])('the plan %s is refused before anything is started', async (file, code, message) => {
  const fermata = fakeFermata([{ table }]);
  const cli = fakeCli({ fermata, cwd });
  for (const command of ['query', 'explain']) {
    expect(await cli.run(command, 'SELECT 1', '--strategy', 'routed', '--plan', file, '--json')).not.toBe(0);
    expect(cli.stderr.text()).toContain(`"code":"${code}"`);
    expect(cli.stderr.text()).toContain(message);
  }
  expect([...fermata.started, ...fermata.estimated]).toEqual([]);
});
