import type { Command } from 'commander';
import type { CommandModule } from '../command.js';
import { commonOptions, outputOptions } from '../options.js';
import { type WatchFlags, watch } from './watch.js';

/** Like `watch`, without progress lines: waits for the end where the run still goes on. */
export const command: CommandModule = {
  configure(command: Command, run) {
    outputOptions(commonOptions(command))
      .argument('<id>', 'run id')
      .action((id: string, flags: WatchFlags, self: Command) => {
        const asked = self.getOptionValueSource('progress') === 'cli';
        return run(flags, (context) => watch(context, id, asked ? flags : { ...flags, progress: 'none' }));
      });
  },
};
