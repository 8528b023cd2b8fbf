/** Flags and how their texts are read. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { placements } from '../plans/protocol/placement.js';
import { leastSample } from '../plans/protocol/search.js';
import { onErrorModes } from '../plans/protocol/run.js';
import { progressKinds } from './progress/reporter.js';
import { formatNames } from './render/formats.js';
import { strategyOptions } from './strategy-flags.js';

/** A finite number of at least `least`. */
export function numberFrom(least: number, whole: boolean): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!Number.isFinite(value) || value < least || (whole && !Number.isSafeInteger(value))) {
      throw new InvalidArgumentError(`It must be a ${whole ? 'whole ' : ''}number of at least ${least}.`);
    }
    return value;
  };
}

function share(text: string): number {
  const value = numberFrom(0, false)(text);
  if (value > 1) throw new InvalidArgumentError('It must be a share between 0 and 1.');
  return value;
}

export function gather(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

export function commonOptions(command: Command): Command {
  return command
    .option('--json', 'print JSON on stdout, and errors as JSON on stderr')
    .option('--config <file>', 'configuration file instead of fermata.yaml')
    .option('--address <host:port>', 'Temporal server instead of the embedded one')
    .option('--namespace <name>', 'Temporal namespace')
    .option('--profile <name>', 'profile of temporal.toml')
    .option('--no-color', 'no colours (also NO_COLOR)')
    .option('-q, --quiet', 'only results and errors')
    .option('-v, --verbose', 'more on stderr, stack traces too');
}

export function outputOptions(command: Command): Command {
  return followOptions(command)
    .addOption(new Option('-o, --output <format>', 'format of the rows').choices(formatNames))
    .option('--out <file>', 'write the rows to a file; its ending chooses the format');
}

export function followOptions(command: Command): Command {
  return command
    .addOption(new Option('--progress <kind>', 'progress on stderr').choices(progressKinds).default('auto'))
    .option('--timeout <seconds>', 'stop waiting after so long; the run goes on', numberFrom(0.001, false));
}

export function budgetOptions(command: Command): Command {
  return command
    .option('--max-cost <usd>', 'stop before more US dollars are spent', numberFrom(0, false))
    .option('--max-calls <n>', 'stop before more model calls are made', numberFrom(0, true))
    .option('--max-tokens <n>', 'stop before more tokens are used', numberFrom(0, true))
    .option('--max-seconds <s>', 'stop after so many seconds', numberFrom(0, false));
}

export function queryOptions(command: Command): Command {
  return errorOptions(
    budgetOptions(inputOptions(strategyOptions(command))).addOption(
      new Option('--placement <name>', 'where semantic conditions of a join are decided').choices(placements),
    ),
  );
}

/** Whether a run is started at all, and waited for. */
export function startOptions(command: Command): Command {
  return command
    .option('--dry-run', 'print the estimate and spend nothing')
    .option('-y, --yes', 'do not ask before spending')
    .option('--detach', 'print the run id and return at once');
}

/** Where the query and its tables come from. */
export function inputOptions(command: Command): Command {
  return command
    .option('-c, --command <sql>', 'SQL text')
    .option('-f, --file <file>', 'file that holds the SQL')
    .option('--table <name=path>', 'a table; a path alone is named by its file (repeatable)', gather)
    .option('--image <column>', 'column or table.column that holds images (repeatable)', gather)
    .option('--audio <column>', 'column or table.column that holds audio (repeatable)', gather)
    .option('--param <name=value>', 'value of $name, or of the n-th ? as n=value (repeatable)', gather)
    .option('--model <name>', 'model for calls that name none')
    .option('--no-cache', 'do not read answers of earlier runs');
}

/** What failed calls mean for a run. */
export function errorOptions(command: Command): Command {
  return command
    .addOption(new Option('--on-error <mode>', 'what a row does whose call failed').choices(onErrorModes))
    .option('--max-error-ratio <share>', 'share of rows that may fail before exit code 3', share);
}

function names(text: string): readonly string[] {
  const found = text.split(',').map((name) => name.trim());
  if (found.includes('')) throw new InvalidArgumentError('It must be names with commas between them.');
  return found;
}

export function searchOptions(command: Command): Command {
  return command
    .option('--teacher <model>', 'whose answers are the labels; default: the model that the query asks')
    .option('--candidates <names>', 'models to try, with commas between; default: all that can answer', names)
    .option('--trials <n>', 'plans to try', numberFrom(1, true))
    .option('--sample <n>', 'inputs that are labelled', numberFrom(leastSample, true))
    .option('--seed <n>', 'another seed draws another sample', numberFrom(0, true));
}
