import { FermataError } from '../plans/protocol/errors.js';
import type { Fermata } from '../client/api.js';
import type { Io } from './io.js';
import type { ProgressKind } from './progress/reporter.js';
import { type ProgressReporter, progressReporter } from './progress/reporter.js';
import type { FormatName } from './render/formats.js';
import { type Style, styleFor } from './render/style.js';
import type { Environment, Place, Services } from './services.js';

/** Flags that every command takes. */
export interface CommonFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** False after `--no-color`. */
  readonly color?: boolean;
  readonly config?: string;
  readonly address?: string;
  readonly namespace?: string;
  readonly profile?: string;
  /** Of the commands that print rows; `json` means the same as `--json`. */
  readonly output?: FormatName;
  /** Of the commands that follow a run. */
  readonly progress?: ProgressKind;
}

/** Flags that stand for an environment variable, so that they reach every process the command starts. */
const flagVariables = {
  config: 'FERMATA_CONFIG',
  address: 'TEMPORAL_ADDRESS',
  namespace: 'TEMPORAL_NAMESPACE',
  profile: 'TEMPORAL_PROFILE',
} as const satisfies Partial<Record<keyof CommonFlags, string>>;

/** What a command works with. */
export interface Context {
  readonly io: Io;
  readonly services: Services;
  readonly place: Place;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly style: Style;
  /** Whether a program reads stderr: JSON lines only. */
  readonly machine: boolean;
  /** A remark on stderr for the person; silent under `-q`. */
  note(text: string): Promise<void>;
  /** What must be told even under `-q`, e.g. how to come back to a run. */
  say(text: string): Promise<void>;
  /** Text on stdout: the result, nothing else. */
  print(text: string): Promise<void>;
  progress(kind: ProgressKind): ProgressReporter;
}

function environment(env: Environment, flags: CommonFlags): Environment {
  const set = (Object.keys(flagVariables) as (keyof typeof flagVariables)[]).flatMap((key) =>
    flags[key] === undefined ? [] : [[flagVariables[key], flags[key]] as const],
  );
  return { ...env, ...Object.fromEntries(set) };
}

/** Colour on stderr: a terminal, and neither `--no-color` nor `NO_COLOR`. */
export function colorOn(io: Io, flags: CommonFlags): boolean {
  return io.stderr.tty && flags.color !== false && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb';
}

export function createContext(io: Io, services: Services, flags: CommonFlags): Context {
  const quiet = flags.quiet === true;
  const json = flags.json === true || flags.output === 'json';
  const events = flags.progress === 'json';
  // Under --json a terminal still shows a person what goes on; anything else that reads stderr is a program.
  const machine = events || (json && !io.stderr.tty);
  const event = (text: string): string =>
    `${JSON.stringify({ schema: 'fermata/progress/1', event: 'note', text: text.trim() })}\n`;
  const say = (text: string): Promise<void> => io.stderr.write(machine ? event(text) : `${text}\n`);
  return {
    io,
    services,
    place: { cwd: io.cwd, env: environment(io.env, flags) },
    json,
    quiet,
    machine,
    verbose: flags.verbose === true,
    style: styleFor(colorOn(io, flags)),
    note: (text) => (quiet || (machine && !events) ? Promise.resolve() : say(text)),
    say,
    print: (text) => io.stdout.write(text),
    progress: (kind) =>
      progressReporter((quiet || machine) && kind !== 'json' ? 'none' : kind, {
        stderr: io.stderr,
        now: () => io.now(),
      }),
  };
}

/** Runs `work` with a connection and closes it whatever happens. */
export async function withFermata<T>(context: Context, work: (fermata: Fermata) => Promise<T>): Promise<T> {
  const fermata = await context.services.connect(context.place, (text) => void context.note(text));
  try {
    return await work(fermata);
  } finally {
    await fermata.close();
  }
}

/** Prints a document on stdout as JSON with its schema. */
export function printJson(context: Context, schema: string, body: object): Promise<void> {
  return context.print(`${JSON.stringify({ schema, ...body })}\n`);
}

/** Throws `Usage` with a hint that names the command's help. */
export function usage(message: string, hint?: string): never {
  throw new FermataError('Usage', message, hint === undefined ? {} : { hint });
}
