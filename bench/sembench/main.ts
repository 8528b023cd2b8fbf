/**
 * SemBench's queries on the simulated pool, in Fermata's systems: quality against gold, calls, tokens, USD and seconds as the pool
 * counts them. What was measured stays in a journal, so that a run that was interrupted goes on where it was.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FermataError } from '../../plans/protocol/errors.js';
import type { WeightPreset } from '../../plans/tuning/objective/objective.js';
import { openBenchProject } from '../harness/project.js';
import type { Report, Section } from '../harness/report.js';
import { unlimited } from '../operators/pool-project.js';
import { defaultProfiles } from '../pool/profile.schema.js';
import { startPool } from '../pool/start.js';
import { cars } from './cars.js';
import { type Flags, readFlags } from './flags.js';
import { openJournal } from './journal.js';
import { manifestOf } from './manifest.js';
import { measure } from './measure.js';
import { mmqa } from './mmqa.js';
import { markdown, resultsPage } from './page.js';
import { movie } from './movie/scenario.js';
import { type Entry, keyOf } from './record.js';
import { csvOf, dataFolder, type Loaded, type Scenario } from './scenario.js';
import { compare, comparisonRows, entryRow } from './summary.js';
import { aliases, applies, backends, quickSystems, systems } from './systems.js';

const scenarios: Readonly<Record<string, Scenario>> = { movie, cars, mmqa };

/** Calls in flight, of any system. */
const concurrency = 20;

export async function bench(args: readonly string[]): Promise<Report> {
  const flags = readFlags(args);
  const scenario = named(scenarios, flags.scenario, 'scenario');
  for (const name of flags.systems) named(systems, name, 'system');
  const data = dataFolder(scenario);
  const loaded = scenario.load(data, flags.scale ?? scenario.rows);
  const profiles = unlimited(defaultProfiles());
  const settings = { rows: flags.scale ?? scenario.rows, concurrency, timeScale: flags.timeScale };
  const { synthetic } = loaded;
  const manifest = manifestOf(scenario, settings, {
    data,
    profiles,
    ...(synthetic === undefined ? {} : { synthetic }),
  });
  const path = join('bench', 'results', `sembench-${scenario.name}.jsonl`);
  const journal = openJournal(path);
  await writeFile(path.replace(/jsonl$/, `${manifest.hash}.manifest.json`), `${JSON.stringify(manifest, null, 2)}\n`);
  const entries: Entry[] = [];
  for (let seed = 1; seed <= flags.repeat; seed++) {
    const wanted = wantedOf(loaded, flags).map((pair) => ({
      ...pair,
      asked: { scenario: scenario.name, query: pair.query.id, system: pair.name, seed, manifest: manifest.hash },
    }));
    const missing = wanted.filter(({ asked }) => journal.find(keyOf(asked)) === undefined);
    if (missing.length > 0) {
      const pool = await startPool({ profiles, aliases, truth: [loaded.truth], seed, latencyScale: flags.timeScale });
      const project = await openBenchProject(modelsAt(pool.url));
      try {
        const tables = await writeTables(loaded, project.dir);
        const at = {
          project,
          pool,
          tables,
          concurrency,
          loaded,
          timeScale: flags.timeScale,
          limitSeconds: flags.limitSeconds,
        };
        for (const { query, system, asked } of missing) {
          const entry: Entry = { ...asked, ...(await measure(at, system, query)) };
          process.stderr.write(`${JSON.stringify(entryRow(entry))}\n`);
          journal.add(entry);
        }
      } finally {
        await project.close();
        await pool.close();
      }
    }
    entries.push(...wanted.flatMap(({ asked }) => journal.find(keyOf(asked)) ?? []));
  }
  const report: Report = {
    bench: `sembench-${scenario.name}`,
    simulated:
      'SIMULATED models: sim-strong, sim-mini and sim-nano of bench/pool/profiles.json answer from the labels of the data, with drawn errors, ' +
      `at list prices, ${concurrency} in flight. Simulated latency is slept at ${flags.timeScale} of its length. The engine is real.` +
      (synthetic === undefined ? '' : ` SYNTHETIC rows: ${synthetic}.`),
    sections: sectionsOf(scenario, loaded, entries, flags.repeat),
  };
  const results = { manifest, entries, simulated: report.simulated, sections: report.sections };
  await writeFile(path.replace(/jsonl$/, 'html'), resultsPage(results));
  await writeFile(path.replace(/jsonl$/, 'md'), markdown(results));
  return report;
}

function sectionsOf(
  scenario: Scenario,
  loaded: Loaded,
  entries: readonly Entry[],
  repeats: number,
): readonly Section[] {
  const singles = Object.entries(systems).flatMap(([name, system]) => ('single' in system ? [name] : []));
  const searched = Object.entries(systems).flatMap(([name, system]): readonly (readonly [string, WeightPreset])[] =>
    'search' in system ? [[name, system.search]] : [],
  );
  const seeds = Array.from({ length: repeats }, (_, at) => at + 1);
  return seeds.flatMap((seed) => {
    const own = entries.filter((entry) => entry.seed === seed);
    const skipped = loaded.skipped.map(({ id, why }) => ({ query: id, note: `not run: ${why}` }));
    return [
      { title: `SemBench ${scenario.name}, seed ${seed}`, rows: [...own.map(entryRow), ...skipped] },
      ...searched.map(([system, preset]) => {
        const rows = comparisonRows(compare(own, { system, preset, singles }));
        const wins = rows.filter((row) => row['beats'] === true).length;
        return { title: `${system} beats the best single backend on ${wins} of ${rows.length} (${preset})`, rows };
      }),
    ];
  });
}

function wantedOf(loaded: Loaded, { queries, systems: named, quick }: Flags) {
  const chosen = named.length === 0 && quick ? quickSystems : named;
  for (const id of queries) {
    if (!loaded.queries.some((query) => query.id === id))
      unknown(
        'query',
        id,
        loaded.queries.map((query) => query.id),
      );
  }
  return loaded.queries
    .filter(({ id }) => queries.length === 0 || queries.includes(id))
    .flatMap((query) =>
      Object.entries(systems)
        .filter(([name, system]) => (chosen.length === 0 || chosen.includes(name)) && applies(system, query))
        .map(([name, system]) => ({ query, name, system })),
    );
}

function named<T>(table: Readonly<Record<string, T>>, name: string, what: string): T {
  return table[name] ?? unknown(what, name, Object.keys(table));
}

function unknown(what: string, name: string, known: readonly string[]): never {
  throw new FermataError('BadArgument', `There is no ${what} ${name}; there are ${known.join(', ')}`);
}

function modelsAt(baseUrl: string): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const profiles = defaultProfiles();
  return Object.fromEntries(
    Object.entries(backends).map(([name, model]) => {
      const { task, price } = profiles[model] ?? {};
      const kind = { kind: 'openai', model, baseUrl, apiKeyEnv: 'BENCH_KEY', price, limits: { concurrency } };
      return [name, task === 'chat' ? kind : { ...kind, task }];
    }),
  );
}

async function writeTables({ tables }: Loaded, dir: string): Promise<Readonly<Record<string, string>>> {
  const paths: Record<string, string> = {};
  for (const [name, table] of Object.entries(tables)) {
    paths[name] = join(dir, `${name}.csv`);
    await writeFile(join(dir, `${name}.csv`), csvOf(table));
  }
  return paths;
}
