import type { Command } from 'commander';
import { exitCodes } from '../../plans/protocol/errors.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson } from '../context.js';
import { commonOptions } from '../options.js';
import { isUp, stackLines } from '../render/stack.js';

/** Exit code 6 when no stack runs, so that scripts can ask. */
async function status(context: Context): Promise<number> {
  const { settings } = await context.services.settings(context.place);
  const found = await context.services.stack(settings);
  if (context.json) await printJson(context, 'fermata/stack/1', found);
  else await context.print(`${stackLines(found, context.io.stdout.columns).join('\n')}\n`);
  return isUp(found) ? exitCodes.ok : exitCodes.unreachable;
}

export const command: CommandModule = {
  configure(command: Command, run) {
    commonOptions(command).action((flags: CommonFlags) => run(flags, status));
  },
};
