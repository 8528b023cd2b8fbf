import type { Command } from 'commander';
import type { RunOptions } from '../../client/api.js';
import { exitCodes } from '../../plans/protocol/errors.js';
import { analyze } from '../../plans/explain/analysis.js';
import type { PlacementComparison } from '../../plans/protocol/comparison.js';
import type { Estimate } from '../../plans/protocol/run.js';
import { attemptAsking, interrupted } from '../attempt.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson, usage, withFermata } from '../context.js';
import { listenForInterrupts } from '../interrupts.js';
import { commonOptions, queryOptions } from '../options.js';
import { exitOf } from '../outcome.js';
import { type QueryFlags, readOptions, sqlText } from '../query-input.js';
import { analysisLines } from '../render/analysis.js';
import { comparisonText } from '../render/comparison.js';
import { estimateLines } from '../render/estimate.js';
import { noteLines } from '../render/report.js';
import { optimizeOptions } from '../search-flags.js';
import { withSql } from '../sql-errors.js';

/** The estimate on stdout: it is the result that was asked for. */
export async function printEstimate(context: Context, estimate: Estimate): Promise<number> {
  const notes = noteLines(estimate.notes, context.style);
  if (notes.length > 0) await context.note(notes.join('\n'));
  if (context.json) await printJson(context, 'fermata/estimate/1', estimate);
  else await context.print(`${estimateLines(estimate, context.io.stdout.columns).join('\n')}\n`);
  return exitCodes.ok;
}

interface ExplainFlags extends CommonFlags, QueryFlags {
  readonly compare?: boolean;
  readonly analyze?: boolean;
  readonly yes?: boolean;
}

async function printComparison(context: Context, comparison: PlacementComparison): Promise<number> {
  if (context.json) await printJson(context, 'fermata/placements/1', comparison);
  else await context.print(`${comparisonText(comparison, context.io.stdout.columns)}\n`);
  return exitCodes.ok;
}

/** Estimates, runs, and shows both. What the run spends it spends as `fermata query` does: asked before, within its limits. */
async function analyzed(context: Context, sql: string, options: RunOptions, flags: ExplainFlags): Promise<number> {
  const interrupts = listenForInterrupts(context.io);
  try {
    return await withFermata(context, async (fermata) => {
      const { limits } = (await context.services.settings(context.place)).settings;
      const estimate = await fermata.estimate(sql, options);
      const wait = { progress: flags.progress ?? 'auto', ...(flags.yes === undefined ? {} : { yes: flags.yes }) };
      const asked = { context, fermata, sql, flags: wait, interrupts };
      const followed = await attemptAsking(asked, options, limits.confirmAboveUsd);
      if (followed === undefined) return interrupted(context);
      if (followed.result === undefined) return exitCodes.interrupted;
      const analysis = analyze(estimate, followed.result, (await followed.run.description())?.joins);
      const notes = noteLines(analysis.notes, context.style);
      if (notes.length > 0) await context.note(notes.join('\n'));
      if (context.json) await printJson(context, 'fermata/analysis/1', analysis);
      else await context.print(`${analysisLines(analysis, context.io.stdout.columns).join('\n')}\n`);
      return exitOf(followed.result, flags.maxErrorRatio ?? limits.maxErrorRatio);
    });
  } finally {
    interrupts.stop();
  }
}

async function explain(context: Context, argument: string | undefined, flags: ExplainFlags): Promise<number> {
  if (flags.compare === true && flags.analyze === true)
    usage('--compare spends nothing, --analyze runs the query: name one');
  const sql = await sqlText(context, argument, flags);
  const options = await readOptions(context, flags);
  if (flags.analyze === true) return withSql(sql, () => analyzed(context, sql, options, flags));
  if (flags.compare === true) {
    return withSql(sql, () =>
      withFermata(context, async (fermata) => printComparison(context, await fermata.compare(sql, options))),
    );
  }
  return withSql(sql, () =>
    withFermata(context, async (fermata) => printEstimate(context, await fermata.estimate(sql, options))),
  );
}

export const command: CommandModule = {
  configure(command: Command, run) {
    optimizeOptions(queryOptions(commonOptions(command)))
      .option('--compare', 'every placement of semantic conditions side by side')
      .option('--analyze', 'run the query too, and show what was measured beside what was estimated')
      .option('-y, --yes', 'with --analyze: do not ask before spending')
      .argument('[sql]', 'SQL text, a .sql file, or - for standard input')
      .action((sql: string | undefined, flags: ExplainFlags) => run(flags, (context) => explain(context, sql, flags)));
  },
};
