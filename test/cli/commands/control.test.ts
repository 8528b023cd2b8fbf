import { tableFromArrays } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { FermataError, exitCodes } from '../../../plans/protocol/errors.js';
import type { RunSummary } from '../../../plans/protocol/run.js';
import { fakeCli } from '../../support/fake-cli.js';
import { fakeFermata } from '../../support/fake-fermata.js';

const table = tableFromArrays({ id: Int32Array.of(1) });
const runs: readonly RunSummary[] = [
  { runId: 'run-b', state: 'running', sql: 'SELECT\n 1', startedAt: 0 },
  { runId: 'run-a', state: 'done', sql: 'SELECT 2', startedAt: 0, closedAt: 65_000 },
];

describe('control of one run', () => {
  it.each([
    [['pause', 'r', '--reason', 'lunch'], ['pause lunch']],
    [['resume', 'r'], ['resume']],
    [['cancel', 'r'], ['cancel']],
    [['budget', 'r', '--max-cost', '3'], ['setBudget']],
  ])('%j', async (args, told) => {
    const fermata = fakeFermata([{ table }]);
    const cli = fakeCli({ fermata });
    expect(await cli.run(...args, '--json')).toBe(0);
    expect(fermata.told).toEqual(told);
    expect(JSON.parse(cli.stdout.text())).toMatchObject({ schema: 'fermata/control/1', runId: 'r' });
  });

  it('changes only the limits that are named', async () => {
    const fermata = fakeFermata([{ table }]);
    await fakeCli({ fermata }).run('budget', 'r', '--max-calls', '0', '--max-seconds', '9.5');
    expect(fermata.budgets).toEqual([{ calls: 0, seconds: 9.5 }]);
  });

  it.each([[['pause']], [['budget', 'r']], [['cancel', 'a', 'b']]])('%j is a usage error', async (args) => {
    expect(await fakeCli({ fermata: fakeFermata([{ table }]) }).run(...args)).toBe(exitCodes.usage);
  });

  it('a run that is not there is told as such', async () => {
    const failure = new FermataError('RunNotFound', 'no run is named r');
    const cli = fakeCli({ fermata: fakeFermata([{ table, failure }]) });
    expect(await cli.run('result', 'r')).toBe(exitCodes.failed);
    expect(cli.stderr.text()).toContain('FRM1304');
  });
});

describe('watch and result', () => {
  const progress = [{ v: 1, runId: 'r', phase: 'running', operators: [], startedAt: 0, updatedAt: 1 } as const];

  it.each([
    ['watch', true],
    ['result', false],
  ])('%s prints the rows; progress is shown: %s', async (command, expected) => {
    const operators = [
      {
        id: 'f0',
        operator: 'filter',
        intent: 'is good',
        model: 'm',
        inputs: 2,
        answered: 1,
        calls: 1,
        cached: 0,
        retries: 0,
        failed: 0,
        usd: 0,
        unpriced: 0,
        inputTokens: 0,
        outputTokens: 0,
        ms: 5,
      },
    ];
    const cli = fakeCli({ fermata: fakeFermata([{ table, progress: [{ ...progress[0]!, operators }] }]) });
    expect(await cli.run(command, 'r', '-o', 'csv')).toBe(0);
    expect(cli.stdout.text()).toBe('id\r\n1\r\n');
    expect(cli.stderr.text().includes('1/2')).toBe(expected);
  });
});

describe('runs', () => {
  it('lists them on stdout, a line each', async () => {
    const cli = fakeCli({ fermata: fakeFermata([{ table }], { runs }) });
    expect(await cli.run('runs')).toBe(0);
    expect(
      cli.stdout
        .text()
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ['run', 'state', 'started', 'took', 'query'],
      ['run-b', 'running', '1970-01-01T00:00:00Z', '<1 s', 'SELECT 1'],
      ['run-a', 'done', '1970-01-01T00:00:00Z', '1 min 05 s', 'SELECT 2'],
    ]);
  });

  it('takes a limit and gives JSON', async () => {
    const cli = fakeCli({ fermata: fakeFermata([{ table }], { runs }) });
    expect(await cli.run('runs', '--limit', '1', '--json')).toBe(0);
    expect(JSON.parse(cli.stdout.text())).toEqual({ schema: 'fermata/runs/1', runs: [runs[0]] });
  });
});

describe('the command line', () => {
  it('without a command shows help on stderr and is a usage error', async () => {
    const cli = fakeCli();
    expect(await cli.run()).toBe(exitCodes.usage);
    expect(cli.stdout.text()).toBe('');
    expect(cli.stderr.text()).toContain('Usage: fermata');
  });

  it('help of a command is a result', async () => {
    const cli = fakeCli();
    expect(await cli.run('query', '--help')).toBe(0);
    expect(cli.stdout.text()).toContain('--max-cost');
  });

  it.each(['models', 'cache', 'config'])('%s alone shows its commands on stderr and is a usage error', async (name) => {
    const cli = fakeCli();
    expect(await cli.run(name)).toBe(exitCodes.usage);
    expect(cli.stderr.text()).toContain(`Usage: fermata ${name}`);
    expect(cli.stderr.text()).not.toContain('error [');
  });

  it('an unknown command suggests the nearest', async () => {
    const cli = fakeCli();
    expect(await cli.run('qurey')).toBe(exitCodes.usage);
    expect(cli.stderr.text()).toContain('query');
  });

  it.each([
    [{}, [], true],
    [{ NO_COLOR: '1' }, [], false],
    [{}, ['--no-color'], false],
  ])('colours: %j %j', async (env, flags, coloured) => {
    const failure = new FermataError('RunNotFound', 'none');
    const cli = fakeCli({ fermata: fakeFermata([{ table, failure }]), env, stderrColumns: 80 });
    await cli.run('result', 'r', ...flags);
    expect(cli.stderr.text().includes('\u001b[31m')).toBe(coloured);
  });

  it('connection flags reach every process as environment', async () => {
    let seen: Readonly<Record<string, string | undefined>> = {};
    const fermata = fakeFermata([{ table }], { runs });
    const cli = fakeCli({
      services: {
        connect: (place) => {
          seen = place.env;
          return Promise.resolve(fermata);
        },
      },
    });
    await cli.run('runs', '--address', 'h:7233', '--namespace', 'n', '--profile', 'p', '--config', 'c.yaml');
    expect(seen).toEqual({
      TEMPORAL_ADDRESS: 'h:7233',
      TEMPORAL_NAMESPACE: 'n',
      TEMPORAL_PROFILE: 'p',
      FERMATA_CONFIG: 'c.yaml',
    });
  });
});
