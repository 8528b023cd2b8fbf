/** Waiting for a run: progress, Ctrl-C, time limit. */
import type { Controlled } from '../client/api.js';
import type { Context } from './context.js';
import { type Interrupts, fired, secondWithinMs } from './interrupts.js';
import type { ProgressKind, ProgressReporter } from './progress/reporter.js';

/** A run, or a search for a plan. */
export type Followed<Result> = Pick<Controlled<Result, unknown>, 'id' | 'watch' | 'result' | 'cancel'>;

export interface FollowOptions {
  readonly progress: ProgressKind;
  readonly interrupts: Interrupts;
  /** Stop waiting after so many seconds; the run goes on. */
  readonly timeout?: number;
}

async function showProgress(run: Followed<unknown>, reporter: ProgressReporter, signal: AbortSignal): Promise<void> {
  try {
    for await (const progress of run.watch(signal)) {
      if (signal.aborted) return;
      await reporter.update(progress);
    }
  } catch (error) {
    // The run's own end tells what matters; a lost progress line does not end a query.
    if (!signal.aborted) await reporter.note(`progress is not shown: ${(error as Error).message}`);
  }
}

/** How to come back to a run. */
export function comeBack(run: Pick<Followed<unknown>, 'id'>): string {
  return `to come back: fermata watch ${run.id} · to stop it: fermata cancel ${run.id}`;
}

/**
 * Waits for the end of the run. Undefined: the person (or the time limit) stopped waiting; the run goes on, or was
 * cancelled by a second Ctrl-C, and stderr says which. Throws the run's `FermataError`.
 */
export async function follow<Result>(
  context: Context,
  run: Followed<Result>,
  options: FollowOptions,
): Promise<Result | undefined> {
  const { interrupts } = options;
  const reporter = context.progress(options.progress);
  const ended = new AbortController();
  const timedOut = options.timeout === undefined ? undefined : AbortSignal.timeout(options.timeout * 1000);
  const left = AbortSignal.any([interrupts.first, ...(timedOut ? [timedOut] : [])]);
  const stopWatching = AbortSignal.any([left, ended.signal]);
  const leaving = fired(left);
  const showing = showProgress(run, reporter, stopWatching);
  try {
    const ending = run.result(stopWatching).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    const end = await Promise.race([ending, leaving.promise]);
    if (end !== 'fired') {
      // The last records still come: they are part of what happened.
      await Promise.race([showing, leaving.promise]);
      if ('error' in end) throw end.error;
      return end.result;
    }
  } finally {
    leaving.stop();
    ended.abort();
    await reporter.end();
  }
  await context.say(`\nrun ${run.id} goes on\n${comeBack(run)}`);
  if (interrupts.first.aborted) await awaitSecond(context, run, interrupts);
  return undefined;
}

async function awaitSecond(context: Context, run: Followed<unknown>, interrupts: Interrupts): Promise<void> {
  await context.note(`Ctrl-C again within ${secondWithinMs / 1000} s cancels it`);
  await context.io.sleep(secondWithinMs, interrupts.second);
  if (!interrupts.second.aborted) return;
  await run.cancel();
  await context.say(`run ${run.id} is being cancelled; what is decided stays: fermata result ${run.id}`);
}
