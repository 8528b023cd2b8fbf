import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromArrays } from 'apache-arrow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunDescription } from '../../../client/api.js';
import { exitCodes, FermataError } from '../../../plans/protocol/errors.js';
import type { OperatorProgress, RunProgress } from '../../../plans/protocol/run.js';
import type { SearchResult } from '../../../plans/protocol/search.js';
import { fakeCli } from '../../support/fake-cli.js';
import { type FakeRunScript, fakeFermata, noSpend } from '../../support/fake-fermata.js';

const operator: OperatorProgress = {
  ...{ id: 'f0', operator: 'filter', intent: 'Is <b> good? {0}', model: 'small', inputs: 100, answered: 93 },
  ...{ calls: 70, cached: 23, retries: 2, failed: 7, usd: 0.5, unpriced: 0 },
  ...{ inputTokens: 900, outputTokens: 77, ms: 61_000 },
};
const progress: RunProgress = {
  ...{ v: 1, runId: 'run-1', phase: 'running', operators: [operator], startedAt: 0, updatedAt: 1 },
};
const description: RunDescription = {
  request: {
    ...{ v: 1, sql: "SELECT * FROM t WHERE AI_FILTER('{x} < 3')", onError: 'null', maxErrorRatio: 0.05, cache: false },
    tables: [{ name: 't', format: 'csv', object: 'abcdef0123456789', path: 'data/t.csv', image: ['photo'] }],
    strategy: { kind: 'batched', size: 7 },
    parameters: { token: "'sk-secret'" },
  },
  joins: [],
  estimate: {
    calls: [
      {
        ...{ id: 'f0', operator: 'filter', intent: '', model: 'small', rows: 100, distinct: 88, cached: 0 },
        ...{ calls: { low: 0, expected: 61, high: 99 }, tokens: { low: 1, expected: 2, high: 3 } },
      },
    ],
    total: { calls: { low: 0, expected: 61, high: 99 }, tokens: { low: 1, expected: 2, high: 3 } },
  },
};
const table = tableFromArrays({ id: Int32Array.from({ length: 50 }, (_, at) => at), text: Array(50).fill('<i>&') });
const ended: FakeRunScript = {
  ...{ table, description },
  result: { operators: [operator], spend: { ...noSpend, calls: 70, cached: 23, usd: 0.5, savedUsd: 0.2 } },
};

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fermata-report-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function pageOf(script: FakeRunScript): Promise<string> {
  const cli = fakeCli({ fermata: fakeFermata([script]), cwd });
  expect(await cli.run('report', 'run-1', '--out', '-')).toBe(0);
  return cli.stdout.text();
}

const textOf = (page: string): string =>
  page
    .replace(/<script.*<\/script>|<style>.*?<\/style>|<[^>]*>/gs, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/\s+/g, ' ');

function dataOf(page: string): Readonly<Record<string, unknown>> {
  const json = /<script type="application\/json" id="report">(.*)<\/script>/s.exec(page)?.[1] ?? '';
  return JSON.parse(json) as Readonly<Record<string, unknown>>;
}

describe('a run that has ended', () => {
  it('shows spend, operators, estimates, rows and what was asked', async () => {
    const page = await pageOf(ended);
    const text = textOf(page);
    expect(text).toContain('50 rows · complete');
    expect(text).toContain('cost $0.5000 calls 70 calls');
    expect(text).toContain('23 answers, $0.2000 saved');
    expect(text).toMatch(/filter small 100 70 23 2 7 900 77 \$0\.5000 1 min 01 s Is <b> good\? \{0\}/);
    expect(text).toMatch(/filter small 88 100 61 \[0–99\] 70 /);
    expect(text).toContain('Rows (first 20 of 50) id text 0 <i>& 1 <i>&');
    expect(text).toContain("SELECT * FROM t WHERE AI_FILTER('{x} < 3')");
    expect(text).toContain('t data/t.csv csv photo abcdef012345');
    expect(text).toContain('{"kind":"batched","size":7}');
    expect(dataOf(page)).toMatchObject({ schema: 'fermata/report/1', result: { spend: { calls: 70 } } });
  });

  it('draws each operator by where its answers came from', async () => {
    const widths = Array.from((await pageOf(ended)).matchAll(/<rect class="(\w+)"[^>]* width="([\d.]+)"/g), (found) => [
      found[1],
      Math.round(Number(found[2]) / 6.4),
    ]);
    expect(widths).toEqual([
      ['asked', 70],
      ['cached', 23],
      ['bad', 7],
      ['open', 0],
    ]);
  });

  it('needs no network and no script, and repeats no value of a parameter', async () => {
    const page = await pageOf(ended);
    expect(page).not.toMatch(/https?:|src=|@import|url\(|onload/);
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toContain('sk-secret');
    expect(textOf(page)).toContain('parameters token');
  });

  it('lists failed rows, cuts long cells, and tells NULL from text', async () => {
    const long = tableFromArrays({ text: [`${'😀'.repeat(299)}ab${'x'.repeat(1e6)}`, null, 'NULL'] });
    const errors = Array.from({ length: 120 }, (_, at) => ({ row: at + 1, operator: 'f0', code: 'C', message: '<x>' }));
    const result = { errors: { object: '', count: 1234, ratio: 0.5 } };
    const page = await pageOf({ table: long, errors, result });
    expect(page.length).toBeLessThan(60_000);
    expect(textOf(page)).toContain('1,234 failed calls (50 % of the rows asked)');
    expect(textOf(page)).toContain('and 1,134 more');
    expect(page).toContain(`${'😀'.repeat(299)}a…`);
    expect(page).toContain('<td><span class="dim">NULL</span></td>');
    expect(page).toContain('<td>NULL</td>');
  });

  it.each([
    ['complete', '4 rows not asked about: the result is complete without them'],
    ['budget-usd', '4 rows not decided when the run stopped'],
  ] as const)('%s: says what became of the rows without an answer', async (stop, said) => {
    expect(textOf(await pageOf({ table, result: { stop, undecided: 4 } }))).toContain(said);
  });

  it('without a record of its plan shows the query of the list', async () => {
    expect(textOf(await pageOf({ table }))).toContain('Query SELECT 1');
  });
});

describe('a run that has not', () => {
  it('shows how far it is, without waiting', async () => {
    const summary = { state: 'running' as const };
    const text = textOf(await pageOf({ table, progress: [progress], summary, until: new Promise(() => undefined) }));
    expect(text).toContain('running: started 1970-01-01T00:00:00Z');
    expect(text).toContain('filter small 100 70');
    expect(text).not.toContain('Spend');
  });

  it('failed: shows why, and what was spent until then', async () => {
    const failure = new FermataError('RowErrors', 'row 3: <no>', { hint: 'try & see' });
    const page = await pageOf({ table, progress: [progress], summary: { state: 'failed' }, failure });
    expect(textOf(page)).toContain('failed: RowErrors: row 3: <no> try & see');
    expect(dataOf(page)).toMatchObject({ error: { code: 'RowErrors' }, progress: { operators: [{ calls: 70 }] } });
  });

  it('cannot be reached: an error, not a page', async () => {
    const cli = fakeCli({
      fermata: fakeFermata([{ table, failure: new FermataError('ServerUnreachable', 'gone') }]),
      cwd,
    });
    expect(await cli.run('report', 'run-1')).toBe(exitCodes.unreachable);
    expect(cli.stdout.text()).toBe('');
  });
});

describe('a search for a plan', () => {
  const measured = { latencySeconds: 20, interval: { lower: 0.8, upper: 0.97 } };
  const search: SearchResult = {
    ...{
      v: 1,
      runId: 'o-1',
      stop: 'accepted',
      plan: '',
      table: '',
      history: '',
      tried: '',
      trials: 3,
      labelled: 48,
      metric: 'f1',
    },
    direct: { ...measured, trial: 0, utility: 0.3, quality: 0.98, costUsd: 0.5 },
    incumbent: { ...measured, trial: 2, utility: 0.61, quality: 0.9, costUsd: 0.02 },
    implementations: [
      { name: '<rules>', family: 'symbolic', quality: 0.7, usd: 0, seconds: 0, share: 0.25 },
      { name: 'large', family: 'general', quality: 0.98, usd: 0.01, seconds: 0.4, share: 0.75 },
    ],
    lost: [{ name: 'local', reason: 'its weights are not there' }],
    ...{ operators: [operator], spend: { ...noSpend, calls: 150, usd: 0.6 }, ms: 65_000, notes: ['one remark'] },
  };
  const trial = (at: number, utility: number, quality: number, costUsd: number) => ({
    ...{ trial: at, utility, quality, costUsd, latencySeconds: 3, shares: [0.25, 0.75] },
  });
  const tried = [trial(0, 0.3, 0.98, 0.5), trial(1, 0.2, 0.6, 0.03), trial(2, 0.61, 0.9, 0.02)];

  async function searchPage(script: Omit<FakeRunScript, 'table'>): Promise<string> {
    const cli = fakeCli({ fermata: fakeFermata([{ table, ...script }]), cwd });
    expect(await cli.run('report', 'o-1-2', '--out', '-')).toBe(0);
    return cli.stdout.text();
  }

  it('shows what was found beside the default model, who answers, and what was tried', async () => {
    const page = await searchPage({ search, tried });
    const text = textOf(page);
    expect(text).toContain('a better plan was found · accepted before its end');
    expect(text).toContain('3 trials on 48 labels; quality is f1 against them note: one remark left out: local:');
    expect(text).toContain('default model 0.300 0.980 0.800–0.970 20.0 $0.5000 trial 2 0.610 0.900');
    expect(text).toContain('<rules> symbolic 0.700 $0.00 0.0 25 %');
    expect(text).toContain('trial 2: U 0.610, Q 0.900, 3.00 s, $0.0200');
    expect(text).toContain('cost $0.6000 calls 150 calls');
    expect(page.match(/<circle class="dot chosen"/g)).toHaveLength(2);
    expect(page).not.toMatch(/https?:|src=/);
    expect(dataOf(page)).toMatchObject({ schema: 'fermata/search-report/1', tried: [{ trial: 0 }, {}, {}] });
  });

  it('draws the best until each trial, and the front without what is worse and dearer', async () => {
    const [byTrial, byCost] = Array.from(
      (await searchPage({ search, tried })).matchAll(/class="line" d="([^"]*)"/g),
      ([, d]) => d,
    );
    expect(byTrial?.match(/[MHV][\d. ]+/g)).toHaveLength(1 + 2 * 2);
    // trial 2, then trial 0; trial 1 is dearer and worse than trial 2
    expect(byCost?.match(/[MHV][\d. ]+/g)).toHaveLength(1 + 2);
  });

  it('by time where no model has a price', async () => {
    const page = await searchPage({ search, tried: tried.map((one) => ({ ...one, costUsd: 0 })) });
    expect(page).toContain('Quality by time');
  });

  it('that goes on says how far it is; one that failed says why', async () => {
    const status = { phase: 'running', paused: false, budget: {}, waiting: '', operators: [], trials: 2 } as const;
    const going = textOf(
      await searchPage({
        summary: { state: 'running' },
        progress: [progress],
        searchStatus: { ...status, incumbent: tried[2]! },
      }),
    );
    expect(going).toContain('2 trials · best utility 0.610');
    expect(going).toContain('filter small 100 70');
    const failure = new FermataError('BudgetExhausted', 'too early');
    expect(textOf(await searchPage({ summary: { state: 'failed' }, failure }))).toContain(
      'failed: BudgetExhausted: too early',
    );
  });
});

describe('where the page goes', () => {
  it('is a file of the run by itself, and said so', async () => {
    const cli = fakeCli({ fermata: fakeFermata([ended]), cwd });
    expect(await cli.run('report', 'run-1')).toBe(0);
    expect(await readFile(join(cwd, 'run-1.html'), 'utf8')).toMatch(/^<!doctype html>/);
    expect(cli.stderr.text()).toContain('report written to run-1.html');
    const json = fakeCli({ fermata: fakeFermata([ended]), cwd });
    expect(await json.run('report', 'run-1', '--out', 'a.html', '--json')).toBe(0);
    expect(JSON.parse(json.stdout.text())).toMatchObject({ runId: 'run-1', file: 'a.html' });
  });

  it('makes the folders above it, and does not take a folder for a file', async () => {
    const cli = fakeCli({ fermata: fakeFermata([ended]), cwd });
    expect(await cli.run('report', 'run-1', '--out', 'new/where.html')).toBe(0);
    expect(await readdir(join(cwd, 'new'))).toEqual(['where.html']);
    expect(await cli.run('report', 'run-1', '--out', 'new')).toBe(exitCodes.usage);
    expect(await cli.run('report', 'run-1', '--out', 'new/where.html/x.html')).toBe(exitCodes.usage);
    expect(cli.stderr.text()).toContain('new is a folder');
    expect(cli.stderr.text()).toContain('cannot write new/where.html/x.html');
  });
});
