/** What cascades, rounds and routed calls share: `apply` children, each told what its parent is told. */
import { type ChildWorkflowHandle, setHandler, startChild } from '@temporalio/workflow';
import type { CallSchedule } from '../plans/protocol/activities.js';
import { apply } from './apply.js';
import { type ApplyInput, type ApplyResult, type Control, controlSignal } from './messages.js';
import { newApplyState } from './partition-window.js';

export interface Asking {
  /** As last told. */
  control(): Control;
  /** Why nothing more is to be asked: the parent says so, or a child met a limit. */
  stop(): ApplyResult['stop'];
  /**
   * Asks the model about the partitions of a call, a step or a round, and waits; nothing when there are none or the run stops.
   * Several may be asked at a time.
   */
  ask(call: CallSchedule, partitions: number, more?: AskMore): Promise<ApplyResult | undefined>;
}

export interface AskMore extends Pick<ApplyInput, 'mostUnsure'> {
  /** Partitions before it have been asked; default 0. */
  readonly from?: number;
}

/** Handles `controlSignal` from now on. */
export function startAsking({ runId, plan, wave, control: given }: Omit<ApplyInput, 'state'>): Asking {
  let control = given;
  let met: ApplyResult['stop'];
  const children = new Set<ChildWorkflowHandle<typeof apply>>();

  setHandler(controlSignal, async (next) => {
    control = next;
    // A child that has just ended cannot be told, and need not be.
    for (const child of children) await child.signal(controlSignal, next).catch(() => undefined);
  });
  const stop = (): ApplyResult['stop'] => control.stop ?? met;

  return {
    control: () => control,
    stop,
    async ask(call, partitions, { from = 0, ...more } = {}) {
      if (partitions === from || stop() !== undefined) return undefined;
      const sent = control;
      const child = await startChild(apply, {
        workflowId: `${runId}/apply/${call.id}/${wave}${from === 0 ? '' : `/${from}`}`,
        args: [
          {
            v: 1,
            runId,
            plan,
            call,
            wave,
            partitions,
            ...more,
            control: sent,
            ...(from === 0 ? {} : { state: newApplyState(from) }),
          },
        ],
      });
      children.add(child);
      try {
        // The control may have changed while the child was being started.
        if (control !== sent) await child.signal(controlSignal, control).catch(() => undefined);
        const result = await child.result();
        met ??= result.stop;
        return result;
      } finally {
        children.delete(child);
      }
    },
  };
}
