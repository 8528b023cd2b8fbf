import {
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { AppliedPartition } from '../plans/protocol/activities.js';
import { asRunFailure } from './failures.js';
import { type ApplyInput, type ApplyResult, type Control, controlSignal } from './messages.js';
import { finishPartition, newApplyState, takePartition } from './partition-window.js';
import { partitionPolicy, passes, stopGraceMs } from './policies.js';

/**
 * One semantic call over all partitions of its inputs, as a sliding window of partition activities. Partitions are started
 * in order, so that with `enough` the run stops once the finished prefix holds so many passing rows.
 */
export async function apply(input: ApplyInput): Promise<ApplyResult> {
  const { call } = input;
  const state = input.state ?? newApplyState();
  // Runs from before it went on at once, and so lost or bought again what was in flight.
  const awaiting = patched('await-calls-in-flight');
  const { applyPartition, runProgram } = proxyActivities<Activities>({
    ...partitionPolicy,
    taskQueue: call.queue,
    ...(awaiting ? { cancellationType: 'WAIT_CANCELLATION_COMPLETED' as const } : {}),
  });
  const pass = call.program === true ? runProgram : applyPartition;
  const mostPasses = call.retries === undefined ? passes.maximum : call.retries + 1;
  let control: Control = input.control;
  let failure: ApplicationFailure | undefined;
  let draining = false;
  /** Partitions that hold a place in the window: being asked, or waiting for their next pass. */
  const open = new Map<number, CancellationScope>();
  let waiting = 0;

  const interrupt = () => {
    for (const scope of open.values()) scope.cancel();
  };
  setHandler(controlSignal, (next) => {
    // What is in flight works to the old control; it is stopped only when there is a new one.
    const changed = JSON.stringify(next) !== JSON.stringify(control);
    control = next;
    if (changed) interrupt();
  });

  const satisfied = () => input.enough !== undefined && state.prefixPassed >= input.enough;
  /** What is in flight is paid for, and is waited for. */
  const gaveUp = () => input.mostUnsure !== undefined && (state.unsure ?? 0) > input.mostUnsure;
  const stopping = () => (control.stop ?? state.stop) !== undefined || failure !== undefined || satisfied() || gaveUp();

  /** Nothing more is to be asked, and what is in flight is worth no more than a little patience, or none. */
  const ending = () => awaiting && (control.stop !== undefined || failure !== undefined || satisfied());

  async function onePass(partition: number, done: number, visited: boolean): Promise<AppliedPartition | undefined> {
    const scope = new CancellationScope({ cancellable: true });
    open.set(partition, scope);
    try {
      return await scope.run(() =>
        pass({
          runId: input.runId,
          plan: input.plan,
          call: call.id,
          wave: input.wave,
          partition,
          limits: control.limits,
          last: done + 1 >= mostPasses,
          again: done > 0,
          ...(visited ? { visited } : {}),
          ...(done + 1 >= Math.min(passes.absent, mostPasses) ? { absentIsFatal: true } : {}),
        }),
      );
    } catch (error) {
      // Told to stop before it had begun: nothing was done, nothing is lost.
      if (isCancellation(error)) return undefined;
      throw error;
    }
  }

  /** Runs passes over one partition until it is finished, the run stops, or this workflow run is about to end. */
  async function runPartition(task: { partition: number; passes: number }): Promise<void> {
    let done = task.passes;
    let visited = done > 0;
    for (;;) {
      await condition(() => !control.paused || stopping() || draining);
      if (stopping()) return;
      if (draining) {
        state.again.push({ partition: task.partition, passes: done });
        return;
      }
      const result = await onePass(task.partition, done, visited);
      if (result === undefined) continue;
      visited = true;
      if (result.limit !== undefined) {
        state.stop ??= result.limit;
        return;
      }
      if (result.undecided > 0) continue;
      if (result.transient > 0) {
        done += 1;
        waiting += 1;
        await condition(() => stopping() || draining, passes.delayMs(done, result.retryAfterMs));
        waiting -= 1;
        continue;
      }
      finishPartition(state, task.partition, result.passed);
      if (result.unsure !== undefined) state.unsure = (state.unsure ?? 0) + result.unsure;
      if (satisfied()) interrupt();
      return;
    }
  }

  const mayStart = () =>
    !draining && !stopping() && !control.paused && open.size - waiting < call.window && open.size < 4 * call.window;
  /** History is long enough: start nothing more, end this workflow run when the window is empty. */
  const wantsDrain = () => !draining && left() && !stopping() && workflowInfo().continueAsNewSuggested;
  const left = () => state.again.length > 0 || state.next < input.partitions;

  return CancellationScope.nonCancellable(async () => {
    for (;;) {
      while (mayStart()) {
        const task = takePartition(state, input.partitions);
        if (task === undefined) break;
        open.set(task.partition, new CancellationScope({ cancellable: true }));
        void runPartition(task)
          .catch((error: unknown) => {
            failure ??= asRunFailure(error);
            interrupt();
          })
          .finally(() => open.delete(task.partition));
      }
      if (ending()) {
        if (failure === undefined && !satisfied()) await condition(() => open.size === 0, stopGraceMs);
        break;
      }
      if (wantsDrain()) draining = true;
      if (open.size === 0 && (stopping() || draining || !left())) break;
      await condition(() => ending() || (mayStart() && left()) || open.size === 0 || wantsDrain());
      if (open.size === 0 && control.paused && !stopping() && left()) {
        await condition(() => !control.paused || stopping());
      }
    }
    if (failure !== undefined) throw failure;
    if (draining && !stopping()) {
      return continueAsNew<typeof apply>({ ...input, control, state });
    }
    const stop = control.stop ?? state.stop;
    return {
      passed: state.prefixPassed,
      finished: state.finished,
      ...(gaveUp() ? { gaveUp: true as const } : {}),
      ...(stop === undefined ? {} : { stop }),
    };
  });
}
