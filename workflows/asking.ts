/** What cascades and rounds share: one `apply` child after the other, each told what its parent is told. */
import { type ChildWorkflowHandle, setHandler, startChild } from '@temporalio/workflow';
import type { CallSchedule } from '../plans/protocol/activities.js';
import { apply } from './apply.js';
import { type ApplyInput, type ApplyResult, type Control, controlSignal } from './messages.js';

export interface Asking {
  /** As last told. */
  control(): Control;
  /** Why nothing more is to be asked: the parent says so, or a child met a limit. */
  stop(): ApplyResult['stop'];
  /** Asks the model about the partitions of a call, a step or a round, and waits; nothing when there are none or the run stops. */
  ask(call: CallSchedule, partitions: number): Promise<void>;
}

/** Handles `controlSignal` from now on. */
export function startAsking({ runId, plan, wave, control: given }: Omit<ApplyInput, 'state'>): Asking {
  let control = given;
  let met: ApplyResult['stop'];
  let child: ChildWorkflowHandle<typeof apply> | undefined;

  setHandler(controlSignal, async (next) => {
    control = next;
    // A child that has just ended cannot be told, and need not be.
    await child?.signal(controlSignal, next).catch(() => undefined);
  });
  const stop = (): ApplyResult['stop'] => control.stop ?? met;

  return {
    control: () => control,
    stop,
    async ask(call, partitions) {
      if (partitions === 0 || stop() !== undefined) return;
      const sent = control;
      child = await startChild(apply, {
        workflowId: `${runId}/apply/${call.id}/${wave}`,
        args: [{ v: 1, runId, plan, call, wave, partitions, control: sent }],
      });
      try {
        // The control may have changed while the child was being started.
        if (control !== sent) await child.signal(controlSignal, control).catch(() => undefined);
        met ??= (await child.result()).stop;
      } finally {
        child = undefined;
      }
    },
  };
}
