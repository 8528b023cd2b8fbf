/** Book-keeping of a sliding window of partitions; pure, so that `apply` itself is only scheduling. */
import type { ApplyState } from './messages.js';

/** `from`: partitions before it are no part of it. */
export function newApplyState(from = 0): ApplyState {
  return { v: 1, next: from, again: [], prefix: from, prefixPassed: 0, ahead: [], finished: 0 };
}

/** Marks a partition finished and moves the prefix over all finished ones. */
export function finishPartition(state: ApplyState, partition: number, passed: number): void {
  state.finished += 1;
  state.ahead.push({ partition, passed });
  for (;;) {
    const at = state.ahead.findIndex((entry) => entry.partition === state.prefix);
    const entry = state.ahead[at];
    if (entry === undefined) return;
    state.ahead.splice(at, 1);
    state.prefix += 1;
    state.prefixPassed += entry.passed;
  }
}

/** The next partition to run and the passes it had; undefined when all have been started. */
export function takePartition(
  state: ApplyState,
  partitions: number,
): { partition: number; passes: number } | undefined {
  const again = state.again.shift();
  if (again !== undefined) return again;
  if (state.next >= partitions) return undefined;
  const partition = state.next;
  state.next += 1;
  return { partition, passes: 0 };
}
