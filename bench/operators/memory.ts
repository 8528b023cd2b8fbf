/** A filter over many rows through the simulated pool: peak memory of every process of ours. The pool is one of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from '../harness/machine.js';
import { watchProcesses } from '../harness/processes.js';
import { openBenchProject } from '../harness/project.js';
import { type Report, round } from '../harness/report.js';
import { cases } from './cases.js';
import { modelName, modelsOf } from './pool-project.js';
import { ticketCsv } from './tickets.js';

const defaultRows = 100_000;

export async function bench([size]: readonly string[]): Promise<Report> {
  const rows = size === undefined ? defaultRows : Number(size);
  const child = fork(fileURLToPath(new URL('pool-main.js', import.meta.url)), [String(rows)]);
  const [url] = (await once(child, 'message')) as [string];
  const project = await openBenchProject(modelsOf({ sourced: { url } }));
  try {
    await writeFile(join(project.dir, 'tickets.csv'), ticketCsv(rows));
    const watch = watchProcesses({ client: process.pid, ...project.pids }, 250);
    const began = performance.now();
    const [filter] = cases;
    const run = await project.fermata.sql(filter?.sql({ embed: '', transcribe: '' }) ?? '', {
      tables: { tickets: 'tickets.csv' },
      model: modelName('strong', 'sourced'),
    });
    const result = await run.result();
    const seconds = round((performance.now() - began) / 1000);
    const used = watch.stop();
    const { calls, failed } = result.spend;
    return {
      bench: 'memory',
      simulated:
        'SIMULATED models: the pool answers at once, in a process of its own that is not counted. The engine is real.',
      sections: [
        {
          title: `A filter over ${rows} rows: ${calls} calls, ${failed} failed, ${result.rows.count} rows kept, ${seconds} s, load ${load()}`,
          rows: used.map(({ name, most, cpuMs }) => ({
            process: name,
            'peak RSS, MiB': Math.round(most.rss),
            'own pages, MiB': Math.round(most.own),
            'CPU ms a row': round(cpuMs / rows, 3),
          })),
        },
      ],
    };
  } finally {
    await project.close();
    child.disconnect();
  }
}
