/** What AI_DEDUP asks: written by the rewriting of the function in FROM as a call over columns. */
import { maxNeighbours } from '../operators/dedup.js';
import { type ArgumentNames, type CallArguments, sortArguments } from './arguments.js';
import { fault } from './fault.js';
import type { CallReading } from './functions.js';
import { readGuidance } from './guidance.js';
import { listLiteral, numberLiteral, stringLiteral } from './literals.js';
import { escapeBraces } from './placeholders.js';
import type { InputDraft, PromptContext } from './prompt.js';
import { functionCall, integerConstant, isClass, type SqlNode, texts } from './tree.js';

export const dedupUsage =
  "AI_DEDUP('table', columns, 'what is the same' [, {keep, within, neighbours, nearness, model}])";
/** Options that the call takes; `keep` is the rewriting's. */
export const dedupOptions = ['within', 'neighbours', 'nearness', 'model', 'instructions'] as const;
/** Others that a row is compared with, unless it is said. */
const usualNeighbours = 5;

const names: ArgumentNames = {
  usage: dedupUsage,
  positional: ['columns', 'instruction'],
  required: 2,
  options: dedupOptions,
};

/** Inputs are the columns, then the keys. A row is without an answer where all of its columns are NULL, or any key is. */
export function readEntities(node: SqlNode, context: PromptContext): CallReading {
  const args = sortArguments(node, names);
  const columns = listLiteral(args.named.get('columns')) ?? [];
  const keys = listLiteral(args.named.get('within')) ?? [];
  const inputs = [...columns.map((column) => inputOf(column, columns, context)), ...keys.map(context.input)];
  const instruction = textOf(args, 'instruction');
  const template = `${escapeBraces(instruction)}: ${inputs.map((_, at) => `{${at}}`).join(' ')}`;
  const neighbours = args.named.get('neighbours');
  const nearness = nearnessOf(args);
  const model = args.named.has('model') ? { model: textOf(args, 'model') } : {};
  return {
    ...{ template, inputs, ignored: args.ignored },
    parameters: {
      ...{ kind: 'dedup', instruction, keys: keys.length },
      neighbours: neighbours === undefined ? usualNeighbours : count(neighbours),
      ...(nearness === undefined ? {} : { nearness }),
    },
    ...readGuidance(args, { template, inputs }, { kind: 'integer' }),
    ...model,
  };
}

/** A column that is compared beside others is empty where it is NULL and another one is not. */
function inputOf(column: SqlNode, columns: readonly SqlNode[], context: PromptContext): InputDraft {
  const plain = context.input(column);
  if (columns.length === 1 || plain.modality !== 'text') return plain;
  const other = functionCall('left', [coalesce(columns.map(asText)), integerConstant(0)]);
  const name = isClass(column, 'COLUMN_REF') ? texts(column, 'column_names').at(-1) : undefined;
  return { ...context.input(coalesce([asText(column), other])), label: name ?? plain.label };
}

function coalesce(children: readonly SqlNode[]): SqlNode {
  return { class: 'OPERATOR', type: 'OPERATOR_COALESCE', alias: '', children };
}

function asText(child: SqlNode): SqlNode {
  const cast_type = { id: 'VARCHAR', type_info: null };
  return { class: 'CAST', type: 'OPERATOR_CAST', alias: '', child, cast_type, try_cast: false };
}

function textOf({ named, node }: CallArguments, name: string): string {
  const given = named.get(name);
  const words = stringLiteral(given);
  if (words !== undefined && words.trim() !== '') return words;
  throw fault('BadArgument', `the ${name} of AI_DEDUP must be a text literal`, given ?? node, dedupUsage);
}

function nearnessOf(args: CallArguments): string | undefined {
  if (!args.named.has('nearness')) return undefined;
  const name = textOf(args, 'nearness');
  if (/^(?:lexicon|embedding(?::.+)?)$/s.test(name)) return name;
  const hint = "nearness: 'lexicon' compares spelling, 'embedding' or 'embedding:MODEL' vectors.";
  throw fault('BadArgument', `there is no nearness "${name}"`, args.named.get('nearness'), hint);
}

function count(node: SqlNode): number {
  const value = numberLiteral(node);
  if (value !== undefined && Number.isInteger(value) && value >= 1 && value <= maxNeighbours) return value;
  throw fault('BadArgument', `neighbours is a whole number from 1 to ${maxNeighbours}`, node);
}
