import {
  allHandlersFinished,
  CancellationScope,
  type ChildWorkflowHandle,
  condition,
  ContinueAsNew,
  continueAsNew,
  proxyActivities,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { roundSchedule } from '../plans/physical/rounds/steps.js';
import { apply } from './apply.js';
import { asRunFailure } from './failures.js';
import { type ApplyInput, type ApplyResult, type Control, controlSignal } from './messages.js';
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
  let control: Control = input.control;
  let stop: ApplyResult['stop'];
  let child: ChildWorkflowHandle<typeof apply> | undefined;

  setHandler(controlSignal, async (next) => {
    control = next;
    // A child that has just ended cannot be told, and need not be.
    await child?.signal(controlSignal, next).catch(() => undefined);
  });
  const stopping = () => (control.stop ?? stop) !== undefined;

  async function ask(round: number, partitions: number): Promise<void> {
    const sent = control;
    child = await startChild(apply, {
      workflowId: `${runId}/apply/${roundSchedule(call, round).id}/${wave}`,
      args: [{ v: 1, runId, plan, call: roundSchedule(call, round), wave, partitions, control: sent }],
    });
    try {
      // The control may have changed while the child was being started.
      if (control !== sent) await child.signal(controlSignal, control).catch(() => undefined);
      stop ??= (await child.result()).stop;
    } finally {
      child = undefined;
    }
  }

  return CancellationScope.nonCancellable(async () => {
    try {
      const at = { runId, plan, call: call.id, wave };
      while (!stopping()) {
        await condition(() => !control.paused || stopping());
        const { partitions } = await nextRound({ ...at, round: state.done });
        if (partitions === 0 || stopping()) break;
        await ask(state.done, partitions);
        state.done += 1;
        if (!stopping() && workflowInfo().continueAsNewSuggested) {
          await condition(allHandlersFinished);
          return await continueAsNew<typeof rounds>({ ...input, control, state });
        }
      }
      const { finished } = await mergeRounds({ ...at, rounds: state.done });
      await condition(allHandlersFinished);
      const why = control.stop ?? stop;
      return { passed: 0, finished, ...(why === undefined ? {} : { stop: why }) };
    } catch (error) {
      throw error instanceof ContinueAsNew ? error : asRunFailure(error);
    }
  });
}
