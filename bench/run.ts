/**
 * Runs benchmarks by name: `node dist/bench/run.js orchestration.cpu`, or several, or none for a list. Each prints a table
 * and writes JSON under `bench/results/`.
 */
import type { Report } from './harness/report.js';
import { printSection, writeReport } from './harness/report.js';
import { FermataError } from '../plans/protocol/errors.js';

type Bench = (args: readonly string[]) => Promise<Report>;

/** Loaded by name, so that one bench does not pay for the imports of the others. */
const benches: Readonly<Record<string, { readonly about: string; readonly load: () => Promise<{ bench: Bench }> }>> = {
  cpu: {
    about: 'CPU a call over all processes, beside plain fetch; 500-row latency by phase',
    load: () => import('./orchestration/cpu.js'),
  },
  throughput: {
    about: 'rows a second through a no-op model, history and memory by rows [rows …]',
    load: () => import('./orchestration/throughput.js'),
  },
  flight: {
    about: 'share of the ideal rate at concurrency 16, calls in flight at 64',
    load: () => import('./orchestration/flight.js'),
  },
  faults: { about: 'rows lost when every tenth call fails', load: () => import('./faults.js') },
  peers: { about: 'the same filter in other systems; see docs/benchmarks.md', load: () => import('./peers/peers.js') },
  operators: {
    about: 'every operator and strategy on the simulated pool: calls, USD, quality [tickets]',
    load: () => import('./operators/main.js'),
  },
  joins: {
    about: 'joins by strategy on the simulated pool: pairs asked, calls, USD, F1',
    load: () => import('./operators/joins.js'),
  },
  memory: {
    about: 'peak memory of every process in a filter through the simulated pool [rows]',
    load: () => import('./operators/memory.js'),
  },
  hybrid: {
    about: 'thirty queries of semantic SQL over joins on the simulated pool, under every placement [Q1 …]',
    load: () => import('./hybrid/main.js'),
  },
  sembench: {
    about:
      "SemBench's queries on the simulated pool: quality, calls, USD, utility by system [--queries Q1,… --systems …]",
    load: () => import('./sembench/main.js'),
  },
  sandbox: {
    about: 'rows a second of generated code, a fresh context a batch beside one that lives on [rows]',
    load: () => import('./sandbox.js'),
  },
  router: {
    about: 'microseconds a row of features, scores, ranks and buckets, by length of text [rows]',
    load: () => import('./router.js'),
  },
  cli: { about: 'time that the command adds', load: () => import('./cli.js') },
};
const groups: Readonly<Record<string, readonly string[]>> = { orchestration: ['cpu', 'flight', 'throughput'] };

const [name = '', ...args] = process.argv.slice(2);
const chosen = groups[name] ?? [name];
for (const key of chosen) {
  const entry = benches[key];
  if (entry === undefined) {
    const list = Object.entries(benches).map(([known, { about }]) => `  ${known.padEnd(12)} ${about}`);
    process.stderr.write(`usage: bench NAME [args]\n${list.join('\n')}\n  orchestration = cpu, flight, throughput\n`);
    process.exitCode = 2;
    break;
  }
  const { bench } = await entry.load();
  let report: Report;
  try {
    report = await bench(args);
  } catch (error) {
    if (!FermataError.is(error, 'BadArgument')) throw error;
    process.stderr.write([error.message, error.hint, ''].flatMap((line) => line ?? []).join('\n'));
    process.exitCode = 2;
    break;
  }
  for (const section of report.sections) printSection(section);
  writeReport(report);
}
