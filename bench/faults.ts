/** Every tenth call fails in one way or another: how many true rows are lost, and what it costs in calls and time. */
import { startBenchEndpoint } from './harness/endpoint.js';
import { load } from './harness/machine.js';
import { endpointModel, openBenchProject } from './harness/project.js';
import { type Report, type Row, round } from './harness/report.js';
import { positives } from './harness/rows.js';
import type { FaultRule } from '../test/support/endpoint.js';

const rows = 500;
const every = 10;

const cases: readonly { readonly name: string; readonly faults: readonly FaultRule[] }[] = [
  { name: 'none', faults: [] },
  { name: '500', faults: [{ kind: '500', every }] },
  { name: '429, Retry-After: 1', faults: [{ kind: '429', every, headers: { 'retry-after': '1' } }] },
  { name: '429 without Retry-After', faults: [{ kind: '429', every }] },
  { name: 'garbage', faults: [{ kind: 'garbage', every }] },
  { name: 'cut connection', faults: [{ kind: 'cut', every }] },
];

export async function bench(): Promise<Report> {
  const endpoint = await startBenchEndpoint({ latencyMs: 50 });
  const project = await openBenchProject({ fake: endpointModel(endpoint.baseUrl, 64) });
  const table: Row[] = [];
  try {
    for (const [at, { name, faults }] of cases.entries()) {
      const file = `faults-${at}.csv`;
      await project.rows(file, { rows, tag: name });
      await endpoint.reset(faults);
      const began = performance.now();
      const run = await project.filter({ file });
      const found = (await run.rows()).length;
      const seconds = round((performance.now() - began) / 1000, 2);
      const { spend, errors } = await run.result();
      const use = await endpoint.use();
      const truth = positives({ rows, tag: name });
      table.push({
        fault: name,
        load: load(),
        'true rows': truth,
        lost: truth - found,
        'calls at the endpoint': use.calls,
        'struck by a fault': use.faults,
        'calls counted by us': spend.calls,
        retries: spend.retries,
        'failed rows': errors.count,
        seconds,
      });
    }
  } finally {
    await project.close();
    endpoint.close();
  }
  return {
    bench: 'faults',
    simulated: 'The endpoint is a fake in a process of its own: 50 ms a call, every tenth one fails; concurrency 64.',
    sections: [{ title: `A filter over ${rows} rows`, rows: table }],
  };
}
