import type { Command } from 'commander';
import type { Fermata, Run, RunOptions } from '../../client/api.js';
import { FermataError, exitCodes } from '../../plans/protocol/errors.js';
import type { RunResult } from '../../plans/protocol/run.js';
import type { CommandModule } from '../command.js';
import { askToSpend, confirmBeforehand } from '../confirm.js';
import { type CommonFlags, type Context, printJson, withFermata } from '../context.js';
import { comeBack, follow } from '../follow.js';
import { type Interrupts, fired, listenForInterrupts } from '../interrupts.js';
import { commonOptions, outputOptions, queryOptions } from '../options.js';
import { type OutputFlags, destination, finish } from '../outcome.js';
import type { ProgressKind } from '../progress/reporter.js';
import { type QueryFlags, runOptions, sqlText } from '../query-input.js';
import { withSql } from '../sql-errors.js';
import { printEstimate } from './explain.js';

export interface FullQueryFlags extends CommonFlags, QueryFlags, OutputFlags {
  readonly progress: ProgressKind;
  readonly timeout?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly detach?: boolean;
}

/** Starts the query, unless Ctrl-C comes first. */
async function start(
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

/** Prints the id as the only result. */
async function printStarted(context: Context, run: Run): Promise<number> {
  if (context.json) await printJson(context, 'fermata/started/1', { runId: run.id });
  else await context.print(`${run.id}\n`);
  await context.note(comeBack(run));
  return exitCodes.ok;
}

/** Looks at a finished run while the connection is open; called after its rows and its report are out. */
export type AfterRun = (run: Run, result: RunResult) => Promise<void>;

interface Asked {
  readonly context: Context;
  readonly fermata: Fermata;
  readonly sql: string;
  readonly flags: FullQueryFlags;
  readonly interrupts: Interrupts;
  readonly after?: AfterRun;
}

interface Followed {
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

/** Runs with the threshold; a run that stops at it has cost nothing, and starts again once the person has said yes. */
async function attemptAsking(asked: Asked, options: RunOptions, threshold: number): Promise<Followed | undefined> {
  if (asked.flags.yes) return attempt(asked, options);
  try {
    return await attempt(asked, { ...options, confirmAboveUsd: threshold });
  } catch (error) {
    if (!FermataError.is(error, 'NeedsConfirmation')) throw error;
    await askToSpend(asked.context, await asked.fermata.estimate(asked.sql, options), threshold);
    return attempt(asked, options);
  }
}

async function detach(asked: Asked, options: RunOptions, threshold: number): Promise<number> {
  const { context, fermata, sql, flags, interrupts } = asked;
  if (!flags.yes) await confirmBeforehand(context, fermata, sql, options, threshold);
  const run = await start(fermata, sql, options, interrupts);
  return run === undefined ? interrupted(context) : printStarted(context, run);
}

async function interrupted(context: Context): Promise<number> {
  await context.note('interrupted before the run began');
  return exitCodes.interrupted;
}

async function runQuery(asked: Asked): Promise<number> {
  const { context, fermata, sql, flags } = asked;
  const options = runOptions(flags);
  if (flags.dryRun) return printEstimate(context, await fermata.estimate(sql, options));
  const to = destination(context, flags);
  const { limits } = (await context.services.settings(context.place)).settings;
  if (flags.detach) return detach(asked, options, limits.confirmAboveUsd);
  const followed = await attemptAsking(asked, options, limits.confirmAboveUsd);
  if (followed === undefined) return interrupted(context);
  if (followed.result === undefined) return exitCodes.interrupted;
  const exit = await finish(context, followed.run, followed.result, to, flags.maxErrorRatio ?? limits.maxErrorRatio);
  await asked.after?.(followed.run, followed.result);
  return exit;
}

/** The whole of `fermata query`; the demo runs through it too. */
export async function query(
  context: Context,
  argument: string | undefined,
  flags: FullQueryFlags,
  after?: AfterRun,
): Promise<number> {
  const sql = await sqlText(context, argument, flags);
  // Wrong flags are told before any stack is started.
  runOptions(flags);
  if (!flags.dryRun) destination(context, flags);
  const interrupts = listenForInterrupts(context.io);
  try {
    return await withSql(sql, () =>
      withFermata(context, (fermata) =>
        runQuery({ context, fermata, sql, flags, interrupts, ...(after ? { after } : {}) }),
      ),
    );
  } finally {
    interrupts.stop();
  }
}

export const command: CommandModule = {
  configure(command: Command, run) {
    outputOptions(queryOptions(commonOptions(command)))
      .argument('[sql]', 'SQL text, a .sql file, or - for standard input')
      .option('--dry-run', 'print the estimate and spend nothing')
      .option('-y, --yes', 'do not ask before spending')
      .option('--detach', 'print the run id and return at once')
      .action((sql: string | undefined, flags: FullQueryFlags) => run(flags, (context) => query(context, sql, flags)));
  },
};
