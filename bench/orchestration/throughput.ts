/** Rows a second through a model that answers at once: the engine alone. With history and memory by the number of rows. */
import { historyOf } from '../harness/history.js';
import { load } from '../harness/machine.js';
import { noopModel } from '../harness/noop-model.js';
import { watchProcesses } from '../harness/processes.js';
import { noopPlan, openBenchProject } from '../harness/project.js';
import { type Report, type Row, round } from '../harness/report.js';
import { phasesOf } from './phases.js';

const defaultSizes = [10_000, 100_000, 1_000_000];

export async function bench(args: readonly string[]): Promise<Report> {
  const sizes = args.length === 0 ? defaultSizes : args.map(Number);
  const project = await openBenchProject({ [noopModel.name]: noopModel.settings }, noopPlan);
  const speed: Row[] = [];
  const memory: Row[] = [];
  const cpu: Row[] = [];
  const steps: Row[] = [];
  try {
    await project.rows('warm.csv', { rows: 1_000, tag: 'warm' });
    await (await project.filter({ file: 'warm.csv' })).result();
    for (const rows of sizes) {
      const file = `${rows}.csv`;
      await project.rows(file, { rows, tag: String(rows) });
      const watch = watchProcesses({ client: process.pid, ...project.pids }, 250);
      const began = Date.now();
      const run = await project.filter({ file });
      const result = await run.result();
      const wallMs = Date.now() - began;
      const used = watch.stop();
      if (result.spend.calls !== rows) throw new Error(`${result.spend.calls} answers for ${rows} rows`);
      const history = await historyOf(project.server, run.id);
      const phases = await phasesOf(project.server, run.id, began);
      const asking = Number(phases['child done']) - Number(phases['child started']);
      speed.push({
        rows,
        load: load(),
        seconds: round(wallMs / 1000),
        'rows/s': Math.round((rows / wallMs) * 1000),
        'rows/s while asking': Math.round((rows / asking) * 1000),
        'CPU ms/row': round(used.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / rows, 3),
        'history bytes/row': round(history.bytes / rows),
        'history events': history.events,
        'workflow runs': history.runs,
      });
      steps.push({ rows, ...phases });
      memory.push({
        rows,
        ...Object.fromEntries(
          used.map(({ name, most }) => [name, `${Math.round(most.rss)} (${Math.round(most.own)})`]),
        ),
      });
      cpu.push({ rows, ...Object.fromEntries(used.map(({ name, cpuMs }) => [name, round(cpuMs / rows, 4)])) });
    }
  } finally {
    await project.close();
  }
  return {
    bench: 'throughput',
    simulated: 'The model is a no-op inside the inference worker; ledger, store, DuckDB and Temporal are real.',
    sections: [
      { title: 'Rows through a no-op model', rows: speed },
      {
        title: 'Peak memory by process, MiB: resident (own pages alone, without code and the mapped ledger)',
        rows: memory,
      },
      { title: 'CPU by process, ms a row', rows: cpu },
      { title: 'When each step ends (…: begins), ms', rows: steps },
    ],
  };
}
