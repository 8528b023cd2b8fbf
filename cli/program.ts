/** From the command line to an exit code. */
import { Command } from 'commander';
import { exitCodes } from '../plans/protocol/errors.js';
import type { CommandRow, Runner } from './command.js';
import { commandTable } from './commands/index.js';
import { colorOn, createContext } from './context.js';
import { type ErrorContext, errorOutcome, isHelp } from './errors.js';
import type { Io } from './io.js';
import { styleFor } from './render/style.js';
import type { Services } from './services.js';
import { sqlOf } from './sql-errors.js';
import { version } from './version.js';

/** Flags and values after which errors are JSON too, as `--flag value`, `--flag=value` or `-ovalue`. */
const jsonFlags = /^(?:--json|(?:--output|-o) ?=?jsonl?|--progress[ =]json)$/;

/** Whether errors are wanted as JSON, known before the flags are parsed: a wrong flag is an error too. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const flags = end === -1 ? args : args.slice(0, end);
  return flags.some((flag, i) => jsonFlags.test(flag) || jsonFlags.test(`${flag} ${flags[i + 1] ?? ''}`));
}

/** Help and version come from commander; they are the result that was asked for, so stdout is right. */
function createProgram(print: (text: string) => void, complain: (text: string) => void): Command {
  const program = new Command('fermata');
  return program
    .description('SQL with natural-language operators over text, images and audio, as durable runs')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .configureOutput({ writeOut: print, writeErr: complain })
    .exitOverride()
    .showSuggestionAfterError();
}

async function addCommand(program: Command, row: CommandRow, asked: boolean, run: Runner): Promise<void> {
  const command = program.command(row.name).description(row.summary);
  command.copyInheritedSettings(program);
  if (asked) (await row.load()).command.configure(command, run);
}

/** Command line given without the program's name → exit code. Never throws. */
export async function runCli(args: readonly string[], io: Io, services: Services): Promise<number> {
  let exit: number = exitCodes.ok;
  let printed = '';
  let complaint = '';
  const run: Runner = async (given, work) => {
    exit = await work(createContext(io, services, given));
  };
  try {
    const program = createProgram(
      (text) => void (printed += text),
      (text) => void (complaint += text),
    );
    const name = args.find((argument) => !argument.startsWith('-'));
    for (const row of commandTable) await addCommand(program, row, row.name === name || name === 'help', run);
    if (args.length === 0) {
      printed = program.helpInformation();
      exit = exitCodes.usage;
    } else {
      await program.parseAsync([...args], { from: 'user' });
    }
  } catch (error) {
    const style = styleFor(colorOn(io, { color: !args.includes('--no-color') }));
    const sql = sqlOf(error);
    const context: ErrorContext = {
      json: wantsJson(args),
      verbose: args.includes('-v') || args.includes('--verbose'),
      style,
      ...(sql === undefined ? {} : { sql }),
    };
    const outcome = errorOutcome(error, context);
    exit = outcome.exit;
    // A group of commands named without one of them: its help says more than an error would.
    const text = isHelp(error) ? complaint : outcome.text;
    if (text !== undefined) await io.stderr.write(text).catch(() => undefined);
  }
  if (printed !== '') await (exit === exitCodes.ok ? io.stdout : io.stderr).write(printed).catch(() => undefined);
  return exit;
}
