import type { MergeCascadeInput, MergedCascade } from '../../../plans/protocol/activities.js';
import { runObjects } from '../../../plans/protocol/run-plan.js';
import { decide } from '../../../plans/physical/cascade/decide.js';
import { type CascadeStep, scoringStep } from '../../../plans/physical/cascade/steps.js';
import type { AskAll, Cascade } from '../../../plans/physical/cascade/thresholds.js';
import { beating } from '../../heartbeat.js';
import type { AnswerRow } from '../../ports.js';
import { type CascadePorts, openCascade, readAnswers, readInputs } from './files.js';
import { readCascade } from '../../cascade-records.js';
import { scoreOf } from './scores.js';

/**
 * Writes the answers of the whole call, partition by partition: the oracle's where it was asked, else the proxy's where the
 * thresholds let it decide. What neither decided, since the run was stopped, is undecided.
 */
export function createMergeCascade(ports: CascadePorts) {
  return (input: MergeCascadeInput): Promise<MergedCascade> =>
    beating(ports.scope(), async () => {
      const { prepared, strategy } = await openCascade(ports, input);
      const record = await readCascade(ports.store, input.runId, input.wave, input.call);
      const train = answersInOrder(ports, input, 'train', input.train ?? 0);
      const sample = answersInOrder(ports, input, 'sample', input.sample);
      const rest = answersInOrder(ports, input, 'rest', input.rest);
      let passed = 0;
      let finished = 0;
      for (let partition = 0; partition < prepared.partitions; partition += 1) {
        const proxy = new Map(
          (await readAnswers(ports, input, scoringStep(strategy), partition)).map((row) => [row.in, row]),
        );
        const rows: AnswerRow[] = [];
        for (const { in: at, n } of await readInputs(ports, input, partition)) {
          const row =
            (await train.take(at)) ??
            (await sample.take(at)) ??
            (await rest.take(at)) ??
            decided(at, record?.decision, proxy.get(at)) ??
            ({ in: at, state: 'undecided' } as const);
          if (row.state === 'ok' && row.value === 'true') passed += n;
          rows.push(row);
        }
        if (rows.every(({ state }) => state !== 'undecided')) finished += 1;
        const name = runObjects.answers(input.runId, input.wave, input.call, partition);
        await ports.store.putNamed(name, ports.codec.encodeAnswers(rows));
      }
      return { passed, finished };
    });
}

function decided(
  at: number,
  decision: Cascade | AskAll | undefined,
  proxy: AnswerRow | undefined,
): AnswerRow | undefined {
  const score = scoreOf(proxy);
  if (decision === undefined || score === undefined) return undefined;
  const verdict = decide(decision, score);
  if (verdict === 'ask') return undefined;
  const accepted = verdict === 'accept';
  return { in: at, state: 'ok', value: String(accepted), confidence: accepted ? score : 1 - score };
}

/** A step's answers, taken in the order of the inputs; one partition is in memory at a time. */
function answersInOrder(ports: CascadePorts, input: MergeCascadeInput, step: CascadeStep, partitions: number) {
  let rows: readonly AnswerRow[] = [];
  let next = 0;
  let partition = 0;
  return {
    /** The answer for an input, if the step was asked about it; inputs must be asked for in ascending order. */
    async take(at: number): Promise<AnswerRow | undefined> {
      for (;;) {
        const row = rows[next];
        if (row === undefined) {
          if (partition >= partitions) return undefined;
          rows = await readAnswers(ports, input, step, partition);
          partition += 1;
          next = 0;
        } else if (row.in < at) next += 1;
        else return row.in === at ? row : undefined;
      }
    },
  };
}
