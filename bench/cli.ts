/** What the command adds: start-up alone, and a query on a running stack over its calls' own time. */
import { spawn } from 'node:child_process';
import { compiled } from '../workers/embedded/package-root.js';
import { startBenchEndpoint } from './harness/endpoint.js';
import { load } from './harness/machine.js';
import { endpointModel, filterSql, openBenchProject, type BenchProject } from './harness/project.js';
import { type Report, type Row, round } from './harness/report.js';

const latencyMs = 50;
const concurrency = 64;
const repeats = 7;

export async function bench(): Promise<Report> {
  const endpoint = await startBenchEndpoint({ latencyMs });
  const project = await openBenchProject({ fake: endpointModel(endpoint.baseUrl, concurrency) });
  const table: Row[] = [];
  try {
    await project.rows('warm.csv', { rows: 100, tag: 'warm' });
    await (await project.filter({ file: 'warm.csv' })).result();
    table.push({ command: 'fermata --version', ...(await timed(project, () => ['--version'], 0)) });
    for (const rows of [1, 500]) {
      let turn = 0;
      const own = Math.ceil(rows / concurrency) * latencyMs;
      const next = async (): Promise<string[]> => {
        const file = `cli-${rows}-${turn}.csv`;
        await project.rows(file, { rows, tag: `cli ${rows} ${turn++}` });
        return ['query', filterSql, '--table', `reviews=${file}`, '--yes', '-o', 'csv'];
      };
      table.push({ command: `fermata query, ${rows} calls`, ...(await timed(project, next, own)) });
    }
    const again = ['query', filterSql, '--table', 'reviews=warm.csv', '--yes', '-o', 'csv'];
    table.push({ command: 'fermata query, 100 rows, all cached', ...(await timed(project, () => again, 0)) });
  } finally {
    await project.close();
    endpoint.close();
  }
  return {
    bench: 'cli',
    simulated: `The endpoint is a fake in a process of its own: ${latencyMs} ms a call, concurrency ${concurrency}.`,
    sections: [{ title: `Wall time of a command, ${repeats} times`, rows: table }],
  };
}

async function timed(project: BenchProject, args: () => string[] | Promise<string[]>, callsMs: number): Promise<Row> {
  const times: number[] = [];
  for (let turn = 0; turn < repeats; turn++) {
    const given = await args();
    const began = performance.now();
    await command(project, given);
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  return {
    load: load(),
    'best s': round((times[0] ?? 0) / 1000, 2),
    'median s': round(median / 1000, 2),
    "calls' own s": callsMs / 1000,
    'added s (median)': round((median - callsMs) / 1000, 2),
  };
}

function command(project: BenchProject, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [compiled('bin/fermata.js'), ...args], {
      cwd: project.dir,
      env: project.env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`fermata ${args.join(' ')}: exit ${String(code)}\n${errors}`));
    });
  });
}
