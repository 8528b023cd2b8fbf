import type { PassOnInput, RoutedPart } from '../../../plans/protocol/activities.js';
import type { RoutedStep } from '../../../plans/physical/routed/steps.js';
import { policyOf, verdictOf } from '../../../plans/physical/routed/verdict.js';
import { beating } from '../../heartbeat.js';
import type { InputRow } from '../../ports.js';
import { publishProgress } from '../../progress.js';
import { ascending, Cursor } from './cursor.js';
import {
  openRouted,
  PartWriter,
  readAnswers,
  readInputs,
  recordStep,
  type RoutedJob,
  type RoutedPorts,
  type Stretch,
  stretchesOf,
} from './files.js';

/** Hands inputs on: those that an implementation was not sure of to the next one, those that it must not decide to the default model. */
export function createPassOn(ports: RoutedPorts) {
  return (input: PassOnInput): Promise<RoutedPart> =>
    beating(ports.scope(), async () => {
      const { to, asked, ...at } = input;
      const job = await openRouted(ports, at);
      const from = to === 'safe' ? [...asked.keys()] : [to - 1];
      const left = () =>
        ascending(
          from.flatMap((step) =>
            stretchesOf(asked[step] ?? { own: 0, partitions: 0 }, step).map((stretch) =>
              leftovers(ports, job, stretch, to, asked[step]?.off !== undefined),
            ),
          ),
        );
      const count = await countOf(left());
      const before = to === 'safe' ? 0 : (asked[to]?.own ?? 0);
      const writer = new PartWriter(ports, job, { step: to, first: before, count });
      for await (const row of left()) await writer.add(row);
      const partitions = await writer.close();
      await recordStep(ports, job, to, {
        inputs: count + (await inputsOf(ports, job, to, before)),
        partitions: before + partitions,
      });
      await publishProgress(ports, job.plan, 'running');
      return { inputs: count, partitions, most: Math.floor(job.routed.share * count) };
    });
}

/** Inputs of a stretch that go to `to`: by the answers there are; of what was switched off, those without one too. */
function leftovers(
  ports: RoutedPorts,
  job: RoutedJob,
  stretch: Stretch,
  to: RoutedStep,
  off: boolean,
): Cursor<InputRow> {
  const wanted = to === 'safe' ? to : 'next';
  const policy = policyOf(job.routed, stretch.step);
  return new Cursor(stretch.from, stretch.to, async (partition) => {
    const answers = await readAnswers(ports, job.at, partition, stretch.step);
    const byInput = new Map(answers.map((answer) => [answer.in, answer]));
    const rows = await readInputs(ports, job.at, partition, stretch.step);
    return rows.filter((row) => {
      const verdict = verdictOf(byInput.get(row.in), policy);
      return verdict === wanted || (verdict === 'open' && off && to === 'safe');
    });
  });
}

async function countOf(rows: AsyncIterator<unknown>): Promise<number> {
  let count = 0;
  while ((await rows.next()).done !== true) count += 1;
  return count;
}

/** Inputs of the first partitions of a step. */
async function inputsOf(ports: RoutedPorts, { at }: RoutedJob, step: RoutedStep, partitions: number): Promise<number> {
  let count = 0;
  for (let partition = 0; partition < partitions; partition += 1)
    count += (await readInputs(ports, at, partition, step)).length;
  return count;
}
