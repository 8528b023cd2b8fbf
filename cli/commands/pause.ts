import type { Command } from 'commander';
import type { CommandModule } from '../command.js';
import type { CommonFlags } from '../context.js';
import { commonOptions } from '../options.js';
import { control } from '../run-control.js';

export const command: CommandModule = {
  configure(command: Command, run) {
    commonOptions(command)
      .argument('<id>', 'run id')
      .option('--reason <text>', 'why, for the log of the run')
      .action((id: string, flags: CommonFlags & { readonly reason?: string }) =>
        run(flags, (context) => control(context, id, 'paused', (handle) => handle.pause(flags.reason))),
      );
  },
};
