import type { MergedRounds, MergeRoundsInput } from '../../../plans/protocol/activities.js';
import { runObjects } from '../../../plans/protocol/run-plan.js';
import { beating } from '../../heartbeat.js';
import type { AnswerRow } from '../../ports.js';
import { openRounds, type RoundsPorts } from './files.js';
import { roundMethods } from './methods.js';

/** Writes the answers of the whole call, where every other call has them; what the rounds did not get to is undecided. */
export function createMergeRounds(ports: RoundsPorts) {
  return (input: MergeRoundsInput): Promise<MergedRounds> =>
    beating(ports.scope(), async () => {
      const { runId, wave, call } = input;
      const job = await openRounds(ports, input);
      const { partitions, inputs } = job.prepared;
      const size = Math.ceil(inputs / partitions);
      let waiting: AnswerRow[] = [];
      let partition = 0;
      let finished = 0;
      const flush = async (): Promise<void> => {
        if (waiting.length > 0 && waiting.every(({ state }) => state !== 'undecided')) finished += 1;
        await ports.store.putNamed(
          runObjects.answers(runId, wave, call, partition),
          ports.codec.encodeAnswers(waiting),
        );
        partition += 1;
        waiting = [];
      };
      for await (const row of roundMethods[job.schedule.kind].answers(job, input.rounds)) {
        waiting.push(row);
        if (waiting.length >= size) await flush();
      }
      if (waiting.length > 0) await flush();
      return { finished };
    });
}
