import type { Command } from 'commander';
import { isOptimizationId } from '../../client/run-id.js';
import { exitCodes } from '../../plans/protocol/errors.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, withFermata } from '../context.js';
import { follow } from '../follow.js';
import { listenForInterrupts } from '../interrupts.js';
import { commonOptions, outputOptions } from '../options.js';
import { type OutputFlags, destination, finish } from '../outcome.js';
import { finishOptimization } from './optimize.js';
import type { ProgressKind } from '../progress/reporter.js';

export interface WatchFlags extends CommonFlags, OutputFlags {
  readonly progress: ProgressKind;
  readonly timeout?: number;
}

const waiting = ({ progress, timeout }: WatchFlags) => ({ progress, ...(timeout === undefined ? {} : { timeout }) });

/** Follows a search for a plan to its end and prints what `optimize` would have printed. */
async function watchSearch(context: Context, id: string, flags: WatchFlags): Promise<number> {
  const interrupts = listenForInterrupts(context.io);
  try {
    return await withFermata(context, async (fermata) => {
      const search = fermata.optimization(id);
      const result = await follow(context, search, { ...waiting(flags), interrupts });
      return result === undefined ? exitCodes.interrupted : finishOptimization(context, search, result, flags.out);
    });
  } finally {
    interrupts.stop();
  }
}

/** Follows a run to its end and prints what `query` would have printed. */
export async function watch(context: Context, id: string, flags: WatchFlags): Promise<number> {
  if (isOptimizationId(id)) return watchSearch(context, id, flags);
  const to = destination(context, flags);
  const interrupts = listenForInterrupts(context.io);
  try {
    return await withFermata(context, async (fermata) => {
      const run = fermata.run(id);
      const result = await follow(context, run, { ...waiting(flags), interrupts });
      if (result === undefined) return exitCodes.interrupted;
      const { settings } = await context.services.settings(context.place);
      return finish(context, run, result, to, settings.limits.maxErrorRatio);
    });
  } finally {
    interrupts.stop();
  }
}

export const command: CommandModule = {
  configure(command: Command, run) {
    outputOptions(commonOptions(command))
      .argument('<id>', 'run id')
      .action((id: string, flags: WatchFlags) => run(flags, (context) => watch(context, id, flags)));
  },
};
