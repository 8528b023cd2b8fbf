import { CancellationScope, condition, ContinueAsNew } from '@temporalio/workflow';
import type { RunBudget } from '../plans/protocol/run.js';
import { asRunFailure } from './failures.js';

interface Timed {
  readonly budget: RunBudget;
  readonly startedAt: number;
}

/**
 * Does the work of a workflow to its end. Cancelling it in Temporal stops it as the update does, and so does the end of its
 * seconds: it finishes with what it has. Throws `ApplicationFailure` for whatever it fails with.
 */
export async function runWithin<T>(
  state: Timed,
  stop: (reason: 'cancelled' | 'budget-seconds') => Promise<void>,
  run: () => Promise<T>,
): Promise<T> {
  CancellationScope.current().cancelRequested.catch(() => stop('cancelled'));
  const deadline = new CancellationScope({ cancellable: true });
  void deadline.run(() => watchDeadline(state, () => stop('budget-seconds'))).catch(() => undefined);
  try {
    return await CancellationScope.nonCancellable(run);
  } catch (error) {
    throw error instanceof ContinueAsNew ? error : asRunFailure(error);
  } finally {
    deadline.cancel();
  }
}

/** Calls `expire` when a run's seconds are over; follows changes of the budget. */
async function watchDeadline(state: Timed, expire: () => Promise<void>): Promise<void> {
  for (;;) {
    const { seconds } = state.budget;
    if (seconds === undefined) {
      await condition(() => state.budget.seconds !== undefined);
      continue;
    }
    const leftMs = state.startedAt + seconds * 1000 - Date.now();
    if (leftMs <= 0) return expire();
    await condition(() => state.budget.seconds !== seconds, leftMs);
  }
}
