/** The semantic functions of SQL, with the spellings of other systems. A new spelling is one row. */
import type { CallGuidance, OperatorParameters } from '../operators/call.js';
import type { OutputType } from '../operators/output.js';
import {
  aggNames,
  aggregating,
  grouping,
  groupNames,
  readReduce,
  summarizeAggNames,
  summarizingAll,
} from './aggregate-functions.js';
import { type ArgumentNames, type CallArguments, sortArguments } from './arguments.js';
import { dedupUsage, readEntities } from './dedup-call.js';
import { fault } from './fault.js';
import { readFlock } from './flock.js';
import { guidanceOptions, readGuidance } from './guidance.js';
import { readLabels } from './labels.js';
import { booleanLiteral, numberLiteral, stringLiteral } from './literals.js';
import { embedding, embedNames, parseNames, parsing, transcribeNames, transcribing } from './media-functions.js';
import { type InputDraft, literalPrompt, type Prompt, type PromptContext, readPrompt } from './prompt.js';
import {
  judgingSentiment,
  sentimentNames,
  summarizeNames,
  summarizing,
  translateNames,
  translating,
} from './text-functions.js';
import { findNode, isClass, type SqlNode } from './tree.js';
import { fieldType, namedFields, outputType } from './type-names.js';

/** A semantic call as read from its arguments. */
export interface CallReading {
  readonly parameters: OperatorParameters;
  readonly template: string;
  readonly inputs: readonly InputDraft[];
  readonly output: OutputType;
  readonly guidance?: CallGuidance;
  readonly model?: string;
  /** Options that have no effect here. */
  readonly ignored: readonly string[];
}

export interface SemanticFunction {
  /** All spellings in lower case; `ai.x` is the name x in the schema AI. The first is the primary one. */
  readonly names: readonly string[];
  readonly usage: string;
  /** Folds the rows of a group into one answer. */
  readonly folds?: true;
  readonly read: (node: SqlNode, context: PromptContext) => CallReading;
}

/** What the arguments of one function mean, beside its prompt. */
export type Meaning = (prompt: Prompt, args: CallArguments) => Pick<CallReading, 'parameters' | 'output'>;

const filtering: Meaning = () => ({ parameters: { kind: 'filter' }, output: { kind: 'boolean' } });
const completing: Meaning = (_, { named }) => {
  const type = named.get('type');
  return { parameters: { kind: 'complete' }, output: type === undefined ? { kind: 'string' } : outputType(type) };
};

/** A function whose first argument is a prompt, columns behind it allowed. */
function prompted(usage: string, options: readonly string[], meaning: Meaning): SemanticFunction['read'] {
  const names: ArgumentNames = {
    usage,
    positional: ['prompt'],
    rest: true,
    required: 1,
    options: ['model', ...guidanceOptions, ...options],
  };
  return (node, context) => {
    const args = sortArguments(node, names);
    const prompt = withColumns(argument(args, 'prompt'), args.positional, context);
    return reading(prompt, args, meaning);
  };
}

/** `(prompt)` or `('question', column, …)`. */
function withColumns(prompt: SqlNode, columns: readonly SqlNode[], context: PromptContext): Prompt {
  const [first] = columns;
  if (first === undefined) return readPrompt(prompt, context);
  const constant = columns.find((column) => findNode(column, (inner) => isClass(inner, 'COLUMN_REF')) === undefined);
  if (constant !== undefined) throw fault('BadArgument', 'an argument behind the prompt must name a column', constant);
  if (stringLiteral(prompt) === undefined) {
    throw fault('BadArgument', 'with columns behind it, the prompt must be a text literal', first);
  }
  return literalPrompt(
    prompt,
    columns.map((node) => ({ node })),
    context,
  );
}

const completeNames: ArgumentNames = {
  usage: 'AI_COMPLETE(prompt [, type] [, {model}])',
  positional: ['prompt', 'type'],
  rest: true,
  required: 1,
  options: ['model', ...guidanceOptions],
};

/** The second argument is a type when it is a constant, else a column that the prompt is about. */
function readComplete(node: SqlNode, context: PromptContext): CallReading {
  const args = sortArguments(node, completeNames);
  const second = args.named.get('type');
  const isColumn = second !== undefined && findNode(second, (inner) => isClass(inner, 'COLUMN_REF')) !== undefined;
  if (!isColumn) {
    const [extra] = args.positional;
    if (extra !== undefined) throw fault('BadArgument', `${completeNames.usage}: too many arguments`, extra);
    return reading(readPrompt(argument(args, 'prompt'), context), args, completing);
  }
  const prompt = withColumns(argument(args, 'prompt'), [second, ...args.positional], context);
  return reading(prompt, args, () => ({ parameters: { kind: 'complete' }, output: { kind: 'string' } }));
}

const scoreOf: Meaning = ({ template }, { named, node }) => {
  const written = scaleInPrompt(template);
  const min = bound(named.get('min'), 'min') ?? written?.[0] ?? 0;
  const max = bound(named.get('max'), 'max') ?? written?.[1] ?? 1;
  if (min >= max) throw fault('BadArgument', `min (${min}) must be below max (${max})`, named.get('min') ?? node);
  return { parameters: { kind: 'score', min, max }, output: { kind: 'number', min, max } };
};

function bound(node: SqlNode | undefined, name: string): number | undefined {
  if (node === undefined) return undefined;
  const value = numberLiteral(node);
  if (value === undefined) throw fault('BadArgument', `${name} must be a number`, node);
  return value;
}

/** A scale that the prompt itself states: "from 1 to 5", "on a scale of 0-10", "between 1 and 100". */
function scaleInPrompt(template: string): readonly [number, number] | undefined {
  const number = '(-?\\d+(?:\\.\\d+)?)';
  const stated = new RegExp(`\\b(?:from|scale(?:\\s+of)?|between)\\s+${number}\\s*(?:to|-|–|and)\\s*${number}`, 'i');
  const match = stated.exec(template);
  const [min, max] = [Number(match?.[1]), Number(match?.[2])];
  return min < max ? [min, max] : undefined;
}

const classifyNames: ArgumentNames = {
  usage: "AI_CLASSIFY(input, ['label', …] [, {multi, task_description, descriptions, model}])",
  positional: ['input', 'categories'],
  required: 2,
  options: ['model', ...guidanceOptions, 'multi', 'task_description', 'output_mode', 'descriptions'],
};

const classifying: Meaning = (_, args) => {
  const labels = readLabels(argument(args, 'categories'), args.named.get('descriptions'));
  const multi = isMulti(args);
  const task = textOption(args, 'task_description');
  const one: OutputType = { kind: 'enum', values: labels.map(({ label }) => label) };
  return {
    parameters: { kind: 'classify', labels, multi, ...(task === undefined ? {} : { task }) },
    output: multi ? { kind: 'list', item: one } : one,
  };
};

function isMulti({ named }: CallArguments): boolean {
  const mode = named.get('output_mode');
  const flag = named.get('multi');
  if (mode !== undefined) {
    const word = stringLiteral(mode);
    if (word !== 'single' && word !== 'multi') throw fault('BadArgument', "output_mode is 'single' or 'multi'", mode);
    return word === 'multi';
  }
  if (flag === undefined) return false;
  const value = booleanLiteral(flag);
  if (value === undefined) throw fault('BadArgument', 'multi is true or false', flag);
  return value;
}

const extractNames: ArgumentNames = {
  usage: "AI_EXTRACT(input, {field: 'question or type'} [, {model}])",
  positional: ['input', 'schema'],
  required: 2,
  options: ['model', ...guidanceOptions],
};

const extracting: Meaning = (_, args) => {
  const schema = argument(args, 'schema');
  const type = namedFields(schema) ?? fieldType(schema).type;
  if (type.kind !== 'struct') {
    const hint = "AI_EXTRACT(review, {rating: 'integer', reason: 'Why this rating?'})";
    throw fault('BadArgument', 'AI_EXTRACT needs a struct of fields', schema, hint);
  }
  return { parameters: { kind: 'extract' }, output: type };
};

/** A function whose first argument is a column, or a prompt. */
function onInput(names: ArgumentNames, meaning: Meaning): SemanticFunction['read'] {
  return (node, context) => {
    const args = sortArguments(node, names);
    return reading(readPrompt(argument(args, names.positional[0] ?? 'input'), context), args, meaning);
  };
}

/** A function of one value, which may be a constant: a literal is that text, no prompt. */
function onValue(names: ArgumentNames, meaning: Meaning): SemanticFunction['read'] {
  return (node, context) => {
    const args = sortArguments(node, names);
    const value = argument(args, names.positional[0] ?? 'input');
    return reading({ template: '{0}', inputs: [context.input(value)] }, args, meaning);
  };
}

function reading(prompt: Prompt, args: CallArguments, meaning: Meaning): CallReading {
  const model = textOption(args, 'model');
  const meant = meaning(prompt, args);
  const read = { ...prompt, ...meant, ...readGuidance(args, prompt, meant.output), ignored: args.ignored };
  return model === undefined ? read : { ...read, model };
}

function argument(args: CallArguments, name: string): SqlNode {
  return args.named.get(name) ?? args.node;
}

function textOption({ named }: CallArguments, name: string): string | undefined {
  const node = named.get(name);
  const value = stringLiteral(node);
  if (node !== undefined && (value === undefined || value.trim() === '')) {
    throw fault('BadArgument', `${name} must be a text literal`, node);
  }
  return value;
}

/** ThalamusDB: the column first, then what must hold of it. */
function readNlFilter(node: SqlNode, context: PromptContext): CallReading {
  const names = {
    usage: "NLfilter(column, 'condition')",
    positional: ['column', 'condition'],
    required: 2,
    options: ['model', ...guidanceOptions],
  };
  const args = sortArguments(node, names);
  return reading(withColumns(argument(args, 'condition'), [argument(args, 'column')], context), args, filtering);
}

const filterUsage = 'AI_FILTER(prompt [, column, …] [, {model}])';
const scoreUsage = 'AI_SCORE(prompt [, column, …] [, {min, max, model}])';

export const semanticFunctions: readonly SemanticFunction[] = [
  {
    names: ['ai_filter', 'ai_if', 'ai.filter', 'ai.if'],
    usage: filterUsage,
    read: prompted(filterUsage, [], filtering),
  },
  { names: ['nlfilter'], usage: "NLfilter(column, 'condition')", read: readNlFilter },
  {
    names: ['llm_filter'],
    usage: "llm_filter({'model_name': …}, {'prompt': …, 'context_columns': [{'data': column}]})",
    read: (node, context) => ({
      ...readFlock(node, context),
      parameters: { kind: 'filter' },
      output: { kind: 'boolean' },
    }),
  },
  { names: ['ai_classify', 'ai.classify'], usage: classifyNames.usage, read: onInput(classifyNames, classifying) },
  { names: ['ai_extract', 'ai.extract'], usage: extractNames.usage, read: onInput(extractNames, extracting) },
  {
    names: ['ai_complete', 'ai_map', 'ai.complete', 'ai.map', 'ai_gen'],
    usage: completeNames.usage,
    read: readComplete,
  },
  {
    names: ['llm_complete'],
    usage: "llm_complete({'model_name': …}, {'prompt': …, 'context_columns': [{'data': column}]})",
    read: (node, context) => ({
      ...readFlock(node, context),
      parameters: { kind: 'complete' },
      output: { kind: 'string' },
    }),
  },
  { names: ['ai_score', 'ai.score'], usage: scoreUsage, read: prompted(scoreUsage, ['min', 'max'], scoreOf) },
  {
    names: ['ai_sentiment', 'ai.sentiment', 'ai_analyze_sentiment'],
    usage: sentimentNames.usage,
    read: onInput(sentimentNames, judgingSentiment),
  },
  {
    names: ['ai_summarize', 'ai.summarize'],
    usage: summarizeNames.usage,
    read: onInput(summarizeNames, summarizing),
  },
  {
    names: ['ai_translate', 'ai.translate'],
    usage: translateNames.usage,
    read: onInput(translateNames, translating),
  },
  { names: ['ai_embed', 'ai.embed'], usage: embedNames.usage, read: onValue(embedNames, embedding) },
  {
    names: ['ai_transcribe', 'ai.transcribe'],
    usage: transcribeNames.usage,
    read: onValue(transcribeNames, transcribing),
  },
  {
    names: ['ai_parse', 'ai.parse', 'ai_parse_document'],
    usage: parseNames.usage,
    read: onValue(parseNames, parsing),
  },
  { names: ['ai_agg', 'ai.agg'], usage: aggNames.usage, folds: true, read: onInput(aggNames, aggregating) },
  {
    names: ['ai_summarize_agg', 'ai.summarize_agg'],
    usage: summarizeAggNames.usage,
    folds: true,
    read: onInput(summarizeAggNames, summarizingAll),
  },
  {
    names: ['llm_reduce'],
    usage: "llm_reduce({'model_name': …}, {'prompt': …, 'context_columns': [{'data': column}]})",
    folds: true,
    read: readReduce,
  },
  { names: ['ai_group', 'ai.group'], usage: groupNames.usage, read: onInput(groupNames, grouping) },
  { names: ['ai_dedup', 'ai.dedup'], usage: dedupUsage, read: readEntities },
];

/** Functions that are rewritten in terms of the others before a query is planned. */
export const rewrittenFunctions: ReadonlySet<string> = new Set([
  'ai_similarity',
  'ai.similarity',
  'ai_search',
  'ai.search',
]);

/** Semantic functions that other systems have and this version has not: refused by name, with what to use instead. */
export const unsupportedFunctions: Readonly<Record<string, string>> = {
  llm_rerank: 'Use ORDER BY AI_SCORE(…) DESC LIMIT k.',
  llm_first: 'Use ORDER BY AI_SCORE(…) DESC LIMIT 1.',
  llm_last: 'Use ORDER BY AI_SCORE(…) LIMIT 1.',
  llm_embedding: 'Use AI_EMBED(column).',
  nljoin: 'This version asks about one relation at a time.',
};
