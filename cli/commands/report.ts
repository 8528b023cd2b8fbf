import type { Command } from 'commander';
import type { Optimization, Run } from '../../client/api.js';
import { isOptimizationId } from '../../client/run-id.js';
import { exitCodes, FermataError } from '../../plans/protocol/errors.js';
import type { RunSummary } from '../../plans/protocol/run.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson, withFermata } from '../context.js';
import { sampleOf } from '../html/rows.js';
import { type RunOutcome, runReport } from '../html/run-report.js';
import { type SearchOutcome, searchReport } from '../html/search-report.js';
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

async function pageOfRun(context: Context, run: Run): Promise<string> {
  const [summary, description] = await Promise.all([run.summary(), run.description()]);
  return runReport({
    summary,
    outcome: await outcomeOf(run, summary.state),
    now: context.io.now(),
    version: version(),
    ...(description === undefined ? {} : { description }),
  });
}

async function pageOfSearch(context: Context, search: Optimization): Promise<string> {
  const summary = await search.summary();
  const outcome = await searchOutcome(search, summary.state);
  return searchReport({ summary, outcome, now: context.io.now(), version: version() });
}

async function searchOutcome(search: Optimization, state: RunSummary['state']): Promise<SearchOutcome> {
  const progress = await search.progress();
  const soFar = progress === undefined ? {} : { progress };
  if (goingOn.has(state)) return { kind: 'going', status: await search.status(), ...soFar };
  try {
    return { kind: 'ended', result: await search.result(), tried: await search.tried() };
  } catch (error) {
    if (state === 'done' || !FermataError.is(error)) throw error;
    return { kind: 'failed', error, ...soFar };
  }
}

async function report(context: Context, id: string, flags: ReportFlags): Promise<number> {
  const page = await withFermata(context, (fermata) =>
    isOptimizationId(id) ? pageOfSearch(context, fermata.optimization(id)) : pageOfRun(context, fermata.run(id)),
  );
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
