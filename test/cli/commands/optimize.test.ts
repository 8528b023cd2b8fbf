import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromArrays } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FermataError, exitCodes } from '../../../plans/protocol/errors.js';
import type { SearchResult } from '../../../plans/protocol/search.js';
import { fakeCli } from '../../support/fake-cli.js';
import { fakeFermata, noSpend } from '../../support/fake-fermata.js';

const table = tableFromArrays({ id: Int32Array.of(1) });
const measured = { latencySeconds: 20, interval: { lower: 0.8, upper: 0.97 } };
const search: SearchResult = {
  v: 1,
  runId: 'o-1',
  stop: 'complete',
  plan: 'hash',
  table: 'hash',
  history: 'hash',
  tried: 'hash',
  direct: { ...measured, trial: 0, utility: 0.3, quality: 1, costUsd: 0.5 },
  incumbent: { ...measured, trial: 7, utility: 0.61, quality: 0.9, costUsd: 0.02 },
  trials: 30,
  labelled: 48,
  metric: 'f1',
  implementations: [
    { name: 'rules', family: 'symbolic', quality: 0.7, usd: 0, seconds: 0, share: 0.25 },
    { name: 'large', family: 'general', quality: 1, usd: 0.01, seconds: 0.4, share: 0 },
  ],
  lost: [{ name: 'local', reason: 'its weights are not there' }],
  operators: [],
  spend: { ...noSpend, calls: 150, usd: 0.6 },
  ms: 65_000,
  notes: ['2 of 50 inputs have no label and were left out'],
};
const sql = "SELECT id FROM t WHERE AI_FILTER('{text} is good')";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fermata-optimize-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe('optimize', () => {
  it('hands over what was asked for, prints the plan beside the default model, and writes its file', async () => {
    const fermata = fakeFermata([{ table, search }]);
    const cli = fakeCli({ fermata, cwd: dir });
    const flags = [
      '--teacher',
      'large',
      '--candidates',
      'small, local',
      '--trials',
      '12',
      '--sample',
      '40',
      '--seed',
      '5',
    ];
    const exit = await cli.run(
      'optimize',
      sql,
      ...flags,
      '--max-cost',
      '2',
      '--weights',
      '1,0,2',
      '--out',
      'plan.json',
    );
    expect(exit).toBe(0);
    expect(fermata.optimized).toEqual([
      {
        sql,
        options: {
          teacher: 'large',
          candidates: ['small', 'local'],
          trials: 12,
          sample: 40,
          seed: 5,
          budget: { usd: 2 },
          weights: { quality: 1, latency: 0, cost: 2 },
          confirmAboveUsd: 1,
        },
      },
    ]);
    expect(await readFile(join(dir, 'plan.json'), 'utf8')).toBe('{"version":1}\n');
    const text = cli.stdout.text();
    expect(text).toContain('a better plan was found · complete · 30 trials on 48 labels (f1)');
    expect(text).toMatch(/default model +0\.300 +1\.000 \[0\.80–0\.97\]/);
    expect(text).toMatch(/trial 7 +0\.610 +0\.900/);
    expect(text).toMatch(/rules +symbolic +0\.700 +\$0\.00 +0\.0 +25 %/);
    expect(text).toContain('left out: local: its weights are not there');
    expect(text).toContain('note: 2 of 50 inputs have no label');
    expect(text).toContain('the search took 150 calls · $0.6000 · 1 min 05 s');
  });

  it('says so where no plan is better; as JSON with the plan in it', async () => {
    const kept = { ...search, incumbent: search.direct };
    const cli = fakeCli({ fermata: fakeFermata([{ table, search: kept }]) });
    expect(await cli.run('optimize', sql)).toBe(0);
    expect(cli.stdout.text()).toContain('no plan is better than the default model');
    expect(cli.stdout.text()).not.toContain('trial 7');
    const json = fakeCli({ fermata: fakeFermata([{ table, search }]) });
    expect(await json.run('optimize', sql, '--json')).toBe(0);
    expect(JSON.parse(json.stdout.text())).toMatchObject({
      schema: 'fermata/optimization/1',
      runId: 'o-1',
      plan: { version: 1 },
      incumbent: { trial: 7 },
    });
  });

  it.each([
    [['--preset', 'balanced', '--weights', '1,1,1'], 'contradict'],
    [['--weights', '1,1'], 'three numbers'],
    [['--weights', '0,0,0'], 'one of them above 0'],
    [['--weights', '1,-1,0'], '0 or more'],
    [['--preset', 'cheap'], 'Allowed choices'],
    [['--sample', '9'], 'at least 10'],
    [['--trials', '0'], 'at least 1'],
    [['--candidates', 'a,,b'], 'names with commas'],
  ])('%j is a usage error', async (flags, message) => {
    const fermata = fakeFermata([{ table, search }]);
    const cli = fakeCli({ fermata });
    expect(await cli.run('optimize', sql, ...flags)).toBe(exitCodes.usage);
    expect(cli.stderr.text()).toContain(message);
    expect(fermata.optimized).toEqual([]);
  });

  it.each([
    ['budget-usd', exitCodes.budget],
    ['accepted', exitCodes.ok],
    ['cancelled', exitCodes.failed],
  ] as const)('a search that ended %s exits with %d', async (stop, code) => {
    const cli = fakeCli({ fermata: fakeFermata([{ table, search: { ...search, stop } }]) });
    expect(await cli.run('optimize', sql)).toBe(code);
  });

  it('asks before a dear search, and only then spends', async () => {
    const failure = new FermataError('NeedsConfirmation', 'the search is estimated at about 3 USD');
    const scripts = [
      { table, failure },
      { table, search },
    ];
    const yes = fakeFermata(scripts);
    const cli = fakeCli({ fermata: yes, answer: 'y' });
    expect(await cli.run('optimize', sql)).toBe(0);
    expect(cli.asked).toEqual(['the search is estimated at about 3 USD. Go on? [y/N] ']);
    expect(yes.optimized.map(({ options }) => options.confirmAboveUsd)).toEqual([1, undefined]);
    const no = fakeFermata(scripts);
    expect(await fakeCli({ fermata: no, answer: 'n' }).run('optimize', sql)).toBe(exitCodes.needsConfirmation);
    expect(await fakeCli({ fermata: fakeFermata(scripts) }).run('optimize', sql)).toBe(exitCodes.needsConfirmation);
    expect(no.optimized).toHaveLength(1);
    const unasked = fakeFermata([{ table, search }]);
    expect(await fakeCli({ fermata: unasked }).run('optimize', sql, '--yes')).toBe(0);
    expect(unasked.optimized[0]!.options.confirmAboveUsd).toBeUndefined();
  });
});

describe('a search by its id', () => {
  it('is watched as a run is; a detached one prints the id', async () => {
    const cli = fakeCli({ fermata: fakeFermata([{ table, search }]), cwd: dir });
    expect(await cli.run('watch', 'o-1', '--out', 'again.json')).toBe(0);
    expect(cli.stdout.text()).toContain('a better plan was found');
    expect(await readFile(join(dir, 'again.json'), 'utf8')).toBe('{"version":1}\n');
    const detached = fakeCli({ fermata: fakeFermata([{ table, search }]) });
    expect(await detached.run('optimize', sql, '--detach', '--yes')).toBe(0);
    expect(detached.stdout.text()).toBe('o-1\n');
  });

  it('is accepted', async () => {
    const fermata = fakeFermata([{ table, search }]);
    const cli = fakeCli({ fermata });
    expect(await cli.run('accept', 'o-1', '--json')).toBe(0);
    expect(fermata.told).toEqual(['accept']);
    expect(JSON.parse(cli.stdout.text())).toMatchObject({ schema: 'fermata/control/1', runId: 'o-1' });
  });
});
