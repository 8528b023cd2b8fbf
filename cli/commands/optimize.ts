import type { Command } from 'commander';
import type { Fermata, Optimization, OptimizeOptions } from '../../client/api.js';
import { FermataError, exitCodes } from '../../plans/protocol/errors.js';
import { parseJson } from '../../plans/protocol/json.js';
import type { SearchResult } from '../../plans/protocol/search.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson, withFermata } from '../context.js';
import { comeBack, follow } from '../follow.js';
import { type Interrupts, listenForInterrupts } from '../interrupts.js';
import { budgetOptions, commonOptions, followOptions, inputOptions, searchOptions } from '../options.js';
import { stopExit } from '../outcome.js';
import type { ProgressKind } from '../progress/reporter.js';
import { budgetOf, type QueryFlags, runOptions, sqlText } from '../query-input.js';
import { optimizationLines } from '../render/optimization.js';
import { writeWhole } from '../render/whole-file.js';
import { searchOf } from '../search-flags.js';
import { withSql } from '../sql-errors.js';
import { weightOptions } from '../weights-flags.js';

interface OptimizeFlags extends CommonFlags, QueryFlags {
  readonly progress: ProgressKind;
  readonly timeout?: number;
  readonly out?: string;
  readonly yes?: boolean;
  readonly detach?: boolean;
}

function optionsOf(flags: OptimizeFlags): OptimizeOptions {
  const { tables, params, cache, model } = runOptions(flags);
  const budget = budgetOf(flags);
  return {
    ...(tables === undefined ? {} : { tables }),
    ...(params === undefined ? {} : { params }),
    ...(cache === undefined ? {} : { cache }),
    ...(model === undefined ? {} : { model }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    ...searchOf(flags),
  };
}

/** Prints the plan beside the default model; with `--out` the plan is written to a file. */
export async function finishOptimization(
  context: Context,
  search: Optimization,
  result: SearchResult,
  out: string | undefined,
): Promise<number> {
  const plan = await search.plan();
  if (out !== undefined) await writeWhole(context.io.cwd, out, (handle) => handle.writeFile(plan));
  if (context.json) {
    const parsed = parseJson(plan);
    await printJson(context, 'fermata/optimization/1', { ...result, plan: parsed.ok ? parsed.value : null });
  } else await context.print(`${optimizationLines(result, context.style, context.io.stdout.columns).join('\n')}\n`);
  if (out !== undefined) await context.note(`plan written to ${out}`);
  return exitCodes[stopExit(result.stop)];
}

interface Asked {
  readonly context: Context;
  readonly fermata: Fermata;
  readonly sql: string;
  readonly flags: OptimizeFlags;
  readonly interrupts: Interrupts;
}

async function attempt({ context, fermata, sql, flags, interrupts }: Asked, options: OptimizeOptions): Promise<number> {
  const search = await fermata.optimize(sql, options);
  if (flags.detach === true) {
    if (context.json) await printJson(context, 'fermata/started/1', { runId: search.id });
    else await context.print(`${search.id}\n`);
    await context.note(comeBack(search));
    return exitCodes.ok;
  }
  await context.note(`run ${search.id}`);
  const timeout = flags.timeout === undefined ? {} : { timeout: flags.timeout };
  const result = await follow(context, search, { progress: flags.progress, interrupts, ...timeout });
  return result === undefined ? exitCodes.interrupted : finishOptimization(context, search, result, flags.out);
}

/** A search that stops at the threshold has cost nothing; it starts again once the person has said yes. */
async function attemptAsking(asked: Asked, threshold: number): Promise<number> {
  const options = optionsOf(asked.flags);
  // Nobody waits for a detached search, so that it could not ask.
  if (asked.flags.yes === true) return attempt(asked, options);
  try {
    return await attempt(asked, { ...options, confirmAboveUsd: threshold });
  } catch (error) {
    const { io } = asked.context;
    if (!FermataError.is(error, 'NeedsConfirmation') || !io.interactive) throw error;
    const answer = await io.ask(`${error.message}. Go on? [y/N] `);
    if (!/^\s*y(es)?\s*$/i.test(answer)) throw error;
    return attempt(asked, options);
  }
}

async function optimize(context: Context, argument: string | undefined, flags: OptimizeFlags): Promise<number> {
  const sql = await sqlText(context, argument, flags);
  // Wrong flags are told before any stack is started.
  optionsOf(flags);
  const { limits } = (await context.services.settings(context.place)).settings;
  const interrupts = listenForInterrupts(context.io);
  try {
    return await withSql(sql, () =>
      withFermata(context, (fermata) =>
        attemptAsking({ context, fermata, sql, flags, interrupts }, limits.confirmAboveUsd),
      ),
    );
  } finally {
    interrupts.stop();
  }
}

export const command: CommandModule = {
  configure(command: Command, run) {
    followOptions(searchOptions(weightOptions(budgetOptions(inputOptions(commonOptions(command))))))
      .option('--out <file>', 'write the plan to a file')
      .option('-y, --yes', 'do not ask before spending')
      .option('--detach', 'print the run id and return at once')
      .argument('[sql]', 'SQL text, a .sql file, or - for standard input')
      .action((sql: string | undefined, flags: OptimizeFlags) =>
        run(flags, (context) => optimize(context, sql, flags)),
      );
  },
};
