import type { Command } from 'commander';
import { exitCodes } from '../../plans/protocol/errors.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson } from '../context.js';
import { commonOptions } from '../options.js';
import { stackLines } from '../render/stack.js';

async function up(context: Context): Promise<number> {
  const { settings } = await context.services.settings(context.place);
  const status = await context.services.up(settings, context.place, (text) => void context.note(text));
  if (context.json) await printJson(context, 'fermata/stack/1', status);
  else await context.print(`${stackLines(status, context.io.stdout.columns).join('\n')}\n`);
  return exitCodes.ok;
}

export const command: CommandModule = {
  configure(command: Command, run) {
    commonOptions(command).action((flags: CommonFlags) => run(flags, up));
  },
};
