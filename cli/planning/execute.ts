/** Running a candidate in the place of SQL. */
import { encodePlan } from '../../plans/algebra/json.js';
import type { Instance } from '../../plans/logical/instance.js';
import type { LogicalRun } from '../../plans/protocol/logical-run.js';
import { answer, type FullQueryFlags } from '../commands/query.js';
import { type Context, usage } from '../context.js';
import { runOptions } from '../query-input.js';
import type { FormatName } from '../render/formats.js';
import type { Numbered } from '../render/candidates.js';

/** Flags of a run; `--output` names columns, so that the format of rows is `-o` alone. */
export interface ExecuteFlags extends Omit<FullQueryFlags, 'output'> {
  /** Number of the candidate. */
  readonly execute?: number;
  readonly o?: FormatName;
}

/** Tables and columns as the plan sees them. */
export interface PlannedInputs {
  readonly instance: Instance;
  readonly renamed: NonNullable<LogicalRun['renamed']>;
  /** As they were given: `name=path`. */
  readonly table: readonly string[];
}

/** Flags that say how a run goes, where there is none. */
export function checkExecution(flags: ExecuteFlags): void {
  const { execute, o, out, dryRun, detach } = flags;
  if (execute !== undefined) return;
  const given = o ?? out ?? dryRun ?? detach;
  if (given !== undefined) usage('nothing is run', 'add --execute K to run candidate K');
}

/** Runs a candidate and prints its rows as `fermata query` does. */
export async function execute(
  context: Context,
  { instance, renamed, table }: PlannedInputs,
  { number, candidate }: Numbered,
  { o, ...flags }: ExecuteFlags,
): Promise<number> {
  const { origin, steps, plan } = candidate;
  await context.note(`candidate ${number}: ${[origin.seed, ...steps.map(({ rule }) => rule)].join(' → ')}`);
  const given: FullQueryFlags = { ...flags, table, ...(o === undefined ? {} : { output: o }) };
  const logical: LogicalRun = { plan: encodePlan(plan), inputs: instance.inputs, renamed };
  return answer(context, instance.intent, given, { ...runOptions(given), logical });
}
