/** Retry and timeout policy of every activity: the one level at which anything is tried again. */
import type { ActivityOptions, RetryPolicy } from '@temporalio/workflow';
import { callErrorTable } from '../plans/protocol/call-errors.js';
import { errorTable } from '../plans/protocol/errors.js';
import { queues } from '../plans/protocol/queues.js';

const final = [
  ...Object.entries(errorTable).flatMap(([code, row]) => (row.retryable ? [] : [code])),
  ...Object.entries(callErrorTable).flatMap(([code, row]) => (row.fate === 'fatal' ? [code] : [])),
];

function retry(maximumAttempts: number, maximumInterval: '10s' | '60s'): RetryPolicy {
  return {
    initialInterval: '500ms',
    backoffCoefficient: 2,
    maximumInterval,
    maximumAttempts,
    nonRetryableErrorTypes: final,
  };
}

/** DuckDB work: reading data in, distinct inputs, the final query. */
export const relationalPolicy = {
  taskQueue: queues.cpu,
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '20s',
  retry: retry(5, '10s'),
} as const satisfies ActivityOptions;

/**
 * One pass over one partition. A dead worker is noticed by the heartbeat; failed calls do not fail the activity, they come
 * back as counts and the workflow plans another pass (see `passes`).
 */
export const partitionPolicy = {
  startToCloseTimeout: '60 minutes',
  heartbeatTimeout: '10s',
  retry: retry(20, '10s'),
} as const satisfies ActivityOptions;

/**
 * How long a run that is to end waits for the calls in flight: their answers count. They hear of it with a heartbeat (2 s); an
 * endpoint that hangs is not waited for to the end.
 */
export const stopGraceMs = 15_000;

/** Passes over a partition whose calls fail for passing reasons. */
export const passes = {
  /** Unless the model's limits say otherwise: half a minute. */
  maximum: 8,
  /** With this pass, some two seconds after the first, an endpoint that never answered in the run counts as not there. */
  absent: 4,
  /** Milliseconds before pass `n` (from 1): doubling from a quarter second, at most 30 s, at least what the endpoint asked. */
  delayMs(n: number, retryAfterMs: number | undefined): number {
    const backoff = Math.min(250 * 2 ** (n - 1), 30_000);
    return Math.max(backoff, Math.min(retryAfterMs ?? 0, 300_000));
  },
} as const;
