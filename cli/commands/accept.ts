import type { Command } from 'commander';
import type { CommandModule } from '../command.js';
import type { CommonFlags } from '../context.js';
import { commonOptions } from '../options.js';
import { controlSearch } from '../run-control.js';

export const command: CommandModule = {
  configure(command: Command, run) {
    commonOptions(command)
      .argument('<id>', 'run id of a search')
      .action((id: string, flags: CommonFlags) =>
        run(flags, (context) => controlSearch(context, id, 'ending with its best plan', (search) => search.accept())),
      );
  },
};
