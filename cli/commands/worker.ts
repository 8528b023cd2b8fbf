import { Argument, type Command } from 'commander';
import { exitCodes, FermataError } from '../../plans/protocol/errors.js';
import { type WorkerName, workerNames } from '../../workers/embedded/worker-programs.js';
import type { CommandModule } from '../command.js';
import type { CommonFlags, Context } from '../context.js';
import { fired, listenForInterrupts } from '../interrupts.js';
import { commonOptions } from '../options.js';

async function worker(context: Context, wanted: readonly WorkerName[]): Promise<number> {
  const { settings } = await context.services.settings(context.place);
  const { temporal: server } = settings;
  if (server === undefined) {
    throw new FermataError('Usage', 'no Temporal cluster is named', {
      hint: 'set TEMPORAL_ADDRESS, --address or a profile of temporal.toml; the embedded stack (fermata up) has its own workers',
    });
  }
  const workers = wanted.length === 0 ? workerNames : workerNames.filter((name) => wanted.includes(name));
  const stop = new AbortController();
  const interrupts = listenForInterrupts(context.io);
  const forget = context.io.onTerminate(() => stop.abort());
  interrupts.first.addEventListener('abort', () => stop.abort());
  stop.signal.addEventListener('abort', () => void context.note('stopping; what runs gets 10 s to finish'));
  const hurry = fired(interrupts.second);
  await context.note(`${workers.join(', ')}: working for ${server.address}, namespace ${server.namespace}`);
  try {
    const work = context.services.work(settings, context.place, {
      workers,
      stop: stop.signal,
      onReady: (name) => void context.note(`${name} worker is ready`),
    });
    // Workers whose parent is gone leave by themselves.
    const end = await Promise.race([work, hurry.promise]);
    return end === 'fired' ? exitCodes.interrupted : exitCodes.ok;
  } finally {
    hurry.stop();
    forget();
    interrupts.stop();
  }
}

export const command: CommandModule = {
  configure(command: Command, run) {
    commonOptions(command)
      .addArgument(new Argument('[kind...]', 'which of them, one process each; all unless named').choices(workerNames))
      .action((kinds: readonly WorkerName[], flags: CommonFlags) => run(flags, (context) => worker(context, kinds)));
  },
};
