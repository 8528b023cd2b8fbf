import { type Command, InvalidArgumentError } from 'commander';
import { exitCodes } from '../../plans/protocol/errors.js';
import type { RunSummary } from '../../plans/protocol/run.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson, withFermata } from '../context.js';
import { commonOptions } from '../options.js';
import { type GridColumn, grid } from '../render/grid.js';
import { duration } from '../render/numbers.js';
import { oneLine } from '../render/width.js';

const defaultLimit = 20;

function columns(now: number): readonly GridColumn<RunSummary>[] {
  return [
    { title: 'run', text: (run) => run.runId },
    { title: 'state', text: (run) => run.state },
    { title: 'started', text: (run) => `${new Date(run.startedAt).toISOString().slice(0, 19)}Z` },
    { title: 'took', align: 'right', text: (run) => duration(((run.closedAt ?? now) - run.startedAt) / 1000) },
    { title: 'query', text: (run) => oneLine(run.sql.replace(/\s+/g, ' ').trim()) },
  ];
}

function limitOf(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return value;
}

async function listRuns(context: Context, limit: number): Promise<number> {
  const runs = await withFermata(context, async (fermata) => {
    const found: RunSummary[] = [];
    for await (const run of fermata.runs(limit)) found.push(run);
    return found;
  });
  if (context.json) await printJson(context, 'fermata/runs/1', { runs });
  else await context.print(`${grid(runs, columns(context.io.now()), context.io.stdout.columns).join('\n')}\n`);
  return exitCodes.ok;
}

export const command: CommandModule = {
  configure(command: Command, run) {
    commonOptions(command)
      .option('--limit <n>', 'how many', limitOf, defaultLimit)
      .action((flags: CommonFlags & { readonly limit: number }) =>
        run(flags, (context) => listRuns(context, flags.limit)),
      );
  },
};
