/**
 * The same filter over the same rows on the same endpoint in other systems, at their default concurrency, beside ours on a
 * running stack. Each peer lives in a virtual environment of its own: `$FERMATA_PEERS/<name>/bin/python`. A peer that is
 * not there, or fails, is a row that says so.
 */
import { join } from 'node:path';
import { type AnswerStyle, type BenchEndpoint, startBenchEndpoint } from '../harness/endpoint.js';
import { load } from '../harness/machine.js';
import { watchProcesses } from '../harness/processes.js';
import { type BenchProject, endpointModel, openBenchProject } from '../harness/project.js';
import { type Report, type Row, round } from '../harness/report.js';
import { positives, type RowsOptions } from '../harness/rows.js';
import { runPeer } from './home.js';

interface Peer {
  readonly name: string;
  readonly script: string;
  /** How it wants a yes or no to be worded. */
  readonly style: AnswerStyle;
}

const peers: readonly Peer[] = [
  { name: 'lotus', script: 'lotus_filter.py', style: 'words' },
  { name: 'docetl', script: 'docetl_filter.py', style: 'json' },
  { name: 'palimpzest', script: 'palimpzest_filter.py', style: 'palimpzest' },
  { name: 'thalamusdb', script: 'thalamusdb_filter.py', style: 'digit' },
];

const latencyMs = 50;
const rows = 500;
const inputs: readonly RowsOptions[] = [
  { rows, tag: 'peers' },
  { rows, distinct: 5, tag: 'peers, few' },
];
const limitMs = 480_000;

export async function bench(args: readonly string[]): Promise<Report> {
  const chosen = args.length === 0 ? peers : peers.filter(({ name }) => args.includes(name));
  const table: Row[] = [];
  const endpoint = await startBenchEndpoint({ latencyMs });
  const project = await openBenchProject({ fake: endpointModel(endpoint.baseUrl, 64) });
  try {
    await project.rows('warm.csv', { rows: 200, tag: 'warm' });
    await (await project.filter({ file: 'warm.csv' })).result();
    for (const [at, input] of inputs.entries()) {
      await project.rows(`${at}.csv`, input);
      table.push(await ours(project, endpoint, `${at}.csv`, input));
      for (const peer of chosen) table.push(await theirs(peer, join(project.dir, `${at}.csv`), input));
    }
  } finally {
    await project.close();
    endpoint.close();
  }
  return {
    bench: 'peers',
    simulated:
      `The endpoint is a fake in a process of its own: ${latencyMs} ms a call. Times are of the filter alone: ` +
      'imports and start-up are left out for the peers, the running stack for us.',
    sections: [{ title: `A filter over ${rows} rows`, rows: table }],
  };
}

interface Used {
  readonly found: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly rssMb: number;
}

async function row(system: string, used: Used, endpoint: BenchEndpoint, input: RowsOptions): Promise<Row> {
  const { calls, maxInFlight } = await endpoint.use();
  return {
    system,
    'distinct texts': input.distinct ?? input.rows,
    load: load(),
    seconds: round(used.seconds, 2),
    calls,
    'CPU ms/call': round((used.cpuSeconds * 1000) / Math.max(1, calls), 2),
    'CPU s': round(used.cpuSeconds, 2),
    'MiB in the calling process': Math.round(used.rssMb),
    'max in flight': maxInFlight,
    'true rows': positives(input),
    found: used.found,
  };
}

async function ours(project: BenchProject, endpoint: BenchEndpoint, file: string, input: RowsOptions): Promise<Row> {
  await endpoint.reset();
  const watch = watchProcesses({ client: process.pid, ...project.pids });
  const began = performance.now();
  const run = await project.filter({ file, cache: false });
  const found = (await run.rows()).length;
  const seconds = (performance.now() - began) / 1000;
  const used = watch.stop();
  const cpuSeconds = used.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1000;
  const rssMb = used.find(({ name }) => name === 'inference')?.most.rss ?? 0;
  return row('fermata', { found, seconds, cpuSeconds, rssMb }, endpoint, input);
}

async function theirs(peer: Peer, file: string, input: RowsOptions): Promise<Row> {
  const endpoint = await startBenchEndpoint({ latencyMs, style: peer.style });
  try {
    await endpoint.reset();
    const line = await runPeer(peer.name, peer.script, [file, endpoint.baseUrl], limitMs);
    return await row(peer.name, JSON.parse(line) as Used, endpoint, input);
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error);
    return { system: peer.name, 'distinct texts': input.distinct ?? input.rows, load: load(), note };
  } finally {
    endpoint.close();
  }
}
