import type { Command } from 'commander';
import type { ObjectStore } from '../../activities/ports.js';
import { forgetPlan, listPlans, planUses, savedPlan } from '../../client/saved-plans.js';
import { exitCodes } from '../../plans/protocol/errors.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson } from '../context.js';
import { commonOptions } from '../options.js';
import { type ListedPlan, savedPlanLines, savedPlanText } from '../render/saved-plans.js';
import { writeWhole } from '../render/whole-file.js';

/** The store alone is needed: no server has to run. */
async function storeOf(context: Context): Promise<ObjectStore> {
  const { settings } = await context.services.settings(context.place);
  return context.services.store(settings);
}

async function list(context: Context): Promise<number> {
  const store = await storeOf(context);
  const plans: ListedPlan[] = [];
  for (const plan of await listPlans(store)) plans.push({ ...plan, ...(await planUses(store, plan.id)) });
  if (context.json) await printJson(context, 'fermata/plans/1', { plans });
  else await context.print(`${savedPlanLines(plans, context.io.stdout.columns).join('\n')}\n`);
  return exitCodes.ok;
}

async function show(context: Context, id: string): Promise<number> {
  const store = await storeOf(context);
  const saved = { ...(await savedPlan(store, id)), ...(await planUses(store, id)) };
  if (context.json) await printJson(context, 'fermata/plan/1', saved);
  else await context.print(`${savedPlanText(saved)}\n`);
  return exitCodes.ok;
}

/** The plan alone, as `optimize --out` writes it. */
async function exportPlan(context: Context, id: string, out: string | undefined): Promise<number> {
  const { plan } = await savedPlan(await storeOf(context), id);
  const text = `${JSON.stringify(plan, undefined, 2)}\n`;
  if (out === undefined) await context.print(text);
  else {
    await writeWhole(context.io.cwd, out, (handle) => handle.writeFile(text));
    await context.note(`plan written to ${out}`);
  }
  return exitCodes.ok;
}

async function forget(context: Context, ids: readonly string[]): Promise<number> {
  const store = await storeOf(context);
  // All are known before the first is gone.
  for (const id of ids) await savedPlan(store, id);
  for (const id of ids) await forgetPlan(store, id);
  if (context.json) await printJson(context, 'fermata/plans/1', { forgotten: ids });
  else await context.note(`forgotten: ${ids.join(', ')}`);
  return exitCodes.ok;
}

export const command: CommandModule = {
  configure(command: Command, run) {
    const group = (name: string, summary: string): Command => commonOptions(command.command(name).description(summary));
    group('list', 'plans that searches have found, the latest first').action((flags: CommonFlags) => run(flags, list));
    group('show', 'who answers what by a plan, and how it was measured')
      .argument('<id>', 'plan id')
      .action((id: string, flags: CommonFlags) => run(flags, (context) => show(context, id)));
    group('export', 'a plan as a readable JSON file')
      .argument('<id>', 'plan id')
      .option('--out <file>', 'write it to a file instead of standard output')
      .action((id: string, flags: CommonFlags & { readonly out?: string }) =>
        run(flags, (context) => exportPlan(context, id, flags.out)),
      );
    group('forget', 'drop plans')
      .argument('<ids...>', 'plan ids')
      .action((ids: readonly string[], flags: CommonFlags) => run(flags, (context) => forget(context, ids)));
  },
};
