/** The end of a run: rows out, cost report, exit code. */
import type { RowError, Run } from '../client/api.js';
import { type ExitName, exitCodes } from '../plans/protocol/errors.js';
import type { RunResult, StopReason } from '../plans/protocol/run.js';
import type { SearchStop } from '../plans/protocol/search.js';
import type { Context } from './context.js';
import { type Destination, checkDestination, deliver } from './render/destination.js';
import { type FormatName, chooseFormat } from './render/formats.js';
import { reportLines } from './render/report.js';
import type { RowSource } from './render/source.js';

export interface OutputFlags {
  readonly output?: FormatName;
  readonly out?: string;
}

/** Failed rows that a JSON document carries. */
const errorsInJson = 1_000;

const stopExits = {
  complete: 'ok',
  'budget-usd': 'budget',
  'budget-calls': 'budget',
  'budget-tokens': 'budget',
  'budget-seconds': 'budget',
  cancelled: 'failed',
  accepted: 'ok',
} as const satisfies Record<StopReason | SearchStop, ExitName>;

export function stopExit(stop: SearchStop): ExitName {
  return stopExits[stop];
}

/** Exit code of a run that ended with a result. Errors above the ratio count only for a run that was not stopped. */
export function exitOf(result: RunResult, maxErrorRatio: number): number {
  const stop = stopExits[result.stop];
  return exitCodes[stop === 'ok' && result.errors.ratio > maxErrorRatio ? 'rowErrors' : stop];
}

/** Where the rows go. Throws `Usage` for a wrong combination; call it before a run is paid for. */
export function destination(context: Context, flags: OutputFlags): Destination {
  const format = chooseFormat(flags.output ?? (context.json ? 'json' : undefined), flags.out);
  const to: Destination = {
    format,
    ...(flags.out === undefined ? {} : { out: flags.out }),
    stdout: context.io.stdout,
    cwd: context.io.cwd,
    note: (text) => context.note(text),
  };
  checkDestination(to);
  return to;
}

function rowSource(context: Context, run: Run, result: RunResult, errors: readonly RowError[]): RowSource {
  const { runId, stop, rows, errors: failed, undecided, operators, spend, ms, notes } = result;
  return {
    columns: rows.columns,
    batches: () => run.stream(),
    file: () => run.rowsFile(),
    toParquet: async (path) => context.services.toParquet(await run.rowsFile(), path),
    envelope: {
      schema: 'fermata/run/1',
      runId,
      stop,
      rowCount: rows.count,
      undecided,
      errors: { count: failed.count, ratio: failed.ratio, rows: errors.slice(0, errorsInJson) },
      operators,
      spend,
      ms,
      ...(notes === undefined ? {} : { notes }),
    },
  };
}

/** Writes the rows, then the report on stderr; returns the exit code. */
export async function finish(
  context: Context,
  run: Run,
  result: RunResult,
  to: Destination,
  maxErrorRatio: number,
): Promise<number> {
  const errors = result.errors.count > 0 ? await run.errors() : [];
  await deliver(rowSource(context, run, result, errors), to);
  const lines = reportLines(result, errors, context.style, context.io.stderr.columns);
  await context.note(`\n${lines.join('\n')}`);
  if (to.out !== undefined) await context.note(`rows written to ${to.out}`);
  return exitOf(result, maxErrorRatio);
}
