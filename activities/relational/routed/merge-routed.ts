import type { MergedCascade, MergeRoutedInput } from '../../../plans/protocol/activities.js';
import { runObjects } from '../../../plans/protocol/run-plan.js';
import type { RoutedStep } from '../../../plans/physical/routed/steps.js';
import { type Policy, policyOf, verdictOf } from '../../../plans/physical/routed/verdict.js';
import { beating } from '../../heartbeat.js';
import type { AnswerRow } from '../../ports.js';
import { readRoutedRecords, writeRoutedRecord } from '../../routed-records.js';
import { Cursor } from './cursor.js';
import { openRouted, readAnswers, readInputs, type RoutedJob, type RoutedPorts, stretchesOf } from './files.js';

interface Source {
  readonly step: RoutedStep;
  readonly policy: Policy;
  readonly answers: Cursor<AnswerRow>;
}

/**
 * Writes the answers of the whole call, partition by partition: the last word on each input, where it stands. What nobody was
 * to keep, since the run was stopped, is undecided.
 */
export function createMergeRouted(ports: RoutedPorts) {
  return (input: MergeRoutedInput): Promise<MergedCascade> =>
    beating(ports.scope(), async () => {
      const { runId, plan, call, wave, asked } = input;
      const at = { runId, plan, call, wave };
      const job = await openRouted(ports, at);
      const sources = sourcesOf(ports, job, input);
      const decided = asked.map(() => 0);
      let [passed, finished, inSafeMode] = [0, 0, 0];
      for (let partition = 0; partition < job.prepared.partitions; partition += 1) {
        const rows: AnswerRow[] = [];
        for (const { in: one, n } of await readInputs(ports, at, partition)) {
          const { row, step } = await lastWord(sources, one);
          if (step === 'safe') inSafeMode += 1;
          else if (step !== undefined) decided[step] = (decided[step] ?? 0) + 1;
          if (row.state === 'ok' && row.value === 'true') passed += n;
          rows.push(row);
        }
        if (rows.every(({ state }) => state !== 'undecided')) finished += 1;
        const name = runObjects.answers(at.runId, at.wave, at.call, partition);
        await ports.store.putNamed(name, ports.codec.encodeAnswers(rows));
      }
      const [record] = await readRoutedRecords(ports.store, at.runId, [job.prepared], at.call);
      const parts = asked.map(({ off }, step) => ({
        routed: record?.parts[step]?.routed ?? 0,
        decided: decided[step] ?? 0,
        ...(off === undefined ? {} : { off }),
      }));
      await writeRoutedRecord(ports.store, at, { v: 1, inputs: job.prepared.inputs, parts, safe: inSafeMode });
      return { passed, finished };
    });
}

/** Latest step first: an input that was handed on is with a later one. */
function sourcesOf(ports: RoutedPorts, job: RoutedJob, { asked, safe }: MergeRoutedInput): readonly Source[] {
  const stretches = [...asked.entries()].flatMap(([step, one]) => stretchesOf(one, step));
  return [...stretches, { step: 'safe' as const, from: 0, to: safe }].reverse().map(({ step, from, to }) => ({
    step,
    policy: policyOf(job.routed, step),
    answers: new Cursor(from, to, (partition) => readAnswers(ports, job.at, partition, step)),
  }));
}

async function lastWord(
  sources: readonly Source[],
  at: number,
): Promise<{ readonly row: AnswerRow; readonly step?: RoutedStep }> {
  for (const { step, policy, answers } of sources) {
    const row = await answers.take(at);
    if (row === undefined) continue;
    if (verdictOf(row, policy) === 'keep') return { row, step };
    break;
  }
  return { row: { in: at, state: 'undecided' } };
}
