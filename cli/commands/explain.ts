import type { Command } from 'commander';
import { exitCodes } from '../../plans/protocol/errors.js';
import type { PlacementComparison } from '../../plans/protocol/comparison.js';
import type { Estimate } from '../../plans/protocol/run.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson, withFermata } from '../context.js';
import { commonOptions, queryOptions } from '../options.js';
import { type QueryFlags, runOptions, sqlText } from '../query-input.js';
import { comparisonText } from '../render/comparison.js';
import { estimateLines } from '../render/estimate.js';
import { noteLines } from '../render/report.js';
import { withSql } from '../sql-errors.js';

/** The estimate on stdout: it is the result that was asked for. */
export async function printEstimate(context: Context, estimate: Estimate): Promise<number> {
  const notes = noteLines(estimate.notes, context.style);
  if (notes.length > 0) await context.note(notes.join('\n'));
  if (context.json) await printJson(context, 'fermata/estimate/1', estimate);
  else await context.print(`${estimateLines(estimate, context.io.stdout.columns).join('\n')}\n`);
  return exitCodes.ok;
}

interface ExplainFlags extends QueryFlags {
  readonly compare?: boolean;
}

async function printComparison(context: Context, comparison: PlacementComparison): Promise<number> {
  if (context.json) await printJson(context, 'fermata/placements/1', comparison);
  else await context.print(`${comparisonText(comparison, context.io.stdout.columns)}\n`);
  return exitCodes.ok;
}

async function explain(context: Context, argument: string | undefined, flags: ExplainFlags): Promise<number> {
  const sql = await sqlText(context, argument, flags);
  const options = runOptions(flags);
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
    queryOptions(commonOptions(command))
      .option('--compare', 'every placement of semantic conditions side by side')
      .argument('[sql]', 'SQL text, a .sql file, or - for standard input')
      .action((sql: string | undefined, flags: CommonFlags & ExplainFlags) =>
        run(flags, (context) => explain(context, sql, flags)),
      );
  },
};
