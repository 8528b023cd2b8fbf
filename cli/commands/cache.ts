import type { Command } from 'commander';
import type { Ledger } from '../../activities/ports.js';
import { exitCodes } from '../../plans/protocol/errors.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson, usage } from '../context.js';
import { commonOptions } from '../options.js';
import { bytes, counted, usd } from '../render/numbers.js';

async function withLedger<T>(context: Context, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const { settings } = await context.services.settings(context.place);
  const ledger = await context.services.ledger(settings);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

async function stats(context: Context): Promise<number> {
  const found = await withLedger(context, (ledger) => ledger.stats());
  if (context.json) await printJson(context, 'fermata/cache/1', found);
  else
    await context.print(
      `${counted(found.answers, 'answer')} · ${bytes(found.bytes)} · ${usd(found.usd)} paid for them\n`,
    );
  return exitCodes.ok;
}

/** Answers cost money, so dropping them is asked about. */
async function clear(context: Context, yes: boolean): Promise<number> {
  if (!yes) {
    if (!context.io.interactive) usage('the answers kept would be dropped', 'add --yes');
    const answer = await context.io.ask('Drop all answers? Later runs pay for them again. [y/N] ');
    if (!/^\s*y(es)?\s*$/i.test(answer)) return exitCodes.needsConfirmation;
  }
  const removed = await withLedger(context, (ledger) => ledger.clear());
  if (context.json) await printJson(context, 'fermata/cache/1', { removed });
  else await context.note(`${counted(removed, 'answer')} dropped`);
  return exitCodes.ok;
}

export const command: CommandModule = {
  configure(command: Command, run) {
    commonOptions(command.command('stats').description('how many answers are kept and what they cost')).action(
      (flags: CommonFlags) => run(flags, stats),
    );
    commonOptions(command.command('clear').description('drop all answers'))
      .option('-y, --yes', 'do not ask')
      .action((flags: CommonFlags & { readonly yes?: boolean }) =>
        run(flags, (context) => clear(context, flags.yes === true)),
      );
  },
};
