import * as z from 'zod';
import { searchAttributes } from '../../workflows/search-attributes.js';
import { compiled } from './package-root.js';
import { workerNames, workerPrograms } from './worker-programs.js';

const milliseconds = z.number().int().nonnegative();

/** When and how often a process that ended is started again, and how long one may take to stop. */
const timingsSchema = z.object({
  /** Pause before the first restart; doubled for each further failure in a row. */
  firstPauseMs: milliseconds,
  longestPauseMs: milliseconds,
  /** A process that ran this long counts as healthy: its failures are forgotten. */
  healthyAfterMs: milliseconds,
  /** Failures in a row that make a crash loop. It is retried all the same, and shown in status. */
  crashLoopAfter: z.number().int().positive(),
  /** A server that is not ready by then is ended and started again. */
  serverReadyMs: milliseconds,
  /** From SIGTERM to SIGKILL. */
  workerStopMs: milliseconds,
  serverStopMs: milliseconds,
  /** How often logs are rotated and the state file is looked at. */
  housekeepingMs: milliseconds,
});

/** What a stack consists of. Sent from `up` to the supervisor. */
export const stackPlanSchema = z.object({
  /** Compiled program of the supervisor. */
  supervisorMain: z.string(),
  /** Worker processes: name in status and logs, compiled program. */
  workers: z.array(z.object({ name: z.string(), main: z.string() })),
  /** Registered by the server at start. */
  searchAttributes: z.record(z.string(), z.enum(['Keyword', 'Int', 'Double', 'Text'])),
  timings: timingsSchema,
});

export type StackPlan = z.infer<typeof stackPlanSchema>;
export type StackTimings = StackPlan['timings'];

/** The stack that `fermata up` starts. */
export const defaultStackPlan: StackPlan = {
  supervisorMain: compiled('workers/embedded/supervisor-main.js'),
  workers: workerNames.map((name) => ({ name, main: compiled(workerPrograms[name]) })),
  searchAttributes,
  timings: {
    firstPauseMs: 250,
    longestPauseMs: 15_000,
    healthyAfterMs: 30_000,
    crashLoopAfter: 4,
    serverReadyMs: 60_000,
    workerStopMs: 20_000,
    serverStopMs: 10_000,
    housekeepingMs: 5_000,
  },
};
