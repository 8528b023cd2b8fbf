import type { Command } from 'commander';
import type { CommandModule } from '../command.js';
import { type CommonFlags, usage } from '../context.js';
import { budgetOptions, commonOptions } from '../options.js';
import { type BudgetFlags, budgetOf } from '../query-input.js';
import { control } from '../run-control.js';

export const command: CommandModule = {
  configure(command: Command, run) {
    budgetOptions(commonOptions(command))
      .argument('<id>', 'run id')
      .action((id: string, flags: CommonFlags & BudgetFlags) =>
        run(flags, (context) => {
          const budget = budgetOf(flags);
          if (Object.keys(budget).length === 0) {
            usage('no limit was given', 'name at least one of --max-cost, --max-calls, --max-tokens, --max-seconds');
          }
          return control(context, id, 'under the new limits', (handle) => handle.setBudget(budget));
        }),
      );
  },
};
