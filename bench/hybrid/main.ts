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
import { queries, schemas } from './queries.js';
import { type PeerRan, runSwan } from './swan.js';
import { csvOf, type HybridSchema, truthOf } from './schemas/table.js';

interface Ran {
  readonly placement: Placement;
  readonly rows: readonly string[];
  readonly result: RunResult;
  /** Of the same query when every answer is known: what is left is relational work and orchestration. */
  readonly againMs: number;
}

/** Names of queries, or none for all. */
export async function bench(names: readonly string[]): Promise<Report> {
  const truth = schemas.flatMap(truthOf);
  const pool = await startPool({ profiles: unlimited(defaultProfiles()), truth, seed: 1, latencyScale: 0 });
  const project = await openBenchProject(modelsOf({ sourced: pool }));
  const chosen = queries.filter(({ name }) => names.length === 0 || names.includes(name));
  const byQuery = new Map<string, readonly Ran[]>();
  const peers = new Map<string, PeerRan | Error>();
  try {
    const files = new Map<string, Readonly<Record<string, string>>>();
    for (const schema of schemas) files.set(schema.name, await writeTables(schema, project.dir));
    for (const { name, schema, sql } of chosen) {
      const ran: Ran[] = [];
      for (const placement of placements) {
        const options = { tables: files.get(schema.name) ?? {}, model: modelName('strong', 'sourced'), placement };
        const run = await project.fermata.sql(sql, { ...options, cache: false });
        const [rows, result] = [await run.rows(), await run.result()];
        const again = await (await project.fermata.sql(sql, options)).result();
        ran.push({ placement, rows: rows.map(rowText), result, againMs: again.ms });
      }
      byQuery.set(name, ran);
      peers.set(name, await runSwan(sql, files.get(schema.name) ?? {}, pool).catch(asError));
    }
  } finally {
    await project.close();
    await pool.close();
  }
  const measured = [...byQuery].flatMap(([name, ran]) => ran.map((one) => rowOf(name, one, baseline(ran).rows)));
  return {
    bench: 'hybrid',
    simulated:
      'SIMULATED models: the pool answers made-up tables from their truth, at once, with the errors and prices of bench/pool/profiles.json ' +
      '(sim-strong). The engine is real; seconds are those of the engine alone, "again" when every answer is known.',
    sections: [
      { title: "Semantic SQL over joins, PLOP's mix of thirty queries", rows: measured },
      { title: 'By placement', rows: placements.map((placement) => summary(placement, [...byQuery.values()])) },
      { title: 'Beside SWAN-AISQL', rows: [...byQuery].map(([name, ran]) => beside(name, ran, peers.get(name))) },
      { title: 'In sum, of the queries that both ran', rows: peerSum([...byQuery], peers) },
    ],
  };
}

async function writeTables({ name, tables }: HybridSchema, dir: string): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  for (const table of tables) {
    files[table.name] = join(dir, `${name}-${table.name}.csv`);
    await writeFile(join(dir, `${name}-${table.name}.csv`), csvOf(table));
  }
  return files;
}

function baseline(ran: readonly Ran[]): Ran {
  const low = ran.find(({ placement }) => placement === 'pushdown');
  if (low === undefined) throw new Error('pushdown was not run');
  return low;
}

const rowText = (row: Readonly<Record<string, unknown>>): string => Object.values(row).map(String).join('|');

function rowOf(query: string, { placement, rows, result, againMs }: Ran, wanted: readonly string[]): Row {
  return {
    query,
    placement,
    calls: result.spend.calls,
    'USD (pool)': round(result.spend.usd, 4),
    seconds: round(result.ms / 1000),
    again: round(againMs / 1000),
    rows: rows.length,
    'F1 to pushdown': round(f1(rows, wanted), 3),
  };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

function adaptive(ran: readonly Ran[]): Ran {
  const own = ran.find(({ placement }) => placement === 'adaptive');
  if (own === undefined) throw new Error('adaptive was not run');
  return own;
}

function beside(query: string, ran: readonly Ran[], peer: PeerRan | Error | undefined): Row {
  const { result } = adaptive(ran);
  const own = { query, 'calls (adaptive)': result.spend.calls };
  if (peer === undefined || peer instanceof Error) return { ...own, note: peer?.message ?? 'not run' };
  return {
    ...{ ...own, 'calls (SWAN)': peer.calls },
    ...{ 'USD (adaptive)': round(result.spend.usd, 4), 'USD (SWAN)': round(peer.usd, 4) },
    ...{ 'seconds (adaptive)': round(result.ms / 1000), 'seconds (SWAN)': round(peer.seconds) },
    'F1 of SWAN to pushdown': round(f1(peer.rows.map(peerText).map(rounded), baseline(ran).rows.map(rounded)), 3),
  };
}

/** Sums of the same numbers in another order differ in their last digits. */
const rounded = (row: string): string =>
  row
    .split('|')
    .map((cell) => (cell !== '' && Number.isFinite(Number(cell)) ? Number(cell).toPrecision(12) : cell))
    .join('|');

const peerText = (row: readonly unknown[]): string => row.map(String).join('|');

function peerSum(
  byQuery: readonly (readonly [string, readonly Ran[]])[],
  peers: ReadonlyMap<string, PeerRan | Error>,
): readonly Row[] {
  const both = byQuery.flatMap(([name, ran]) => {
    const peer = peers.get(name);
    return peer === undefined || peer instanceof Error ? [] : [{ own: adaptive(ran).result, peer }];
  });
  const total = (system: string, used: readonly { calls: number; usd: number; seconds: number }[]): Row => ({
    ...{ system, queries: used.length, calls: sum(used.map(({ calls }) => calls)) },
    'USD (pool)': round(sum(used.map(({ usd }) => usd)), 4),
    seconds: round(sum(used.map(({ seconds }) => seconds))),
  });
  return [
    total(
      'fermata, adaptive',
      both.map(({ own }) => ({ calls: own.spend.calls, usd: own.spend.usd, seconds: own.ms / 1000 })),
    ),
    total(
      'swan-aisql',
      both.map(({ peer }) => peer),
    ),
  ];
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

function summary(placement: Placement, all: readonly (readonly Ran[])[]): Row {
  const own = all.flatMap((ran) => ran.filter((one) => one.placement === placement));
  const times = (of: (ran: Ran) => number): number =>
    geometricMean(own.map((one, at) => Math.max(1e-6, of(baseline(all[at] ?? []))) / Math.max(1e-6, of(one))));
  const f1s = own.map(({ rows }, at) => f1(rows, baseline(all[at] ?? []).rows));
  return {
    placement,
    'calls in sum': sum(own.map(({ result }) => result.spend.calls)),
    'USD (pool)': round(sum(own.map(({ result }) => result.spend.usd)), 4),
    'times fewer calls': round(
      times(({ result }) => Math.max(1, result.spend.calls)),
      2,
    ),
    'times less USD': round(
      times(({ result }) => Math.max(1e-4, result.spend.usd)),
      2,
    ),
    'times faster again': round(
      times(({ againMs }) => againMs),
      2,
    ),
    'least F1': round(Math.min(...f1s), 3),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const geometricMean = (values: readonly number[]): number =>
  Math.exp(sum(values.map(Math.log)) / Math.max(1, values.length));
