/** How well the engine keeps an endpoint busy. */
import { startBenchEndpoint } from '../harness/endpoint.js';
import { plainLoop } from '../harness/plain-loop.js';
import { load } from '../harness/machine.js';
import { endpointModel, openBenchProject } from '../harness/project.js';
import { type Report, type Row, round } from '../harness/report.js';

const latencyMs = 50;
const plans = [
  { concurrency: 16, rows: 3_000 },
  { concurrency: 64, rows: 3_000 },
] as const;

export async function bench(): Promise<Report> {
  const endpoint = await startBenchEndpoint({ latencyMs });
  const models = plans.map(({ concurrency }) => [`c${concurrency}`, endpointModel(endpoint.baseUrl, concurrency)]);
  const project = await openBenchProject(Object.fromEntries(models) as Record<string, Record<string, unknown>>);
  const rows: Row[] = [];
  try {
    for (const plan of plans) {
      const file = `f${plan.concurrency}.csv`;
      const model = `c${plan.concurrency}`;
      await project.rows('warm.csv', { rows: 100, tag: `warm ${plan.concurrency}` });
      await (await project.filter({ file: 'warm.csv', model })).result();
      await project.rows(file, { rows: plan.rows, tag: file });
      const loop = await plainLoop(endpoint, plan.concurrency, plan.rows);
      await endpoint.reset();
      const began = performance.now();
      const run = await project.filter({ file, model });
      await run.result();
      const wallMs = performance.now() - began;
      const use = await endpoint.use();
      const ideal = (plan.concurrency * 1000) / latencyMs;
      rows.push({
        concurrency: plan.concurrency,
        rows: plan.rows,
        load: load(),
        'ideal rows/s': ideal,
        'rows/s, whole run': round((plan.rows / wallMs) * 1000),
        'rows/s while calling': round((plan.rows / use.spanMs) * 1000),
        'of ideal, whole run': `${Math.round((100 * plan.rows * 1000) / wallMs / ideal)} %`,
        'of ideal while calling': `${Math.round((100 * plan.rows * 1000) / use.spanMs / ideal)} %`,
        'of ideal, plain fetch loop': `${Math.round((100 * plan.rows * 1000) / loop.spanMs / ideal)} %`,
        'max in flight': use.maxInFlight,
        'mean in flight': round(use.meanInFlight),
        'mean in flight, plain fetch loop': round(loop.meanInFlight),
      });
    }
  } finally {
    await project.close();
    endpoint.close();
  }
  return {
    bench: 'flight',
    simulated: `The endpoint is a fake in a process of its own: ${latencyMs} ms a call. In flight is counted there.`,
    sections: [{ title: 'Calls in flight', rows }],
  };
}
