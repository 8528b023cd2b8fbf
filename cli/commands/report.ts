import type { Command } from 'commander';
import type { Run } from '../../client/api.js';
import { isOptimizationId } from '../../client/run-id.js';
import { exitCodes, FermataError } from '../../plans/protocol/errors.js';
import type { RunSummary } from '../../plans/protocol/run.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson, usage, withFermata } from '../context.js';
import { sampleOf } from '../html/rows.js';
import { type RunOutcome, runReport } from '../html/run-report.js';
import { commonOptions } from '../options.js';
import { writeWhole } from '../render/whole-file.js';
import { version } from '../version.js';

interface ReportFlags extends CommonFlags {
  readonly out?: string;
}

const goingOn: ReadonlySet<RunSummary['state']> = new Set(['running', 'paused']);

async function outcomeOf(run: Run, state: RunSummary['state']): Promise<RunOutcome> {
  const soFar = async () => {
    const progress = await run.progress();
    return progress === undefined ? {} : { progress };
  };
  if (goingOn.has(state)) return { kind: 'going', ...(await soFar()) };
  try {
    const result = await run.result();
    const errors = result.errors.count > 0 ? await run.errors() : [];
    const rows = await sampleOf({ columns: result.rows.columns, batches: () => run.stream() });
    return { kind: 'ended', result, errors, rows };
  } catch (error) {
    if (state === 'done' || !FermataError.is(error)) throw error;
    return { kind: 'failed', error, ...(await soFar()) };
  }
}

async function report(context: Context, id: string, flags: ReportFlags): Promise<number> {
  if (isOptimizationId(id))
    usage(`${id} is a search for a plan: it has no rows to report`, `fermata watch ${id} shows it`);
  const page = await withFermata(context, async (fermata) => {
    const run = fermata.run(id);
    const [summary, description] = await Promise.all([run.summary(), run.description()]);
    return runReport({
      summary,
      outcome: await outcomeOf(run, summary.state),
      now: context.io.now(),
      version: version(),
      ...(description === undefined ? {} : { description }),
    });
  });
  const out = flags.out ?? `${id}.html`;
  if (out === '-') await context.print(page);
  else await writeWhole(context.io.cwd, out, (handle) => handle.writeFile(page));
  if (context.json && out !== '-') await printJson(context, 'fermata/report-file/1', { runId: id, file: out });
  else if (out !== '-') await context.note(`report written to ${out}`);
  return exitCodes.ok;
}

/** Looks at a run and changes nothing; of one that goes on it shows how far it is. */
export const command: CommandModule = {
  configure(command: Command, run) {
    commonOptions(command)
      .argument('<id>', 'run id')
      .option('--out <file>', 'where to write the page; - is standard output (default: ID.html)')
      .action((id: string, flags: ReportFlags) => run(flags, (context) => report(context, id, flags)));
  },
};
