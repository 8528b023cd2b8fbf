import { type Command, Option } from 'commander';
import { schemaText } from '../../plans/relation/schema.js';
import { type CandidateOptions, type Candidates, candidatesFor } from '../../plans/logical/candidates.js';
import { distinctColumns } from '../../plans/logical/distinct-columns.js';
import type { Instance } from '../../plans/logical/instance.js';
import { instanceOf } from '../../plans/logical/request.js';
import { exitCodes, FermataError } from '../../plans/protocol/errors.js';
import { defaultCatalog } from '../../plans/tasks/catalog.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson, usage } from '../context.js';
import {
  budgetOptions,
  commonOptions,
  errorOptions,
  followOptions,
  gather,
  numberFrom,
  startOptions,
} from '../options.js';
import { type DraftFlags, draftsOf } from '../planning/drafts.js';
import { checkExecution, execute, type ExecuteFlags, type PlannedInputs } from '../planning/execute.js';
import { tablesOf } from '../query-input.js';
import {
  type CandidateFormat,
  candidateFormats,
  candidateJson,
  candidatesAs,
  type Numbered,
} from '../render/candidates.js';
import { formatNames } from '../render/formats.js';

/** `--output` names columns here, not the format of rows. */
interface PlanFlags extends Omit<CommonFlags, 'output' | 'progress'>, DraftFlags, ExecuteFlags {
  readonly input?: readonly string[];
  readonly output?: string;
  readonly labels?: string;
  readonly top?: number;
  readonly on?: string;
  readonly limit: number;
  readonly candidate?: number;
  readonly format?: CandidateFormat;
}

/** The instance that the flags describe, over tables as they are. */
async function readInstance(context: Context, intent: string, flags: PlanFlags): Promise<PlannedInputs> {
  const { input = [], output, top, on } = flags;
  if (input.length === 0) usage('no input was given', 'name a table: --input reviews.csv');
  const { settings } = await context.services.settings(context.place);
  const media = { image: flags.image ?? [], audio: flags.audio ?? [] };
  const tables = tablesOf({ table: input, ...media });
  const { renamed, ...distinct } = distinctColumns(
    intent,
    await context.services.describe(settings, context.place, tables),
  );
  const names = Object.values(renamed).flatMap((columns) => Object.keys(columns));
  if (names.length > 0) await context.note(`columns of one name are told apart: ${names.join(', ')}`);
  const labels = flags.labels?.split(',').map((label) => label.trim());
  const instance = instanceOf({
    ...distinct,
    ...(output === undefined ? {} : { output }),
    ...(labels === undefined ? {} : { labels }),
    ...(top === undefined ? {} : { top }),
    ...(on === undefined ? {} : { on }),
  });
  return { instance, renamed, table: input };
}

function found(instance: Instance, options: CandidateOptions): Candidates {
  const candidates = candidatesFor(instance, defaultCatalog, options);
  if (candidates.candidates.length > 0) return candidates;
  const adds = schemaText(instance.adds ?? []);
  throw new FermataError(
    'BadArgument',
    adds === '' ? 'No plan reads these columns together.' : `No plan gives ${adds}.`,
    {
      hint: 'Answers are texts, numbers, dates, times and truth values; one question reads two images or recordings at most.',
    },
  );
}

function numbered({ candidates }: Candidates): readonly Numbered[] {
  return candidates.map((candidate, at) => ({ number: at + 1, candidate }));
}

function chosen(list: readonly Numbered[], candidate: number | undefined): readonly Numbered[] {
  if (candidate === undefined) return list;
  const one = list.filter(({ number }) => number === candidate);
  return one.length > 0 ? one : usage(`there is no candidate ${candidate}`, `there are ${list.length}; see --limit`);
}

const rowTexts = {
  filter: 'filter',
  map: 'map',
  classify: 'classification',
  score: 'score',
  topk: 'top-k',
  join: 'join',
};

async function printed(context: Context, instance: Instance, found: Candidates, flags: PlanFlags): Promise<number> {
  const list = chosen(numbered(found), flags.candidate);
  const format = flags.format ?? (context.json ? 'json' : 'text');
  if (format === 'json') {
    const { refused } = found;
    await printJson(context, 'fermata/candidates/1', { instance, candidates: list.map(candidateJson), refused });
  } else {
    const inputs = instance.inputs.map(
      ({ name, schema, key }) => `${name}(${schemaText(schema)})${key.length === 0 ? '' : `, key ${key.join(', ')}`}`,
    );
    await context.note(
      `${rowTexts[instance.template]} over ${inputs.join(' and ')}: ${found.candidates.length} candidates`,
    );
    await context.print(`${candidatesAs[format](list)}\n`);
  }
  return exitCodes.ok;
}

async function plan(context: Context, intent: string, flags: PlanFlags): Promise<number> {
  checkExecution(flags);
  const inputs = await readInstance(context, intent, flags);
  const { instance } = inputs;
  // What cannot be planned is told before a planner is asked.
  candidatesFor(instance, defaultCatalog, { limit: 1 });
  const drafts = await draftsOf(context, instance, flags);
  const candidates = found(instance, { limit: flags.limit, drafts });
  if (flags.execute === undefined) return printed(context, instance, candidates, flags);
  const [one] = chosen(numbered(candidates), flags.execute);
  if (one === undefined) throw new FermataError('Internal', 'the candidate is gone');
  return execute(context, inputs, one, flags);
}

export const command: CommandModule = {
  configure(command: Command, run) {
    startOptions(errorOptions(followOptions(budgetOptions(commonOptions(command)))))
      .argument('<intent>', 'what is wanted, in your words; {column} names what it is about')
      .option('--input <name=path>', 'the table; a second one makes it a join (repeatable)', gather)
      .option('--output <columns>', "columns that are added, as 'name type, …'; none: a filter")
      .option('--labels <labels>', "a classification into 'one, other, …'")
      .option('--top <n>', 'the n rows that fit best', numberFrom(1, true))
      .option('--on <predicate>', 'plain condition under which rows of two tables meet')
      .option('--image <column>', 'column or table.column that holds images (repeatable)', gather)
      .option('--audio <column>', 'column or table.column that holds audio (repeatable)', gather)
      .option('--limit <n>', 'candidates, at most', numberFrom(1, true), 12)
      .option('--candidate <k>', 'this one alone', numberFrom(1, true))
      .option('--planner <model>', 'a chat model that drafts plans, too')
      .option('--drafts <n>', 'drafts asked for (default: 3)', numberFrom(1, true))
      .option('--execute <k>', 'run this candidate and print its rows', numberFrom(1, true))
      .option('--model <name>', 'the model of its tasks')
      .addOption(new Option('-o <format>', 'format of the rows').choices(formatNames))
      .option('--out <file>', 'write the rows to a file; its ending chooses the format')
      .option('--no-cache', 'do not read answers of earlier draftings and runs')
      .option('--record <file>', 'write what the planner was asked and said')
      .addOption(new Option('--format <format>', 'of the candidates').choices(candidateFormats))
      .action((intent: string, { output, ...flags }: PlanFlags) =>
        run(flags, (context) => plan(context, intent, output === undefined ? flags : { ...flags, output })),
      );
  },
};
