import type { NextRound, NextRoundInput } from '../../../plans/protocol/activities.js';
import { beating } from '../../heartbeat.js';
import { publishProgress } from '../../progress.js';
import { openRounds, type RoundsPorts, writeRound } from './files.js';
import { roundMethods } from './methods.js';

/** Writes the questions of the next round from the answers of those before. The same answers give the same questions. */
export function createNextRound(ports: RoundsPorts) {
  return (input: NextRoundInput): Promise<NextRound> =>
    beating(ports.scope(), async () => {
      const job = await openRounds(ports, input);
      const questions = await roundMethods[job.schedule.kind].ask(job, input.round);
      const partitions = questions === undefined ? 0 : await writeRound(ports, input, questions);
      await publishProgress(ports, job.plan, 'running');
      return { partitions };
    });
}
