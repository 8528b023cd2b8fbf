import { readFileSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { tableFromArrays } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { readCsv } from '../../../cli/demo/csv-reader.js';
import { componentAccuracy, crashScore, keywordRule } from '../../../cli/demo/score.js';
import { demoFile, readTruth } from '../../../cli/demo/truth.js';
import { planQuery } from '../../../plans/sql/planner.js';
import { createSqlPlanning } from '../../../workers/runtime/duckdb/sql-planning.js';
import { fakeCli } from '../../support/fake-cli.js';
import { fakeFermata } from '../../support/fake-fermata.js';

const truth = await readTruth();

describe('the records', () => {
  it('are as the README of the demo says', () => {
    const rows = readCsv(readFileSync(demoFile('truth.csv'), 'utf8'));
    expect(truth).toHaveLength(126);
    expect(new Set(truth.map(({ id }) => id)).size).toBe(126);
    expect(truth.filter(({ crash }) => crash)).toHaveLength(30);
    expect(rows.filter(({ fire }) => fire === 'true')).toHaveLength(6);
    expect(Math.max(...truth.map(({ summary }) => summary.length))).toBeLessThanOrEqual(1200);
  });

  it('show the system no label', () => {
    const [header] = readFileSync(demoFile('complaints.csv'), 'utf8').split('\n');
    expect(header).toBe('id,summary');
  });

  it('are small enough to commit', () => {
    const folder = demoFile('truth.csv').replace(/[^/\\]+$/, '');
    const total = readdirSync(folder).reduce((sum, name) => sum + statSync(`${folder}${name}`).size, 0);
    expect(total).toBeLessThan(1_000_000);
  });

  it('every component of the truth is a label of the query', () => {
    const sql = readFileSync(demoFile('complaints.sql'), 'utf8');
    for (const { component } of truth) expect(sql).toContain(`{label: '${component}',`);
  });
});

it('the query plans: the filter first, then the two values of the rows it lets through', async () => {
  const tables = [
    {
      name: 'complaints',
      object: '',
      rows: 126,
      columns: ['id', 'summary'].map((name) => ({ name, type: name === 'id' ? 'BIGINT' : 'VARCHAR' })),
    },
  ];
  const planning = await createSqlPlanning({ tempDir: tmpdir() }).open(tables);
  try {
    const plan = await planQuery({
      sql: readFileSync(demoFile('complaints.sql'), 'utf8'),
      tables,
      ...planning,
    });
    expect(plan.calls.map(({ role, parameters, model }) => [role, parameters.kind, model])).toEqual([
      ['filter', 'filter', undefined],
      ['value', 'classify', 'minilm'],
      ['value', 'extract', undefined],
    ]);
  } finally {
    await planning.close();
  }
});

describe('scores', () => {
  const complaints = [
    { id: '1', summary: 'We crashed.', crash: true, component: 'tires' },
    { id: '2', summary: 'Another car hit us.', crash: true, component: 'tires' },
    { id: '3', summary: 'I almost had an accident.', crash: false, component: 'seats' },
    { id: '4', summary: 'The whitewall fell off.', crash: false, component: 'wheels' },
  ];

  it('F1 by hand', () => {
    expect(crashScore(new Set(['1', '3']), complaints)).toEqual({ precision: 0.5, recall: 0.5, f1: 0.5 });
    expect(crashScore(new Set(), complaints)).toEqual({ precision: 0, recall: 0, f1: 0 });
    expect(crashScore(new Set(['1', '2']), complaints).f1).toBe(1);
  });

  it('the keyword rule reads whole words', () => {
    expect([...keywordRule(complaints)]).toEqual(['1', '2', '3']);
  });

  it('components count only where both are known', () => {
    const reported = [
      { id: '1', component: 'tires' },
      { id: '3', component: 'tires' },
      { id: '2' },
      { id: 'x', component: 'tires' },
    ];
    expect(componentAccuracy(reported, complaints)).toEqual({ rows: 2, correct: 1, majority: 1 });
    expect(componentAccuracy([], complaints)).toEqual({ rows: 0, correct: 0, majority: 0 });
  });
});

describe('fermata demo', () => {
  const crashes = truth.filter(({ crash }) => crash);
  const table = tableFromArrays({
    id: crashes.map(({ id }) => BigInt(id)),
    component: crashes.map(({ component }) => component),
  });
  const listing = (name: string, state: 'ready' | 'missing') => ({
    name,
    task: 'chat' as const,
    title: '',
    licence: '',
    bytes: 1,
    state,
  });
  const common = { modalities: ['text' as const], limits: { concurrency: 1 } };
  const onnx = { ...common, kind: 'onnx' as const, weights: 'mini-weights', executionProviders: ['cpu' as const] };

  it.each([
    [
      'a local model',
      { ...common, kind: 'llama' as const, weights: 'small-weights' },
      ['small-weights', 'mini-weights'],
    ],
    [
      'an endpoint',
      {
        ...common,
        kind: 'openai' as const,
        model: 'm',
        task: 'chat' as const,
        baseUrl: 'u',
        apiKeyEnv: 'K',
        timeoutMs: 1,
        omit: [],
        jsonSchema: true,
      },
      ['mini-weights'],
    ],
  ])('with %s pulls what is missing, answers, and scores itself after the run', async (_, small, expected) => {
    const pulled: string[] = [];
    const fermata = fakeFermata([{ table }]);
    const cli = fakeCli({
      fermata,
      settings: { models: { small, minilm: onnx } },
      services: {
        weights: () =>
          Promise.resolve(['small-weights', 'mini-weights', 'other'].map((name) => listing(name, 'missing'))),
        pull: (name) => {
          pulled.push(name);
          return Promise.resolve([]);
        },
      },
    });
    expect(await cli.run('demo', '-o', 'csv')).toBe(0);
    expect(pulled).toEqual(expected);
    expect(fermata.started[0]?.options.tables).toEqual({ complaints: demoFile('complaints.csv') });
    expect(cli.stdout.text().split('\r\n')).toHaveLength(crashes.length + 2);
    expect(cli.stderr.text()).toMatch(/this run +1\.00 +1\.00 +1\.00/);
    expect(cli.stderr.text()).toMatch(/always no +0\.00 +0\.00 +0\.00/);
    expect(cli.stderr.text()).toMatch(/keyword rule +0\.61 +0\.90 +0\.73/);
    expect(cli.stderr.text()).toMatch(/component: 30 of 30 as filed/);
  });
});
