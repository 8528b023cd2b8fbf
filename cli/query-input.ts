/** From flags to what the library takes: SQL text and `RunOptions`. */
import { readFile } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import type { RunOptions, TableOptions } from '../client/api.js';
import type { SqlLiteral } from '../client/relation/sql-text.js';
import type { RoutedPlan } from '../plans/physical/routed/plan.js';
import { FermataError } from '../plans/protocol/errors.js';
import { parseJson } from '../plans/protocol/json.js';
import { isPlanId } from '../plans/protocol/saved-plan.js';
import type { Placement } from '../plans/protocol/placement.js';
import type { OnError, RunBudget } from '../plans/protocol/run.js';
import type { Context } from './context.js';
import { usage } from './context.js';
import { type OptimizeFlags, optimizeOf } from './search-flags.js';
import { type StrategyFlags, strategyOf } from './strategy-flags.js';

export interface BudgetFlags {
  readonly maxCost?: number;
  readonly maxCalls?: number;
  readonly maxTokens?: number;
  readonly maxSeconds?: number;
}

export interface QueryFlags extends BudgetFlags, StrategyFlags, OptimizeFlags {
  readonly command?: string;
  readonly file?: string;
  readonly table?: readonly string[];
  readonly image?: readonly string[];
  readonly audio?: readonly string[];
  readonly param?: readonly string[];
  readonly model?: string;
  readonly placement?: Placement;
  readonly onError?: OnError;
  readonly maxErrorRatio?: number;
  /** False after `--no-cache`. */
  readonly cache?: boolean;
}

/** The limits that were named; an empty object when none was. */
export function budgetOf(flags: BudgetFlags): RunBudget {
  return {
    ...(flags.maxCost === undefined ? {} : { usd: flags.maxCost }),
    ...(flags.maxCalls === undefined ? {} : { calls: flags.maxCalls }),
    ...(flags.maxTokens === undefined ? {} : { tokens: flags.maxTokens }),
    ...(flags.maxSeconds === undefined ? {} : { seconds: flags.maxSeconds }),
  };
}

/** A file that a flag names. Throws `FileNotFound`. */
export async function readText(context: Context, file: string, what: string): Promise<string> {
  const path = resolve(context.io.cwd, file);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new FermataError('FileNotFound', `the ${what} ${file} cannot be read: ${(error as Error).message}`, {
      where: { file },
      cause: error,
    });
  }
}

/** The query: the argument (SQL text, a `.sql` file or `-` for standard input), `-c` or `-f`; exactly one of them. */
export async function sqlText(context: Context, argument: string | undefined, flags: QueryFlags): Promise<string> {
  const given = [argument, flags.command, flags.file].filter((value) => value !== undefined);
  if (given.length !== 1) {
    usage(
      given.length === 0 ? 'no query was given' : 'more than one query was given',
      'give SQL text, a .sql file or - for standard input; or -c SQL, or -f FILE',
    );
  }
  const text = await givenText(context, argument, flags);
  if (text.trim() === '') usage('the query is empty');
  return text;
}

async function givenText(context: Context, argument: string | undefined, flags: QueryFlags): Promise<string> {
  if (flags.command !== undefined) return flags.command;
  const file = flags.file ?? argument ?? '-';
  if (file === '-') return context.io.readStdin();
  if (flags.file !== undefined || /^[^\n]*\.sql$/i.test(file)) return readText(context, file, 'SQL file');
  return file;
}

/** Table name for a path alone: the file's name up to its first ending, made an identifier. */
export function tableName(path: string): string {
  const inner = path.includes('#') ? path.slice(path.lastIndexOf('#') + 1) : undefined;
  const trimmed = path.replace(/[\\/]+$/, '');
  const stem = inner ?? basename(trimmed, extname(trimmed));
  const name = stem.replace(/[^\p{L}\p{N}_]+/gu, '_').replace(/^(?=\p{N})/u, '_');
  return name === '' || name === '_' ? usage(`no table name can be made of ${path}`, 'write --table name=path') : name;
}

/** `name=path`, or a path alone. A `=` after a path separator belongs to the path. */
function splitTable(text: string): readonly [string, string] {
  const match = /^([\p{L}_][\p{L}\p{N}_]*)=(.+)$/su.exec(text);
  return match?.[1] !== undefined && match[2] !== undefined ? [match[1], match[2]] : [tableName(text), text];
}

type Medium = keyof TableOptions;
type Media = Record<Medium, string[]>;

function emptyMedia(): Media {
  return { image: [], audio: [] };
}

function addMedia(tables: ReadonlyMap<string, Media>, medium: Medium, columns: readonly string[]): void {
  for (const text of columns) {
    const dot = text.indexOf('.');
    const named = dot > 0 ? tables.get(text.slice(0, dot)) : undefined;
    if (named) {
      named[medium].push(text.slice(dot + 1));
      continue;
    }
    const [only] = tables.values();
    if (tables.size !== 1 || only === undefined) {
      usage(
        `--${medium} ${text} does not say which table it is in`,
        'add the table: --table name=path, and write table.column',
      );
    }
    only[medium].push(text);
  }
}

/** Tables as the library takes them. Throws `Usage` for a name given twice or a media column of no known table. */
export function tablesOf(flags: QueryFlags): NonNullable<RunOptions['tables']> {
  const paths = new Map<string, string>();
  for (const text of flags.table ?? []) {
    const [name, path] = splitTable(text);
    if (paths.has(name)) usage(`two tables are named ${name}`, 'give one of them another name: --table name=path');
    paths.set(name, path);
  }
  const media = new Map([...paths.keys()].map((name) => [name, emptyMedia()]));
  addMedia(media, 'image', flags.image ?? []);
  addMedia(media, 'audio', flags.audio ?? []);
  return Object.fromEntries(
    [...paths].map(([name, path]) => [name, tableValue(path, media.get(name) ?? emptyMedia())]),
  );
}

function tableValue(path: string, { image, audio }: Media): string | (TableOptions & { readonly path: string }) {
  if (image.length + audio.length === 0) return path;
  return { path, ...(image.length > 0 ? { image } : {}), ...(audio.length > 0 ? { audio } : {}) };
}

/** `name=value`; numbers, true, false, null and JSON lists, objects and strings are what they say, all else is text. */
function paramsOf(texts: readonly string[]): Readonly<Record<string, SqlLiteral>> {
  const params = new Map<string, SqlLiteral>();
  for (const text of texts) {
    const [, name, value] =
      /^\$?(\w+)=(.*)$/su.exec(text) ?? usage(`--param ${text} names no parameter`, 'write --param name=value');
    if (name === undefined || value === undefined) continue;
    if (params.has(name)) usage(`two values for the parameter ${name}`);
    params.set(name, valueOf(value));
  }
  return Object.fromEntries(params);
}

function valueOf(text: string): SqlLiteral {
  if (/^-?\d+$/.test(text)) return BigInt(text);
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : text;
}

/** The options of a run, with the plan that its flags name. Throws what is wrong with flags or plan. */
export async function readOptions(context: Context, flags: QueryFlags): Promise<RunOptions> {
  const file = flags.strategy === 'routed' ? flags.plan : undefined;
  const optimize = optimizeOf(flags);
  const options = runOptions(flags, file === undefined ? undefined : await readPlan(context, file));
  return optimize === undefined ? options : { ...options, optimize };
}

/** A file, or a plan that is kept, by its id. */
async function readPlan(context: Context, file: string): Promise<RoutedPlan> {
  if (isPlanId(file)) {
    const { settings } = await context.services.settings(context.place);
    const { savedPlan } = await import('../client/saved-plans.js');
    return (await savedPlan(await context.services.store(settings), file)).plan;
  }
  const parsed = parseJson(await readText(context, file, 'plan'));
  if (parsed.ok) {
    // Here, not above: a query without a plan must not wait for the validator to load.
    const { readRoutedPlan } = await import('../plans/physical/routed/plan.schema.js');
    return readRoutedPlan(parsed.value, file);
  }
  throw new FermataError('BadPlan', `${file} is no routed plan: it is not JSON: ${parsed.error}`, { where: { file } });
}

export function runOptions(flags: QueryFlags, plan?: RoutedPlan): RunOptions {
  const tables = tablesOf(flags);
  const budget = budgetOf(flags);
  const strategy = strategyOf(flags, plan);
  const params = paramsOf(flags.param ?? []);
  return {
    ...(Object.keys(tables).length > 0 ? { tables } : {}),
    ...(Object.keys(params).length > 0 ? { params } : {}),
    ...(Object.keys(budget).length > 0 ? { budget } : {}),
    ...(flags.onError === undefined ? {} : { onError: flags.onError }),
    ...(flags.maxErrorRatio === undefined ? {} : { maxErrorRatio: flags.maxErrorRatio }),
    ...(flags.cache === false ? { cache: false } : {}),
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(strategy === undefined ? {} : { strategy }),
    ...(flags.placement === undefined ? {} : { placement: flags.placement }),
  };
}
