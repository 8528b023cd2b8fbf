/** Commands that tell one run to do something. */
import type { Command } from 'commander';
import type { Optimization, Run } from '../client/api.js';
import { exitCodes } from '../plans/protocol/errors.js';
import type { CommandModule } from './command.js';
import { type CommonFlags, type Context, printJson, withFermata } from './context.js';
import { commonOptions } from './options.js';

/** Does `action` to the run and says so: `{"schema":"fermata/control/1","runId":…,"done":…}` with `--json`. */
export async function control(
  context: Context,
  id: string,
  done: string,
  action: (run: Run) => Promise<void>,
): Promise<number> {
  await withFermata(context, (fermata) => action(fermata.run(id)));
  return told(context, id, done);
}

/** The same to a search for a plan. */
export async function controlSearch(
  context: Context,
  id: string,
  done: string,
  action: (search: Optimization) => Promise<void>,
): Promise<number> {
  await withFermata(context, (fermata) => action(fermata.optimization(id)));
  return told(context, id, done);
}

async function told(context: Context, runId: string, done: string): Promise<number> {
  if (context.json) await printJson(context, 'fermata/control/1', { runId, done });
  else await context.note(`run ${runId} is ${done}`);
  return exitCodes.ok;
}

/** A command that takes a run id and no flags of its own. */
export function controlCommand(done: string, action: (run: Run) => Promise<void>): CommandModule {
  return {
    configure(command: Command, run) {
      commonOptions(command)
        .argument('<id>', 'run id')
        .action((id: string, flags: CommonFlags) => run(flags, (context) => control(context, id, done, action)));
    },
  };
}
