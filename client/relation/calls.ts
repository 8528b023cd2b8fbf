/** Semantic calls as SQL text; every option is a named argument. */
import { FermataError } from '../../plans/protocol/errors.js';
import { quoteName } from '../../plans/relation/names.js';
import { literalSql, PromptText, type SqlLiteral } from './sql-text.js';

/** Options of every call. */
export interface CallOptions {
  /** Name of the model; the run's by default. */
  readonly model?: string;
}

/** Options of the calls that ask by a prompt. */
export interface PromptOptions extends CallOptions {
  /** Stands before the system message, the same for all rows. */
  readonly instructions?: string;
  /** Tuples with known answers: `{ input: '…', output: … }`, or the inputs by the names of their columns. */
  readonly examples?: readonly { readonly [name: string]: SqlLiteral }[];
}

export interface ExplainOptions extends PromptOptions {
  /** Makes the column a struct of `answer` and `explanation`. */
  readonly explain?: boolean;
}

export interface ClassifyOptions extends ExplainOptions {
  /** Any number of labels an input. */
  readonly multi?: boolean;
  readonly taskDescription?: string;
  /** By label. */
  readonly descriptions?: Readonly<Record<string, string>>;
}

export interface ScoreOptions extends ExplainOptions {
  readonly min?: number;
  readonly max?: number;
}

export interface DedupOptions extends CallOptions {
  /** `all` keeps every row, with the number of its entity; default `first`: one row an entity. */
  readonly keep?: 'first' | 'all';
  /** Columns that must be equal: only such rows are compared. */
  readonly within?: readonly string[];
  /** Others that a row is compared with, 1 to 50; default 5. */
  readonly neighbours?: number;
  /** By what others are near: `lexicon` (spelling), `embedding` or `embedding:MODEL`. */
  readonly nearness?: string;
  /** Stands before the system message, the same for all pairs. */
  readonly instructions?: string;
}

/** A column by its name, or a prompt. */
export type CallInput = string | PromptText;

/** SQL of a prompt: a text with columns in braces. */
export function promptSql(prompt: CallInput): string {
  return literalSql(prompt instanceof PromptText ? prompt.text : prompt);
}

/** SQL of an input; `columnSql` writes a column of the relation. */
export function inputSql(input: CallInput, columnSql: (name: string) => string): string {
  return input instanceof PromptText ? promptSql(input) : columnSql(input);
}

const argumentNames: Readonly<Record<string, string>> = { taskDescription: 'task_description' };

/** `NAME(argument, …, option => …)`; options that are undefined are left out. */
export function callSql(name: string, positional: readonly string[], named: object = {}): string {
  const options = Object.entries(named as Readonly<Record<string, SqlLiteral | undefined>>).flatMap(
    ([option, value]) => (value === undefined ? [] : [`${argumentNames[option] ?? option} => ${literalSql(value)}`]),
  );
  return `${name}(${[...positional, ...options].join(', ')})`;
}

/** Throws `BadArgument` unless it is a whole number of at least `least`. */
export function wholeNumber(value: number, what: string, least = 0): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new FermataError('BadArgument', `${what} is a whole number of at least ${least}, not ${value}`);
}

/** `expression AS "name"`. */
export function named(expression: string, name: string): string {
  return `${expression} AS ${quoteName(name)}`;
}
