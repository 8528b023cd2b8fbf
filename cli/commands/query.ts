import type { Command } from 'commander';
import type { Run, RunOptions } from '../../client/api.js';
import { exitCodes } from '../../plans/protocol/errors.js';
import type { RunResult } from '../../plans/protocol/run.js';
import { type Asked, attemptAsking, interrupted, start, type WaitFlags } from '../attempt.js';
import type { CommandModule } from '../command.js';
import { confirmBeforehand } from '../confirm.js';
import { type CommonFlags, type Context, printJson, withFermata } from '../context.js';
import { comeBack } from '../follow.js';
import { listenForInterrupts } from '../interrupts.js';
import { commonOptions, outputOptions, queryOptions, startOptions } from '../options.js';
import { type OutputFlags, destination, finish } from '../outcome.js';
import { type QueryFlags, readOptions, sqlText } from '../query-input.js';
import { optimizeOptions } from '../search-flags.js';
import { withSql } from '../sql-errors.js';
import { printEstimate } from './explain.js';

export interface FullQueryFlags extends CommonFlags, QueryFlags, OutputFlags {
  readonly progress: WaitFlags['progress'];
  readonly timeout?: number;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly detach?: boolean;
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

interface Query extends Asked {
  readonly flags: FullQueryFlags;
  readonly options: RunOptions;
  readonly after?: AfterRun;
}

async function detach(asked: Query, threshold: number): Promise<number> {
  const { context, fermata, sql, flags, options, interrupts } = asked;
  if (!flags.yes) await confirmBeforehand(context, fermata, sql, options, threshold);
  const run = await start(fermata, sql, options, interrupts);
  return run === undefined ? interrupted(context) : printStarted(context, run);
}

async function runQuery(asked: Query): Promise<number> {
  const { context, fermata, sql, flags, options } = asked;
  if (flags.dryRun) return printEstimate(context, await fermata.estimate(sql, options));
  const to = destination(context, flags);
  const { limits } = (await context.services.settings(context.place)).settings;
  if (flags.detach) return detach(asked, limits.confirmAboveUsd);
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
  const options = await readOptions(context, flags);
  return withSql(sql, () => answer(context, sql, flags, options, after));
}

/** Starts the run that the options describe, waits for it, and prints its rows. `text`: SQL, or the intent of a logical plan. */
export async function answer(
  context: Context,
  text: string,
  flags: FullQueryFlags,
  options: RunOptions,
  after?: AfterRun,
): Promise<number> {
  if (!flags.dryRun) destination(context, flags);
  const interrupts = listenForInterrupts(context.io);
  try {
    return await withFermata(context, (fermata) =>
      runQuery({ context, fermata, sql: text, flags, options, interrupts, ...(after ? { after } : {}) }),
    );
  } finally {
    interrupts.stop();
  }
}

export const command: CommandModule = {
  configure(command: Command, run) {
    startOptions(outputOptions(optimizeOptions(queryOptions(commonOptions(command)))))
      .argument('[sql]', 'SQL text, a .sql file, or - for standard input')
      .action((sql: string | undefined, flags: FullQueryFlags) => run(flags, (context) => query(context, sql, flags)));
  },
};
