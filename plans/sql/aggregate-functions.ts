/** What the arguments of AI_AGG, AI_SUMMARIZE_AGG, llm_reduce and AI_GROUP mean. */
import { maxGroups } from '../operators/group.js';
import { maxSummaryWords } from '../operators/summarize.js';
import type { ArgumentNames, CallArguments } from './arguments.js';
import { fault } from './fault.js';
import { flockParts } from './flock.js';
import type { CallReading, Meaning } from './functions.js';
import { numberLiteral, stringLiteral } from './literals.js';
import { literalPrompt, type PromptContext, requireColumn } from './prompt.js';
import type { SqlNode } from './tree.js';

export const aggNames: ArgumentNames = {
  usage: "AI_AGG(input, 'instruction' [, {model}])",
  positional: ['input', 'instruction'],
  required: 2,
  options: ['model', 'instructions'],
};

export const aggregating: Meaning = (_, args) => ({
  parameters: { kind: 'aggregate', instruction: words(args, 'instruction') },
  output: { kind: 'string' },
});

export const summarizeAggNames: ArgumentNames = {
  usage: 'AI_SUMMARIZE_AGG(input [, max_words] [, {model}])',
  positional: ['input', 'max_words'],
  plain: true,
  required: 1,
  options: ['model', 'max_words', 'instructions'],
};

/** No bound on the words is written 0 by others. */
export const summarizingAll: Meaning = (_, { named }) => {
  const most = wholeNumber(named.get('max_words'), 'max_words', 0, maxSummaryWords) ?? 0;
  const length = most === 0 ? 'a few sentences' : `at most ${most} words`;
  const instruction = `Summarize the items together, in their language, in ${length}, and add nothing to them.`;
  return { parameters: { kind: 'aggregate', instruction }, output: { kind: 'string' } };
};

/** FlockMTL: the prompt is the instruction, the columns are the items. */
export function readReduce(node: SqlNode, context: PromptContext): CallReading {
  const { intent, columns, ...rest } = flockParts(node);
  const instruction = stringLiteral(intent);
  if (instruction === undefined || instruction.trim() === '') {
    throw fault('BadArgument', 'the prompt must be a text literal', intent);
  }
  const [only, second] = columns;
  const unnamed = second === undefined && only !== undefined ? [{ node: only.node }] : columns;
  const { template, inputs } = literalPrompt(emptyText(intent), unnamed, context);
  const prompt = { template: template.trimStart(), inputs };
  requireColumn(prompt, node, "Name what to reduce: 'context_columns': [{'data': column}].");
  return { ...prompt, ...rest, parameters: { kind: 'aggregate', instruction }, output: { kind: 'string' } };
}

/** The literal with nothing in it; what it is appended to then stands by itself. */
function emptyText(literal: SqlNode): SqlNode {
  const value = literal['value'] as SqlNode;
  return { ...literal, query_location: null, value: { ...value, value: '' } };
}

export const groupNames: ArgumentNames = {
  usage: "AI_GROUP(input, k or 'instruction' [, {k, model}])",
  positional: ['input', 'by'],
  plain: true,
  required: 2,
  options: ['model', 'k', 'instructions'],
};

export const grouping: Meaning = (_, args) => {
  const by = args.named.get('by');
  const instruction = stringLiteral(by);
  const given = args.named.get('k');
  if (instruction === undefined && given !== undefined) {
    throw fault('BadArgument', 'with k as an option, the second argument is an instruction', by ?? args.node);
  }
  const count = wholeNumber(instruction === undefined ? by : given, 'k', 1, maxGroups);
  return {
    parameters: {
      kind: 'group',
      ...(count === undefined ? {} : { count }),
      ...(instruction === undefined ? {} : { instruction: words(args, 'by') }),
    },
    output: { kind: 'string' },
  };
};

function words({ named, node }: CallArguments, name: string): string {
  const given = named.get(name);
  const value = stringLiteral(given);
  if (value === undefined || value.trim() === '') {
    throw fault(
      'BadArgument',
      'the instruction must be a text literal',
      given ?? node,
      'It is the same for all groups.',
    );
  }
  return value;
}

function wholeNumber(node: SqlNode | undefined, name: string, least: number, most: number): number | undefined {
  if (node === undefined) return undefined;
  const value = numberLiteral(node);
  if (value === undefined || !Number.isInteger(value) || value < least || value > most) {
    throw fault('BadArgument', `${name} is a whole number from ${least} to ${most}`, node);
  }
  return value;
}
