import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import type { CommandModule } from '../command.js';
import type { Run } from '../../client/api.js';
import type { CommonFlags, Context } from '../context.js';
import { demoReport } from '../demo/report.js';
import type { Reported } from '../demo/score.js';
import { demoFile, readTruth } from '../demo/truth.js';
import { budgetOptions, commonOptions, outputOptions } from '../options.js';
import type { OutputFlags } from '../outcome.js';
import type { ProgressKind } from '../progress/reporter.js';
import { pullWithProgress } from '../pull.js';
import type { BudgetFlags } from '../query-input.js';
import { plainText } from '../render/cells.js';
import { readRows } from '../render/source.js';
import { defaultWeights } from './models.js';
import { query } from './query.js';

/** Model that the demo's query names itself. */
const classifier = 'minilm';

interface DemoFlags extends CommonFlags, BudgetFlags, OutputFlags {
  readonly progress: ProgressKind;
  readonly timeout?: number;
  readonly yes?: boolean;
}

async function pullMissing(context: Context): Promise<void> {
  const { settings } = await context.services.settings(context.place);
  const named = settings.models[classifier];
  const needed = new Set(defaultWeights(settings));
  if (named !== undefined && named.kind !== 'openai') needed.add(named.weights);
  const listed = await context.services.weights(settings.modelsDir);
  for (const { name, state } of listed) {
    if (needed.has(name) && state !== 'ready') await pullWithProgress(context, name, settings.modelsDir);
  }
}

/** Ids and components of the result's rows. */
async function reportedRows(
  run: Run,
  columns: readonly { readonly name: string; readonly type: string }[],
): Promise<readonly Reported[]> {
  const id = columns.findIndex((column) => column.name === 'id');
  const component = columns.findIndex((column) => column.name === 'component');
  const rows: Reported[] = [];
  for await (const row of readRows({ columns, batches: () => run.stream() })) {
    const named = row[component] ?? null;
    rows.push({ id: plainText(row[id] ?? null), ...(named === null ? {} : { component: plainText(named) }) });
  }
  return rows;
}

async function demo(context: Context, flags: DemoFlags): Promise<number> {
  await pullMissing(context);
  const file = demoFile('complaints.sql');
  await context.note(await readFile(file, 'utf8'));
  const table = [`complaints=${demoFile('complaints.csv')}`];
  return query(context, undefined, { ...flags, file, table }, async (run, result) => {
    // The labels are opened only now: nothing of them can have reached a prompt.
    const lines = demoReport(await reportedRows(run, result.rows.columns), await readTruth());
    await context.note(`\n${lines.join('\n')}`);
  });
}

export const command: CommandModule = {
  configure(command: Command, run) {
    budgetOptions(outputOptions(commonOptions(command)))
      .option('-y, --yes', 'do not ask before spending')
      .action((flags: DemoFlags) => run(flags, (context) => demo(context, flags)));
  },
};
