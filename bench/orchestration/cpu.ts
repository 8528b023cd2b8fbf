/** CPU time of one call over all processes of ours, beside a loop of plain `fetch` on the same endpoint; and where a run's time goes. */
import { type BenchEndpoint, startBenchEndpoint } from '../harness/endpoint.js';
import { load } from '../harness/machine.js';
import { plainLoop } from '../harness/plain-loop.js';
import { watchProcesses } from '../harness/processes.js';
import { type BenchProject, endpointModel, openBenchProject } from '../harness/project.js';
import { type Report, type Row, round } from '../harness/report.js';
import { phasesOf } from './phases.js';

const latencyMs = 50;
const concurrency = 64;
const sizes = [500, 2_000];
const repeats = 3;

export async function bench(): Promise<Report> {
  const endpoint = await startBenchEndpoint({ latencyMs });
  const project = await openBenchProject({ fake: endpointModel(endpoint.baseUrl, concurrency) });
  try {
    await oneRun(project, endpoint, 'warm', 200);
    const calls: Row[] = [];
    const shares: Row[] = [];
    const phases: Row[] = [];
    for (const rows of sizes) {
      for (let turn = 0; turn < repeats; turn++) {
        const { cpuMsACall: plain } = await plainLoop(endpoint, concurrency, rows);
        const ours = await oneRun(project, endpoint, `c${rows}-${turn}`, rows);
        calls.push({
          rows,
          load: load(),
          'fetch ms CPU/call': round(plain, 2),
          'ours ms CPU/call': round(ours.cpuMsACall, 2),
          ratio: round(ours.cpuMsACall / plain, 2),
          'wall ms': Math.round(ours.wallMs),
          'ideal ms': Math.ceil(rows / concurrency) * latencyMs,
          'max in flight': ours.maxInFlight,
        });
        shares.push({ rows, ...ours.share });
        phases.push({ rows, ...ours.phases });
      }
    }
    return {
      bench: 'cpu',
      simulated: `The endpoint is a fake in a process of its own: ${latencyMs} ms a call, concurrency ${concurrency}.`,
      sections: [
        { title: 'CPU a call, all our processes and the client', rows: calls },
        { title: 'Where: ms of CPU a call by process, and peak memory of the inference worker in MiB', rows: shares },
        { title: 'When: ms since the start of the run, by the history', rows: phases },
      ],
    };
  } finally {
    await project.close();
    endpoint.close();
  }
}

interface OneRun {
  readonly cpuMsACall: number;
  readonly wallMs: number;
  readonly maxInFlight: number;
  readonly share: Row;
  readonly phases: Row;
}

async function oneRun(project: BenchProject, endpoint: BenchEndpoint, tag: string, rows: number): Promise<OneRun> {
  const file = `${tag}.csv`;
  await project.rows(file, { rows, tag });
  await endpoint.reset();
  const watch = watchProcesses({ client: process.pid, ...project.pids });
  const began = Date.now();
  const run = await project.filter({ file });
  await run.rows();
  const wallMs = Date.now() - began;
  const used = watch.stop();
  const { calls, maxInFlight } = await endpoint.use();
  if (calls !== rows) throw new Error(`${calls} calls for ${rows} rows`);
  const share: Record<string, number> = {};
  for (const { name, cpuMs } of used) share[name] = round(cpuMs / rows, 2);
  share['inference MiB'] = Math.round(used.find(({ name }) => name === 'inference')?.most.rss ?? 0);
  return {
    cpuMsACall: used.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / rows,
    wallMs,
    maxInFlight,
    share,
    phases: { ...(await phasesOf(project.server, run.id, began)), 'rows read': wallMs },
  };
}
