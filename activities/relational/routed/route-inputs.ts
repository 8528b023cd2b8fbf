import type { RoutedInput, RoutedInputs } from '../../../plans/protocol/activities.js';
import { inputFeatures } from '../../../plans/physical/routed/inputs.js';
import type { RoutedPlan } from '../../../plans/physical/routed/plan.js';
import type { RoutedRecord } from '../../../plans/physical/routed/record.js';
import { routeScores } from '../../../plans/physical/router/route.js';
import { scoreRows } from '../../../plans/physical/router/scorer.js';
import { beating } from '../../heartbeat.js';
import { publishProgress } from '../../progress.js';
import { readPrepared } from '../../prepared-calls.js';
import { readRoutedRecords, writeRoutedRecord } from '../../routed-records.js';
import { loadJson } from '../../run-plans.js';
import { openRouted, PartWriter, readInputs, recordStep, type RoutedJob, type RoutedPorts } from './files.js';

/**
 * Gives every input of a wave to the bucket of an implementation: features and difficulties partition by partition, ranks over
 * the whole wave (8 bytes an input are kept), then the partitions of each bucket.
 */
export function createRouteInputs(ports: RoutedPorts) {
  return (input: RoutedInput): Promise<RoutedInputs> =>
    beating(ports.scope(), async () => {
      const job = await openRouted(ports, input);
      const { router } = await loadJson<RoutedPlan>(ports.store, job.routed.plan);
      const buckets = routeScores(router, await scoresOf(ports, job, router.scorer));
      const counts = job.routed.implementations.map(() => 0);
      for (const bucket of buckets) counts[bucket] = (counts[bucket] ?? 0) + 1;
      const off = await switchedOff(ports, job);
      const partitions = await writeBuckets(ports, job, buckets, counts);
      for (const [step, inputs] of counts.entries())
        await recordStep(ports, job, step, { inputs, partitions: partitions[step] ?? 0 });
      const parts = counts.map((routed) => ({ routed }));
      await writeRoutedRecord(ports.store, input, { v: 1, inputs: job.prepared.inputs, parts });
      await publishProgress(ports, job.plan, 'running');
      return {
        parts: counts.map((inputs, step) => ({
          inputs,
          partitions: partitions[step] ?? 0,
          most: Math.floor(job.routed.share * inputs),
        })),
        off,
      };
    });
}

async function scoresOf(
  ports: RoutedPorts,
  { at, prepared }: RoutedJob,
  scorer: RoutedPlan['router']['scorer'],
): Promise<Float64Array> {
  const scores = new Float64Array(prepared.inputs);
  for (let partition = 0; partition < prepared.partitions; partition += 1) {
    const rows = await readInputs(ports, at, partition);
    const own = scoreRows(scorer, inputFeatures(rows.map(({ values }) => values)));
    for (const [row, score] of own.entries()) scores[rows[row]?.in ?? 0] = score;
  }
  return scores;
}

async function writeBuckets(
  ports: RoutedPorts,
  job: RoutedJob,
  buckets: Uint8Array,
  counts: readonly number[],
): Promise<readonly number[]> {
  const writers = counts.map((count, step) => new PartWriter(ports, job, { step, first: 0, count }));
  for (let partition = 0; partition < job.prepared.partitions; partition += 1) {
    for (const row of await readInputs(ports, job.at, partition)) await writers[buckets[row.in] ?? 0]?.add(row);
  }
  const partitions: number[] = [];
  for (const writer of writers) partitions.push(await writer.close());
  return partitions;
}

/** What earlier waves of the run switched off stays so. */
async function switchedOff(ports: RoutedPorts, { at, routed }: RoutedJob): Promise<RoutedInputs['off']> {
  const prepared = await readPrepared(ports.store, at.runId, ports.clock.now());
  const earlier = prepared.calls.filter(({ call, wave }) => call === at.call && wave < at.wave);
  const records: readonly RoutedRecord[] = await readRoutedRecords(ports.store, at.runId, earlier, at.call);
  return [...routed.implementations.keys()].flatMap((step) => {
    const why = records.map(({ parts }) => parts[step]?.off).find((reason) => reason !== undefined);
    return why === undefined ? [] : [{ step, why }];
  });
}
