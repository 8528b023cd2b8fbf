import { condition } from '@temporalio/workflow';
import type { RunBudget } from '../plans/protocol/run.js';

interface Timed {
  readonly budget: RunBudget;
  readonly startedAt: number;
}

/** Calls `expire` when a run's seconds are over; follows changes of the budget. */
export async function watchDeadline(state: Timed, expire: () => Promise<void>): Promise<void> {
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
