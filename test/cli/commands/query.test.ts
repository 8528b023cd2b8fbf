import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBConnection } from '@duckdb/node-api';
import { tableFromArrays, tableFromIPC } from 'apache-arrow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadServices } from '../../../cli/load-services.js';
import { type ErrorCode, FermataError, errorTable, exitCodes } from '../../../plans/protocol/errors.js';
import { stopReasons } from '../../../plans/protocol/run.js';
import { fakeCli } from '../../support/fake-cli.js';
import { fakeFermata, noEstimate, noSpend } from '../../support/fake-fermata.js';

const table = tableFromArrays({ id: Int32Array.of(1, 2), title: ['a', 'b,c'] });
const dear = { ...noEstimate, total: { ...noEstimate.total, usd: { low: 2, expected: 3, high: 4 } } };
const needed = new FermataError('NeedsConfirmation', 'expected to cost $3.00');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fermata-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('what a query is', () => {
  it.each([
    ['text', ['query', 'SELECT 1']],
    ['-c', ['query', '-c', 'SELECT 1']],
    ['a dash for stdin', ['query', '-']],
    ['a .sql file', ['query', 'q.sql']],
    ['-f', ['query', '-f', 'q.sql']],
  ])('%s', async (_, args) => {
    writeFileSync(join(folder, 'q.sql'), 'SELECT 1');
    const fermata = fakeFermata([{ table }]);
    const cli = fakeCli({ fermata, cwd: folder, stdin: 'SELECT 1' });
    expect(await cli.run(...args)).toBe(0);
    expect(fermata.started[0]?.sql).toBe('SELECT 1');
    expect(fermata.closed).toBe(true);
  });

  it.each([
    ['none', []],
    ['two', ['SELECT 1', '-c', 'SELECT 2']],
    ['an empty one', ['']],
  ])('%s is a usage error', async (_, args) => {
    const cli = fakeCli({ fermata: fakeFermata([{ table }]) });
    expect(await cli.run('query', ...args)).toBe(exitCodes.usage);
    expect(cli.stdout.text()).toBe('');
  });

  it('a file that is not there is named', async () => {
    const cli = fakeCli({ fermata: fakeFermata([{ table }]), cwd: folder });
    expect(await cli.run('query', 'no.sql')).toBe(exitCodes.failed);
    expect(cli.stderr.text()).toContain('no.sql');
  });
});

it('turns flags into what the library takes', async () => {
  const fermata = fakeFermata([{ table }]);
  const cli = fakeCli({ fermata });
  const flags = [
    ['--table', 'r=reviews.csv', '--table', 'dir/my photos.parquet', '--image', 'my_photos.pic', '--audio', 'r.clip'],
    ['--max-cost', '2.5', '--max-calls', '10', '--max-tokens', '1000', '--max-seconds', '60'],
    ['--on-error', 'skip', '--max-error-ratio', '0.2', '--no-cache', '--model', 'small', '--yes'],
  ];
  expect(await cli.run('query', 'SELECT 1', ...flags.flat())).toBe(0);
  expect(fermata.started[0]?.options).toEqual({
    tables: {
      r: { path: 'reviews.csv', audio: ['clip'] },
      my_photos: { path: 'dir/my photos.parquet', image: ['pic'] },
    },
    budget: { usd: 2.5, calls: 10, tokens: 1000, seconds: 60 },
    onError: 'skip',
    maxErrorRatio: 0.2,
    cache: false,
    model: 'small',
  });
});

it.each([
  ['an unknown flag', ['--presto']],
  ['an unknown format', ['-o', 'xml']],
  ['an unknown error mode', ['--on-error', 'keep']],
  ['a cost that is no number', ['--max-cost', 'cheap']],
  ['a negative budget', ['--max-calls', '-1']],
  ['half a call', ['--max-calls', '1.5']],
  ['a share above one', ['--max-error-ratio', '5']],
  ['an image without a table', ['--image', 'pic']],
  ['an image of two possible tables', ['--table', 'a.csv', '--table', 'b.csv', '--image', 'pic']],
  ['two tables of one name', ['--table', 'x/a.csv', '--table', 'y/a.csv']],
  ['a file whose ending says nothing', ['--out', 'rows.bin']],
])('%s is a usage error before anything is started', async (_, flags) => {
  const fermata = fakeFermata([{ table }]);
  const cli = fakeCli({ fermata });
  expect(await cli.run('query', 'SELECT 1', ...flags)).toBe(exitCodes.usage);
  expect(cli.stderr.text()).toMatch(/^error \[FRM1202\] /);
  expect(cli.stdout.text()).toBe('');
  expect(fermata.started).toEqual([]);
});

describe('exit codes', () => {
  it.each(Object.keys(errorTable) as ErrorCode[])('%s ends as its row in the table says', async (code) => {
    const failure = new FermataError(code, 'it went wrong', { hint: 'do this' });
    const cli = fakeCli({ fermata: fakeFermata([{ table, failure }]) });
    expect(await cli.run('query', 'SELECT 1')).toBe(exitCodes[errorTable[code].exit]);
    expect(cli.stderr.text()).toContain(`FRM${errorTable[code].number}`);
    expect(cli.stdout.text()).toBe('');
  });

  it.each(stopReasons)('a run that ended as %s delivers its rows', async (stop) => {
    const cli = fakeCli({ fermata: fakeFermata([{ table, result: { stop } }]) });
    const expected = stop === 'complete' ? exitCodes.ok : stop === 'cancelled' ? exitCodes.failed : exitCodes.budget;
    expect(await cli.run('query', 'SELECT 1', '-o', 'csv')).toBe(expected);
    expect(cli.stdout.text()).toBe('id,title\r\n1,a\r\n2,"b,c"\r\n');
  });

  it.each([
    [0.05, 0],
    [0.06, exitCodes.rowErrors],
  ])('failed rows count from above the ratio: %d', async (ratio, expected) => {
    const errors = [{ row: 4, operator: 'f0', code: 'badOutput', message: 'no verdict' }];
    const fermata = fakeFermata([{ table, errors, result: { errors: { object: 'e', count: 1, ratio } } }]);
    const cli = fakeCli({ fermata });
    expect(await cli.run('query', 'SELECT 1')).toBe(expected);
    expect(cli.stderr.text()).toMatch(/row 4 +f0 +badOutput +no verdict/);
  });

  it('a stranger among the errors is internal', async () => {
    const cli = fakeCli({ fermata: fakeFermata([{ table, failure: new TypeError('x is not a function') }]) });
    expect(await cli.run('query', 'SELECT 1')).toBe(exitCodes.internal);
    expect(cli.stderr.text()).toContain('x is not a function');
  });
});

describe('errors', () => {
  const sql = "SELECT *\nFROM r\nWHERE AI_FILTER('{titel} is good')";
  const failure = new FermataError('UnknownColumn', 'table r has no column titel', {
    hint: 'did you mean title?',
    where: { table: 'r', column: 'titel', position: sql.indexOf('{titel}') },
  });

  it('shows place, line, caret and hint', async () => {
    const cli = fakeCli({ fermata: fakeFermata([{ table, failure }]) });
    await cli.run('query', sql);
    const text = cli.stderr.text();
    expect(text.slice(text.indexOf('error'))).toBe(
      [
        'error [FRM1003] table r has no column titel',
        '  at table r, column titel',
        "  3 | WHERE AI_FILTER('{titel} is good')",
        '    |                  ^',
        '  hint: did you mean title?',
        '',
      ].join('\n'),
    );
  });

  it.each([[['--json']], [['-o', 'json']], [['--output=jsonl']], [['-ojson']]])('are JSON with %j', async (flags) => {
    const cli = fakeCli({ fermata: fakeFermata([{ table, failure }]) });
    await cli.run('query', sql, '-q', ...flags);
    expect(JSON.parse(cli.stderr.text())).toEqual({
      schema: 'fermata/error/1',
      number: 'FRM1003',
      exitCode: 1,
      ...failure.toJSON(),
    });
  });

  it('are JSON for a wrong flag too', async () => {
    const cli = fakeCli();
    expect(await cli.run('query', '--json', '--presto')).toBe(2);
    expect(JSON.parse(cli.stderr.text())).toMatchObject({ code: 'Usage' });
  });
});

describe('money', () => {
  it('takes no estimate of its own when the run stays below the threshold', async () => {
    const fermata = fakeFermata([{ table }]);
    await fakeCli({ fermata }).run('query', 'SELECT 1');
    expect(fermata.estimated).toEqual([]);
    expect(fermata.started[0]?.options.confirmAboveUsd).toBe(1);
  });

  it('a script without --yes ends with 5 and the estimate, and nothing runs', async () => {
    const fermata = fakeFermata([{ table, failure: needed }], { estimate: dear });
    const cli = fakeCli({ fermata });
    expect(await cli.run('query', 'SELECT 1')).toBe(exitCodes.needsConfirmation);
    expect(cli.stderr.text()).toMatch(/\$3\.00.*--yes/s);
    expect(fermata.started).toHaveLength(1);
  });

  it.each([
    ['y', 0, 2],
    ['yes', 0, 2],
    ['', exitCodes.needsConfirmation, 1],
    ['no', exitCodes.needsConfirmation, 1],
  ])('a person who answers %j', async (answer, exit, runs) => {
    const fermata = fakeFermata([{ table, failure: needed }, { table }], { estimate: dear });
    const cli = fakeCli({ fermata, answer });
    expect(await cli.run('query', 'SELECT 1')).toBe(exit);
    expect(cli.asked).toHaveLength(1);
    expect(fermata.started).toHaveLength(runs);
    expect(fermata.started[1]?.options.confirmAboveUsd).toBeUndefined();
  });

  it('--yes sends no threshold', async () => {
    const fermata = fakeFermata([{ table }]);
    await fakeCli({ fermata }).run('query', 'SELECT 1', '--yes');
    expect(fermata.started[0]?.options.confirmAboveUsd).toBeUndefined();
  });

  it('a detached run is asked about beforehand', async () => {
    const fermata = fakeFermata([{ table }], { estimate: dear });
    expect(await fakeCli({ fermata }).run('query', 'SELECT 1', '--detach')).toBe(exitCodes.needsConfirmation);
    expect(fermata.started).toEqual([]);
  });

  it('--dry-run prints the estimate as the result and starts nothing', async () => {
    const fermata = fakeFermata([{ table }], { estimate: dear });
    const cli = fakeCli({ fermata });
    expect(await cli.run('query', 'SELECT 1', '--dry-run', '--json')).toBe(0);
    expect(JSON.parse(cli.stdout.text())).toEqual({ schema: 'fermata/estimate/1', ...dear });
    expect(fermata.started).toEqual([]);
  });
});

describe('notes of the planner', () => {
  const notes = ['model_id has no effect', 'a second\nremark'];

  it('are told once on stderr, after the run as in an estimate, and are part of the JSON', async () => {
    const ran = fakeCli({ fermata: fakeFermata([{ table, result: { notes } }]) });
    expect(await ran.run('query', 'SELECT 1', '-o', 'csv')).toBe(0);
    expect(ran.stderr.text().match(/note: model_id has no effect/g)).toHaveLength(1);
    expect(ran.stderr.text()).not.toContain('a second\nremark');
    expect(ran.stdout.text()).not.toContain('note');

    const explained = fakeCli({ fermata: fakeFermata([{ table }], { estimate: { ...dear, notes } }) });
    expect(await explained.run('explain', 'SELECT 1')).toBe(0);
    expect(explained.stderr.text().match(/note: model_id has no effect/g)).toHaveLength(1);
    expect(explained.stdout.text()).not.toContain('note');

    const json = fakeCli({ fermata: fakeFermata([{ table, result: { notes } }]) });
    await json.run('query', 'SELECT 1', '--json');
    expect(JSON.parse(json.stdout.text())).toMatchObject({ notes });
  });

  it.each(['result', 'watch'])('of a detached run are told by %s, with its cost', async (name) => {
    const cli = fakeCli({ fermata: fakeFermata([{ table, result: { notes } }]) });
    expect(await cli.run(name, 'r')).toBe(0);
    expect(cli.stderr.text().match(/note: model_id has no effect/g)).toHaveLength(1);
    expect(cli.stderr.text()).toMatch(/total: .* calls? · .* cached/);
  });

  it('say nothing when there are none', async () => {
    const cli = fakeCli({ fermata: fakeFermata([{ table }]) });
    await cli.run('query', 'SELECT 1', '--json');
    expect(JSON.parse(cli.stdout.text())).not.toHaveProperty('notes');
    expect(cli.stderr.text()).not.toContain('note:');
  });
});

describe('streams', () => {
  it('keeps stdout for the rows alone, also under --progress json', async () => {
    const cli = fakeCli({ fermata: fakeFermata([{ table, result: { spend: { ...noSpend, calls: 3 } } }]) });
    await cli.run('query', 'SELECT 1', '-o', 'jsonl', '--progress', 'json');
    expect(cli.stdout.text()).toBe('{"id":1,"title":"a"}\n{"id":2,"title":"b,c"}\n');
    expect(cli.stderr.text()).toContain('total: 3 calls');
  });

  it('--progress json makes every line of stderr JSON, the report and the end too', async () => {
    const progress = [{ v: 1, runId: 'r', phase: 'running', operators: [], startedAt: 0, updatedAt: 1 } as const];
    const cli = fakeCli({ fermata: fakeFermata([{ table, progress, failure: new FermataError('RunFailed', 'no') }]) });
    expect(await cli.run('query', 'SELECT 1', '--progress', 'json')).toBe(exitCodes.failed);
    const events = cli.stderr
      .text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { schema: string; event?: string });
    expect(events.map(({ schema, event }) => event ?? schema)).toEqual(['note', 'progress', 'fermata/error/1']);
  });

  it('under --json a stderr that no person reads holds nothing but the error', async () => {
    const whole = fakeCli({ fermata: fakeFermata([{ table }]) });
    await whole.run('query', 'SELECT 1', '--json');
    expect(whole.stderr.text()).toBe('');
    const watched = fakeCli({ fermata: fakeFermata([{ table }]), stderrColumns: 80 });
    await watched.run('query', 'SELECT 1', '--json');
    expect(watched.stderr.text()).toContain('2 rows');
  });

  it('-q leaves stderr empty', async () => {
    const cli = fakeCli({ fermata: fakeFermata([{ table }]) });
    await cli.run('query', 'SELECT 1', '-q');
    expect(cli.stderr.text()).toBe('');
  });

  it('--json gives one document with its schema', async () => {
    const cli = fakeCli({ fermata: fakeFermata([{ table }]) });
    await cli.run('query', 'SELECT 1', '--json');
    expect(JSON.parse(cli.stdout.text())).toMatchObject({
      schema: 'fermata/run/1',
      runId: 'run-1',
      stop: 'complete',
      rowCount: 2,
      rows: [
        { id: 1, title: 'a' },
        { id: 2, title: 'b,c' },
      ],
    });
  });

  it('writes a file under its name only, with nothing on stdout', async () => {
    const cli = fakeCli({ fermata: fakeFermata([{ table }]), cwd: folder });
    expect(await cli.run('query', 'SELECT 1', '--out', 'sub/rows.csv')).toBe(0);
    expect(readFileSync(join(folder, 'sub/rows.csv'), 'utf8')).toBe('id,title\r\n1,a\r\n2,"b,c"\r\n');
    expect(readdirSync(join(folder, 'sub'))).toEqual(['rows.csv']);
    expect(cli.stdout.text()).toBe('');
  });

  it('sends Arrow as bytes to a pipe and never to a terminal', async () => {
    const rowsPath = join(folder, 'rows.arrow');
    const piped = fakeCli({ fermata: fakeFermata([{ table }], { rowsPath }) });
    expect(await piped.run('query', 'SELECT 1', '-o', 'arrow')).toBe(0);
    expect(tableFromIPC(piped.stdout.bytes()).toArray().map(String)).toEqual(table.toArray().map(String));
    const fermata = fakeFermata([{ table }], { rowsPath });
    expect(await fakeCli({ fermata, stdoutColumns: 80 }).run('query', 'SELECT 1', '-o', 'arrow')).toBe(exitCodes.usage);
    expect(fermata.started).toEqual([]);
  });

  it('makes Parquet that DuckDB reads back', async () => {
    const cli = fakeCli({
      fermata: fakeFermata([{ table }], { rowsPath: join(folder, 'rows.arrow') }),
      services: { toParquet: (arrow, parquet) => loadServices().toParquet(arrow, parquet) },
      cwd: folder,
    });
    expect(await cli.run('query', 'SELECT 1', '--out', 'rows.parquet')).toBe(0);
    const connection = await DuckDBConnection.create();
    const read = await connection.runAndReadAll(`SELECT * FROM '${join(folder, 'rows.parquet')}'`);
    expect(read.getRowObjects()).toEqual([
      { id: 1, title: 'a' },
      { id: 2, title: 'b,c' },
    ]);
    connection.closeSync();
  });
});

describe.each([
  ['query', ['query', 'SELECT 1']],
  ['explain --analyze', ['explain', 'SELECT 1', '--analyze']],
])('Ctrl-C in %s', (_, command) => {
  const never = new Promise<void>(() => undefined);

  it('the first one leaves the run alone and tells how to come back', async () => {
    const fermata = fakeFermata([{ table, until: never }]);
    const cli = fakeCli({ fermata });
    const ending = cli.run(...command);
    await untilStarted(fermata);
    cli.pressCtrlC();
    expect(await ending).toBe(exitCodes.interrupted);
    expect(fermata.told).toEqual([]);
    expect(cli.stderr.text()).toContain('fermata watch run-1');
    expect(cli.stderr.text()).toContain('fermata cancel run-1');
    expect(cli.stdout.text()).toBe('');
    expect(fermata.closed).toBe(true);
    expect(cli.listening()).toBe(0);
  });

  it('a second one cancels the run', async () => {
    const fermata = fakeFermata([{ table, until: never }]);
    const cli = fakeCli({ fermata, onSleep: () => cli.pressCtrlC() });
    const ending = cli.run(...command);
    await untilStarted(fermata);
    cli.pressCtrlC();
    expect(await ending).toBe(exitCodes.interrupted);
    expect(fermata.told).toEqual(['cancel']);
  });

  it('before the run began starts nothing to come back to', async () => {
    const fermata = fakeFermata([{ table }]);
    const slow = { ...fermata, sql: () => new Promise<never>(() => undefined) };
    const cli = fakeCli({ fermata: slow, onListen: () => setImmediate(() => cli.pressCtrlC()) });
    expect(await cli.run(...command)).toBe(exitCodes.interrupted);
    expect(cli.stderr.text()).not.toContain('fermata watch');
  });
});

it('--timeout leaves in the same way, without offering to cancel', async () => {
  const fermata = fakeFermata([{ table, until: new Promise<void>(() => undefined) }]);
  const cli = fakeCli({ fermata });
  expect(await cli.run('query', 'SELECT 1', '--timeout', '0.01')).toBe(exitCodes.interrupted);
  expect(cli.stderr.text()).toContain('fermata watch run-1');
  expect(fermata.told).toEqual([]);
});

it('--detach prints the id as its only result', async () => {
  const fermata = fakeFermata([{ table }]);
  const cli = fakeCli({ fermata });
  expect(await cli.run('query', 'SELECT 1', '--detach')).toBe(0);
  expect(cli.stdout.text()).toBe('run-1\n');
});

async function untilStarted(fermata: { readonly started: readonly unknown[] }): Promise<void> {
  while (fermata.started.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}
