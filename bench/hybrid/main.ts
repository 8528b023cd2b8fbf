/** Semantic SQL over joins on the simulated pool under every placement: calls, USD, seconds, F1 against pushdown. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Placement, placements } from '../../plans/protocol/placement.js';
import type { RunResult } from '../../plans/protocol/run.js';
import { openBenchProject } from '../harness/project.js';
import { type Report, type Row, round } from '../harness/report.js';
import { modelName, modelsOf, unlimited } from '../operators/pool-project.js';
import { defaultProfiles } from '../pool/profile.schema.js';
import { startPool } from '../pool/start.js';
import { booksAndReviews, csvOf, orders, truthOf } from './data.js';
import { queries } from './queries.js';

interface Ran {
  readonly placement: Placement;
  readonly rows: readonly string[];
  readonly result: RunResult;
}

export async function bench([size]: readonly string[]): Promise<Report> {
  const scale = size === undefined ? 1 : Number(size);
  const tables = [...booksAndReviews(0.1 * scale), ...orders(scale)];
  const truth = tables.map(truthOf);
  const pool = await startPool({ profiles: unlimited(defaultProfiles()), truth, seed: 1, latencyScale: 0 });
  const project = await openBenchProject(modelsOf({ sourced: pool }));
  const measured: Row[] = [];
  const totals: Record<string, number[]> = {};
  try {
    const files: Record<string, string> = {};
    for (const table of tables) {
      files[table.name] = join(project.dir, `${table.name}.csv`);
      await writeFile(join(project.dir, `${table.name}.csv`), csvOf(table));
    }
    const options = { tables: files, cache: false, model: modelName('strong', 'sourced') };
    for (const { name, sql } of queries) {
      const ran: Ran[] = [];
      for (const placement of placements) {
        const run = await project.fermata.sql(sql, { ...options, placement });
        const rows = await run.rows();
        ran.push({ placement, rows: rows.map(rowText), result: await run.result() });
      }
      const low = ran.find(({ placement }) => placement === 'pushdown');
      for (const one of ran) {
        measured.push(rowOf(name, one, low?.rows ?? []));
        totals[one.placement] = [...(totals[one.placement] ?? []), one.result.spend.calls];
      }
    }
  } finally {
    await project.close();
    await pool.close();
  }
  return {
    bench: 'hybrid',
    simulated:
      'SIMULATED models: the pool answers made-up tables from their truth, at once, with the errors and prices of bench/pool/profiles.json ' +
      '(sim-strong). The engine is real; seconds are those of the engine alone.',
    sections: [
      { title: `Semantic SQL over joins, scale ${scale}`, rows: measured },
      { title: 'Calls by placement', rows: placements.map((placement) => summary(placement, totals)) },
    ],
  };
}

const rowText = (row: Readonly<Record<string, unknown>>): string => Object.values(row).map(String).join('|');

function rowOf(query: string, { placement, rows, result }: Ran, wanted: readonly string[]): Row {
  return {
    query,
    placement,
    calls: result.spend.calls,
    'USD (pool)': round(result.spend.usd, 4),
    seconds: round(result.ms / 1000),
    rows: rows.length,
    'F1 to pushdown': round(f1(rows, wanted), 3),
  };
}

/** Of two bags of rows. */
function f1(found: readonly string[], wanted: readonly string[]): number {
  const left = new Map<string, number>();
  for (const row of wanted) left.set(row, (left.get(row) ?? 0) + 1);
  let common = 0;
  for (const row of found) {
    const open = left.get(row) ?? 0;
    if (open === 0) continue;
    left.set(row, open - 1);
    common += 1;
  }
  return found.length + wanted.length === 0 ? 1 : (2 * common) / (found.length + wanted.length);
}

function summary(placement: Placement, totals: Readonly<Record<string, readonly number[]>>): Row {
  const [own = [], low = []] = [totals[placement], totals['pushdown']];
  const logs = own.map((calls, at) => Math.log((low[at] ?? calls) / Math.max(1, calls)));
  const sum = own.reduce((total, calls) => total + calls, 0);
  const times = Math.exp(logs.reduce((total, one) => total + one, 0) / Math.max(1, logs.length));
  return { placement, 'calls in sum': sum, 'times fewer than pushdown (geometric mean)': round(times, 2) };
}
