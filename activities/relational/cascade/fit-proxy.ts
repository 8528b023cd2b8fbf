/** Fits a proxy to the oracle's answers and writes its scores as if a model had answered. */
import type { CascadeStepInput } from '../../../plans/protocol/activities.js';
import { runObjects } from '../../../plans/protocol/run-plan.js';
import type { FittedKind } from '../../../plans/protocol/strategy.js';
import { parseJson } from '../../../plans/protocol/json.js';
import { fitLexicon } from '../../../plans/physical/cascade/fitted/lexicon.js';
import { fitNearness } from '../../../plans/physical/cascade/fitted/nearness.js';
import { stepId } from '../../../plans/physical/cascade/steps.js';
import type { AnswerRow } from '../../ports.js';
import { type CascadeJob, type CascadePorts, readAnswers, readInputs } from './files.js';
import { trainedInputs, trainingLabels } from './training.js';

/** Something to score, by number of its input. */
type Readings<T> = (partition: number) => Promise<ReadonlyMap<number, T>>;

/**
 * Scores every input that the proxy is not fitted to, partition by partition. Where the answers to fit to are all alike
 * nothing is scored. The same inputs and answers give the same scores.
 */
export async function fitProxy(
  ports: CascadePorts,
  input: CascadeStepInput,
  job: CascadeJob,
  kind: Extract<FittedKind, 'embedding' | 'lexicon'>,
): Promise<void> {
  if (kind === 'lexicon') await fitAndScore(ports, input, job, textsOf(ports, input), fitLexicon);
  else await fitAndScore(ports, input, job, vectorsOf(ports, input), fitNearness);
}

function textsOf(ports: CascadePorts, input: CascadeStepInput): Readings<string> {
  return async (partition) =>
    new Map((await readInputs(ports, input, partition)).map((row) => [row.in, row.values.join('\n')]));
}

function vectorsOf(ports: CascadePorts, input: CascadeStepInput): Readings<readonly number[]> {
  return async (partition) => {
    const rows = await readAnswers(ports, input, 'proxy', partition);
    return new Map(
      rows.flatMap((row) => {
        const parsed = row.state === 'ok' ? parseJson(row.value) : undefined;
        return parsed?.ok === true ? [[row.in, parsed.value as readonly number[]] as const] : [];
      }),
    );
  };
}

async function fitAndScore<T>(
  ports: CascadePorts,
  input: CascadeStepInput,
  job: CascadeJob,
  read: Readings<T>,
  fit: (readings: readonly T[], labels: readonly boolean[]) => (reading: T) => number,
): Promise<void> {
  const { partitions } = job.prepared;
  const labels = await trainingLabels(ports, input, job);
  const known: { readonly reading: T; readonly label: boolean }[] = [];
  for (let partition = 0; partition < partitions; partition += 1) {
    for (const [at, reading] of await read(partition)) {
      const label = labels.get(at);
      if (label !== undefined) known.push({ reading, label });
    }
  }
  if (new Set(known.map(({ label }) => label)).size < 2) return;
  const score = fit(
    known.map(({ reading }) => reading),
    known.map(({ label }) => label),
  );
  // Also those that the oracle could not answer: they are not among the tuples that the sample is drawn from.
  const training = new Set(await trainedInputs(ports, input, job));
  for (let partition = 0; partition < partitions; partition += 1) {
    const rows = Array.from(await read(partition))
      .filter(([at]) => !training.has(at))
      .map(([at, reading]) => answerOf(at, score(reading)));
    const name = runObjects.answers(input.runId, input.wave, stepId(input.call, 'score'), partition);
    await ports.store.putNamed(name, ports.codec.encodeAnswers(rows));
  }
}

function answerOf(at: number, score: number): AnswerRow {
  const value = score >= 0.5;
  return { in: at, state: 'ok', value: String(value), confidence: value ? score : 1 - score };
}
