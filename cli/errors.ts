/** How an error ends the command: what is printed on stderr, and the exit code. */
import { type ErrorPlace, FermataError, exitCodes } from '../plans/protocol/errors.js';
import { ReaderGone } from './io.js';
import { sqlPlace } from './render/sql-place.js';
import type { Style } from './render/style.js';
import { oneLine } from './render/width.js';

export interface ErrorContext {
  readonly json: boolean;
  readonly verbose: boolean;
  readonly style: Style;
  /** The query that was being run, for the caret. */
  readonly sql?: string;
}

/** Commander's own errors: unknown option, missing argument and the like. Told by shape, to keep it out of this module. */
interface UsageError {
  readonly code: string;
  readonly exitCode: number;
  readonly message: string;
}

export function isUsageError(error: unknown): error is UsageError {
  const code = (error as { code?: unknown } | null)?.code;
  return error instanceof Error && typeof code === 'string' && code.startsWith('commander.');
}

/** Commander has shown the help because a command was missing. */
export function isHelp(error: unknown): boolean {
  return isUsageError(error) && error.code === 'commander.help';
}

/** Any thrown value as one of ours: usage errors as `Usage`, strangers as `Internal`. */
export function asFermataError(error: unknown): FermataError {
  if (FermataError.is(error)) return error;
  if (isUsageError(error)) {
    return new FermataError('Usage', error.message.replace(/^error: /, ''), { hint: 'see fermata --help' });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new FermataError('Internal', message, {
    cause: error,
    hint: 'add -v for the stack trace and please report it',
  });
}

const placeWords = {
  operator: 'operator',
  file: 'file',
  table: 'table',
  column: 'column',
  row: 'row',
  line: 'line',
} as const satisfies Partial<Record<keyof ErrorPlace, string>>;

/** `table reviews, column title, row 3`; empty when the place says nothing beyond the SQL position. */
export function placeText(place: ErrorPlace): string {
  return (Object.keys(placeWords) as (keyof typeof placeWords)[])
    .flatMap((key) => (place[key] === undefined ? [] : [`${placeWords[key]} ${oneLine(String(place[key]))}`]))
    .join(', ');
}

function lines(error: FermataError, context: ErrorContext): readonly string[] {
  const { style } = context;
  const place = placeText(error.where);
  const position = error.where.position;
  return [
    `${style.red(style.bold('error'))} [${error.number}] ${error.message}`,
    ...(place === '' ? [] : [`  at ${place}`]),
    ...(position === undefined || context.sql === undefined
      ? []
      : sqlPlace(context.sql, position).map((line) => `  ${line}`)),
    ...(error.hint === undefined ? [] : [`  ${style.dim('hint:')} ${error.hint}`]),
    ...(context.verbose ? [stackOf(error)] : []),
  ];
}

function stackOf(error: FermataError): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.stack ?? error.cause.message}` : '';
  return `${error.stack ?? error.message}${cause}`;
}

/** The text for stderr: lines for people, or one line of JSON `{"schema":"fermata/error/1", …}`. */
export function errorText(error: FermataError, context: ErrorContext): string {
  if (!context.json) return `${lines(error, context).join('\n')}\n`;
  const { code, message, hint, where } = error.toJSON();
  const body = {
    schema: 'fermata/error/1',
    code,
    number: error.number,
    message,
    hint,
    where,
    exitCode: error.exitCode,
  };
  return `${JSON.stringify(body)}\n`;
}

/** Exit code of a command that ended by this error; undefined text means that nothing is to be printed. */
export function errorOutcome(error: unknown, context: ErrorContext): { readonly exit: number; readonly text?: string } {
  if (error instanceof ReaderGone) return { exit: exitCodes.ok };
  // Commander has already printed the help or the version that was asked for.
  if (isUsageError(error) && error.exitCode === 0) return { exit: exitCodes.ok };
  const ours = asFermataError(error);
  return { exit: ours.exitCode, text: errorText(ours, context) };
}
