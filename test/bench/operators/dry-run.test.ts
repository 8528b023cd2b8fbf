import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBenchProject, type BenchProject } from '../../../bench/harness/project.js';
import { demoTruth } from '../../../bench/operators/demo-truth.js';
import { modelsOf } from '../../../bench/operators/pool-project.js';
import { type Pool, startPool } from '../../../bench/pool/start.js';
import type { RunOptions } from '../../../client/api.js';
import { demoFile, readTruth } from '../../../cli/demo/truth.js';

/** What `--dry-run` says beside what a run then takes, on the demo's complaints and the simulated pool. */

let pool: Pool;
let project: BenchProject;
beforeAll(async () => {
  pool = await startPool({ truth: [await demoTruth()], latencyScale: 0 });
  project = await openBenchProject(modelsOf({ sourced: pool }));
});
afterAll(async () => {
  await project.close();
  await pool.close();
});

const truth = await readTruth();
const components = [...new Set(truth.map(({ component }) => `'${component}'`))].sort().join(', ');
const crash = "AI_FILTER('The complaint {summary} reports a crash')";
const component = `AI_CLASSIFY(summary, [${components}], {task_description: 'Which component?'}) AS component`;
const what =
  "AI_EXTRACT(summary, {event: 'string: What happened, in at most ten words?', injured: 'boolean: Was somebody hurt?'}) AS what";
const twice = '(SELECT * FROM complaints UNION ALL SELECT * FROM complaints)';
const cascade: RunOptions['strategy'] = {
  kind: 'cascade',
  proxy: 'mini-sourced',
  targets: { recall: 0.9, precision: 0.9, confidence: 0.95 },
};

const queries: readonly [name: string, sql: string, options?: Pick<RunOptions, 'strategy'>][] = [
  ['a filter', `SELECT id FROM complaints WHERE ${crash}`],
  ['a value', `SELECT id, ${component} FROM complaints`],
  ['a filter and values', `SELECT id, ${component}, ${what} FROM complaints WHERE ${crash}`],
  ['equal inputs', `SELECT id, ${what} FROM ${twice} AS c WHERE ${crash}`],
  ['a limit', `SELECT id FROM complaints WHERE ${crash} LIMIT 10`],
  ['a limit with a value', `SELECT id, ${component} FROM complaints WHERE ${crash} LIMIT 5`],
  ['a limit without a filter', `SELECT id, ${component} FROM complaints LIMIT 7`],
  ['a cascade over too few rows', `SELECT id FROM complaints WHERE ${crash}`, { strategy: cascade }],
];

describe('a dry run is within 20 % of the run', () => {
  test.each(queries)('%s', async (_, sql, more = {}) => {
    const options: RunOptions = { ...more, tables: { complaints: demoFile('complaints.csv') }, cache: false };
    const { total } = await project.fermata.estimate(sql, options);
    pool.resetCounts();
    const run = await project.fermata.sql(sql, options);
    const { spend, errors } = await run.result();
    expect(errors.count).toBe(0);
    expect(Math.abs(total.calls.expected / spend.calls - 1)).toBeLessThanOrEqual(0.2);
    expect(Math.abs((total.usd?.expected ?? 0) / spend.usd - 1)).toBeLessThanOrEqual(0.2);
    expect(total.calls.low).toBeLessThanOrEqual(spend.calls);
    expect(total.calls.high).toBeGreaterThanOrEqual(spend.calls);
  });
});
