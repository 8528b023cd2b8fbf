import type { Command } from 'commander';
import type { ObjectStore } from '../../activities/ports.js';
import {
  exportPlan,
  forgetPlan,
  importPlan,
  listPlans,
  markPlan,
  planMarks,
  planUses,
  rollBack,
  savedPlan,
} from '../../client/saved-plans.js';
import type { PlanMarks, SavedPlan } from '../../plans/protocol/saved-plan.js';
import { exitCodes } from '../../plans/protocol/errors.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson } from '../context.js';
import { commonOptions } from '../options.js';
import { readText } from '../query-input.js';
import { comparePlans, comparisonText } from '../render/plan-diff.js';
import { type ListedPlan, savedPlanLines, savedPlanText } from '../render/saved-plans.js';
import { writeWhole } from '../render/whole-file.js';

interface ExportFlags {
  readonly out?: string;
  readonly whole?: boolean;
}

/** The store alone is needed: no server has to run. */
async function storeOf(context: Context): Promise<ObjectStore> {
  const { settings } = await context.services.settings(context.place);
  return context.services.store(settings);
}

async function listed(store: ObjectStore, plan: SavedPlan, marks: PlanMarks): Promise<ListedPlan> {
  const mark = marks.get(plan.id)?.mark;
  return { ...plan, ...(await planUses(store, plan.id)), ...(mark === undefined ? {} : { mark }) };
}

async function list(context: Context): Promise<number> {
  const store = await storeOf(context);
  const plans: ListedPlan[] = [];
  const marks = await planMarks(store);
  for (const plan of await listPlans(store)) plans.push(await listed(store, plan, marks));
  if (context.json) await printJson(context, 'fermata/plans/1', { plans });
  else await context.print(`${savedPlanLines(plans, context.io.stdout.columns).join('\n')}\n`);
  return exitCodes.ok;
}

async function show(context: Context, id: string): Promise<number> {
  const store = await storeOf(context);
  const saved = await listed(store, await savedPlan(store, id), await planMarks(store));
  if (context.json) await printJson(context, 'fermata/plan/1', saved);
  else await context.print(`${savedPlanText(saved)}\n`);
  return exitCodes.ok;
}

/** The plan alone, as `optimize --out` writes it, or with all that is known of it. */
async function writePlan(context: Context, id: string, { out, whole }: ExportFlags): Promise<number> {
  const store = await storeOf(context);
  const alone = async (): Promise<string> => `${JSON.stringify((await savedPlan(store, id)).plan, undefined, 2)}\n`;
  const text = whole === true ? await exportPlan(store, id) : await alone();
  if (out === undefined) await context.print(text);
  else {
    await writeWhole(context.io.cwd, out, (handle) => handle.writeFile(text));
    await context.note(`plan written to ${out}`);
  }
  return exitCodes.ok;
}

async function readPlan(context: Context, file: string): Promise<number> {
  const saved = await importPlan(await storeOf(context), await readText(context, file, 'plan'), file);
  return say(context, { imported: saved.id }, `kept as ${saved.id}, the latest plan for its question`);
}

async function diff(context: Context, first: string, second: string): Promise<number> {
  const store = await storeOf(context);
  const [a, b] = [await savedPlan(store, first), await savedPlan(store, second)];
  if (context.json) await printJson(context, 'fermata/plan-diff/1', { a: a.id, b: b.id, ...comparePlans(a, b) });
  else await context.print(`${comparisonText(a, b, context.io.stdout.columns)}\n`);
  return exitCodes.ok;
}

async function pin(context: Context, id: string): Promise<number> {
  await markPlan(await storeOf(context), id, 'pinned');
  return say(context, { pinned: id }, `pinned: ${id} answers its question whatever comes after it`);
}

async function unpin(context: Context, id: string): Promise<number> {
  await markPlan(await storeOf(context), id, undefined);
  return say(context, { unpinned: id }, `${id} is a plan like any other`);
}

async function roll(context: Context, id: string): Promise<number> {
  const before = await rollBack(await storeOf(context), id);
  return say(context, { rolledBack: id, plan: before.id }, `rolled back: ${before.id} answers in the place of ${id}`);
}

async function say(context: Context, fields: Readonly<Record<string, string>>, text: string): Promise<number> {
  if (context.json) await printJson(context, 'fermata/plans/1', fields);
  else await context.note(text);
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

const marking = [
  ['pin', 'have a plan answer its question whatever comes after it', pin],
  ['unpin', 'take that back, also of a plan that was rolled back', unpin],
  ['rollback', 'go back to the plan before it', roll],
] as const;

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
      .option('--whole', 'with how it was measured and for which data: what import reads')
      .action((id: string, flags: CommonFlags & ExportFlags) => run(flags, (context) => writePlan(context, id, flags)));
    group('import', 'keep a plan that export --whole wrote')
      .argument('<file>', 'file')
      .action((file: string, flags: CommonFlags) => run(flags, (context) => readPlan(context, file)));
    group('diff', 'two plans side by side')
      .argument('<a>', 'plan id')
      .argument('<b>', 'plan id')
      .action((a: string, b: string, flags: CommonFlags) => run(flags, (context) => diff(context, a, b)));
    for (const [name, summary, act] of marking) {
      group(name, summary)
        .argument('<id>', 'plan id')
        .action((id: string, flags: CommonFlags) => run(flags, (context) => act(context, id)));
    }
    group('forget', 'drop plans')
      .argument('<ids...>', 'plan ids')
      .action((ids: readonly string[], flags: CommonFlags) => run(flags, (context) => forget(context, ids)));
  },
};
