/** A query that is started and waited for: Ctrl-C before it began, confirmation, progress. */
import type { Fermata, Run, RunOptions } from '../client/api.js';
import { FermataError, exitCodes } from '../plans/protocol/errors.js';
import type { RunResult } from '../plans/protocol/run.js';
import { askToSpend } from './confirm.js';
import type { Context } from './context.js';
import { follow } from './follow.js';
import { type Interrupts, fired } from './interrupts.js';
import type { ProgressKind } from './progress/reporter.js';

/** Starts the query, unless Ctrl-C comes first. */
export async function start(
  fermata: Fermata,
  sql: string,
  options: RunOptions,
  interrupts: Interrupts,
): Promise<Run | undefined> {
  const leaving = fired(interrupts.first);
  try {
    const starting = fermata.sql(sql, options);
    starting.catch(() => undefined);
    const first = await Promise.race([starting, leaving.promise]);
    return first === 'fired' ? undefined : first;
  } finally {
    leaving.stop();
  }
}

/** What one command asks for. */
export interface Asked {
  readonly context: Context;
  readonly fermata: Fermata;
  readonly sql: string;
  readonly flags: WaitFlags;
  readonly interrupts: Interrupts;
}

export interface WaitFlags {
  readonly progress: ProgressKind;
  /** Seconds. */
  readonly timeout?: number;
  readonly yes?: boolean;
}

export interface Followed {
  readonly run: Run;
  /** Absent: the person left before the end. */
  readonly result?: RunResult;
}

/** One attempt: starts the query and follows it. Undefined when Ctrl-C came before the run began. */
async function attempt(
  { context, fermata, sql, flags, interrupts }: Asked,
  options: RunOptions,
): Promise<Followed | undefined> {
  const run = await start(fermata, sql, options, interrupts);
  if (run === undefined) return undefined;
  await context.note(`run ${run.id}`);
  const timeout = flags.timeout === undefined ? {} : { timeout: flags.timeout };
  const result = await follow(context, run, { progress: flags.progress, interrupts, ...timeout });
  return result === undefined ? { run } : { run, result };
}

/** Runs with the threshold of USD; a run that stops at it has cost nothing, and starts again once the person has said yes. */
export async function attemptAsking(
  asked: Asked,
  options: RunOptions,
  threshold: number,
): Promise<Followed | undefined> {
  if (asked.flags.yes) return attempt(asked, options);
  try {
    return await attempt(asked, { ...options, confirmAboveUsd: threshold });
  } catch (error) {
    if (!FermataError.is(error, 'NeedsConfirmation')) throw error;
    await askToSpend(asked.context, await asked.fermata.estimate(asked.sql, options), threshold);
    return attempt(asked, options);
  }
}

/** The exit code of a command that Ctrl-C ended before its run began. */
export async function interrupted(context: Context): Promise<number> {
  await context.note('interrupted before the run began');
  return exitCodes.interrupted;
}
