import {
  allHandlersFinished,
  CancellationScope,
  condition,
  ContinueAsNew,
  continueAsNew,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { roundSchedule } from '../plans/physical/rounds/steps.js';
import { startAsking } from './asking.js';
import { asRunFailure } from './failures.js';
import type { ApplyInput, ApplyResult } from './messages.js';
import { relationalPolicy } from './policies.js';

const { nextRound, mergeRounds } = proxyActivities<Activities>(relationalPolicy);

/** All that `rounds` knows; passed whole through continue-as-new. */
export interface RoundsState {
  readonly v: 1;
  /** Rounds that were asked. */
  done: number;
}

export type RoundsInput = Omit<ApplyInput, 'state'> & {
  /** Set by continue-as-new only. */
  readonly state?: RoundsState;
};

/**
 * One call over one wave in rounds: the questions of each are made from the answers of those before, until there are none
 * left to ask; then the answers of the whole call are written.
 */
export async function rounds(input: RoundsInput): Promise<ApplyResult> {
  const { call, runId, plan, wave } = input;
  const state: RoundsState = input.state ?? { v: 1, done: 0 };
  const asking = startAsking(input);
  const stopping = () => asking.stop() !== undefined;

  return CancellationScope.nonCancellable(async () => {
    try {
      const at = { runId, plan, call: call.id, wave };
      while (!stopping()) {
        await condition(() => !asking.control().paused || stopping());
        const { partitions } = await nextRound({ ...at, round: state.done });
        if (partitions === 0 || stopping()) break;
        await asking.ask(roundSchedule(call, state.done), partitions);
        state.done += 1;
        if (!stopping() && workflowInfo().continueAsNewSuggested) {
          await condition(allHandlersFinished);
          return await continueAsNew<typeof rounds>({ ...input, control: asking.control(), state });
        }
      }
      const { finished } = await mergeRounds({ ...at, rounds: state.done });
      await condition(allHandlersFinished);
      const why = asking.stop();
      return { passed: 0, finished, ...(why === undefined ? {} : { stop: why }) };
    } catch (error) {
      throw error instanceof ContinueAsNew ? error : asRunFailure(error);
    }
  });
}
