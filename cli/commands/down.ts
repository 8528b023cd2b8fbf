import type { Command } from 'commander';
import { exitCodes } from '../../plans/protocol/errors.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson } from '../context.js';
import { commonOptions } from '../options.js';

async function down(context: Context): Promise<number> {
  const { settings } = await context.services.settings(context.place);
  const stopped = await context.services.down(settings);
  if (context.json) await printJson(context, 'fermata/down/1', { stopped });
  else
    await context.note(stopped ? 'stopped; runs in progress go on after the next fermata up' : 'nothing was running');
  return exitCodes.ok;
}

export const command: CommandModule = {
  configure(command: Command, run) {
    commonOptions(command).action((flags: CommonFlags) => run(flags, down));
  },
};
