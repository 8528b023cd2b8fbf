import { tableFromArrays } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import type { RunDescription } from '../../../client/api.js';
import { FermataError, exitCodes } from '../../../plans/protocol/errors.js';
import { fakeCli } from '../../support/fake-cli.js';
import { fakeFermata, noEstimate, noSpend } from '../../support/fake-fermata.js';

const table = tableFromArrays({ id: Int32Array.of(1, 2) });
const range = { low: 0, expected: 60, high: 100 };
const estimate = {
  calls: [
    {
      ...{ id: 'f0', operator: 'filter', intent: 'Is it good? {0}', model: 'small' },
      ...{ rows: 100, distinct: 100, cached: 0, calls: range, tokens: range },
    },
  ],
  total: { calls: range, tokens: range },
};
const operator = {
  ...{ id: 'f0', operator: 'filter', intent: 'Is it good? {0}', model: 'small', inputs: 100, answered: 100 },
  ...{
    calls: 77,
    cached: 23,
    retries: 0,
    failed: 0,
    usd: 0,
    unpriced: 77,
    inputTokens: 900,
    outputTokens: 77,
    ms: 61_000,
  },
};
const result = { operators: [operator], spend: { ...noSpend, calls: 77, cached: 23, unpriced: 77 } };

describe('explain --analyze', () => {
  it('runs the query and shows both, without its rows', async () => {
    const fermata = fakeFermata([{ table, result }], { estimate });
    const cli = fakeCli({ fermata });
    expect(await cli.run('explain', 'SELECT 1', '--analyze', '--max-calls', '80')).toBe(0);
    expect(fermata.started).toMatchObject([{ sql: 'SELECT 1', options: { budget: { calls: 80 } } }]);
    const [head, titles, row, foreseen, taken] = cli.stdout.text().split('\n');
    expect(head).toMatch(/^2 rows · complete · run /);
    expect(titles).toMatch(/est calls +calls +cached .*est USD +USD +to the end +intent$/);
    expect(row).toMatch(/60 \[0–100\] +77 +23 .*price unknown +price unknown +1 min 01 s +Is it good/);
    expect(foreseen).toMatch(/^estimated: 60 \[0–100\] calls · .* · price unknown$/);
    expect(taken).toMatch(/^measured: 77 calls · 23 cached · 0 failed · /);
  });

  it('puts what was measured on the tree of a join', async () => {
    const asks = { distinct: 90, calls: 90, positions: [30] };
    const leaf = { id: 'where0', kind: 'semantic-filter' as const, title: 'SemanticFilter', rows: 9, cost: 1 };
    const root = { ...leaf, asks, reasons: [], inputs: [] };
    const joins = [{ strategy: 'cost', root, calls: 90, relationalRows: 5, cost: 95, trace: [] }];
    const description: RunDescription = {
      request: { v: 1, sql: '', tables: [], onError: 'null', maxErrorRatio: 1, cache: true },
      joins,
    };
    const placed = { ...result, operators: [{ ...operator, position: 30 }] };
    const run = (...flags: string[]) => {
      const cli = fakeCli({ fermata: fakeFermata([{ table, result: placed, description }], { estimate }) });
      return cli.run('explain', 'SELECT 1', '--analyze', ...flags).then(() => cli.stdout.text());
    };
    expect(await run()).toMatch(/\n\nSemanticFilter .*\n.*\n +actual 100 distinct prompts · 77 calls · 23 cached · /);
    const json = JSON.parse(await run('--json')) as { joins: unknown[] };
    expect(json.joins).toMatchObject([{ strategy: 'cost', root: { measured: { calls: 77 } } }]);
  });

  it('as JSON', async () => {
    const cli = fakeCli({ fermata: fakeFermata([{ table, result }], { estimate }) });
    expect(await cli.run('explain', 'SELECT 1', '--analyze', '--json')).toBe(0);
    const [one] = (JSON.parse(cli.stdout.text()) as { operators: unknown[] }).operators;
    expect(one).toMatchObject({ estimated: { calls: range }, measured: { calls: 77, seconds: 61 } });
    expect(JSON.parse(cli.stdout.text())).toMatchObject({ schema: 'fermata/analysis/1', rows: 2 });
  });

  it('tells remarks on stderr', async () => {
    const cli = fakeCli({ fermata: fakeFermata([{ table, result: { notes: ['one remark'] } }], { estimate }) });
    await cli.run('explain', 'SELECT 1', '--analyze');
    expect(cli.stderr.text()).toContain('note: one remark');
    expect(cli.stdout.text()).not.toContain('remark');
  });

  it('asks before it spends more than the threshold', async () => {
    const failure = new FermataError('NeedsConfirmation', 'expected to cost $3.00');
    const dear = { ...noEstimate, total: { ...noEstimate.total, usd: { low: 2, expected: 3, high: 4 } } };
    const cli = fakeCli({ fermata: fakeFermata([{ table, failure }], { estimate: dear }) });
    expect(await cli.run('explain', 'SELECT 1', '--analyze')).toBe(exitCodes.needsConfirmation);
    expect(cli.stdout.text()).toBe('');
    const yes = fakeFermata([{ table }], { estimate: dear });
    expect(await fakeCli({ fermata: yes }).run('explain', 'SELECT 1', '--analyze', '--yes')).toBe(0);
    expect(yes.started[0]?.options).not.toHaveProperty('confirmAboveUsd');
  });

  it.each([
    ['a run that its budget stopped', { stop: 'budget-calls' as const }, exitCodes.budget],
    ['too many failed rows', { errors: { object: '', count: 1, ratio: 0.9 } }, exitCodes.rowErrors],
  ])('%s keeps its exit code', async (_, change, code) => {
    const cli = fakeCli({ fermata: fakeFermata([{ table, result: { ...result, ...change } }], { estimate }) });
    expect(await cli.run('explain', 'SELECT 1', '--analyze')).toBe(code);
  });

  it('says what was left undecided', async () => {
    const stopped = { ...result, stop: 'budget-calls' as const, undecided: 23 };
    const cli = fakeCli({ fermata: fakeFermata([{ table, result: stopped }], { estimate }) });
    await cli.run('explain', 'SELECT 1', '--analyze');
    expect(cli.stdout.text().split('\n')[1]).toBe('23 rows not decided when the run stopped');
  });

  it('is not --compare', async () => {
    const fermata = fakeFermata([{ table }]);
    expect(await fakeCli({ fermata }).run('explain', 'SELECT 1', '--analyze', '--compare')).toBe(exitCodes.usage);
    expect(fermata.started).toEqual([]);
  });
});
