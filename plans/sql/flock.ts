/** FlockMTL's argument form: `({'model_name': …}, {'prompt': …, 'context_columns': [{'data': column, 'name': …}]})`. */
import { fault } from './fault.js';
import { listLiteral, stringLiteral, structLiteral } from './literals.js';
import { literalPrompt, type Prompt, type PromptArgument, type PromptContext, requireColumn } from './prompt.js';
import { nodes, type SqlNode } from './tree.js';

export interface FlockReading extends Prompt {
  readonly model?: string;
  readonly ignored: readonly string[];
}

/** The arguments apart. The model `default` stands for the run's own. Throws `BadArgument`. */
export function flockParts(node: SqlNode): {
  readonly intent: SqlNode;
  readonly columns: readonly PromptArgument[];
  readonly model?: string;
  readonly ignored: readonly string[];
} {
  const [modelNode, promptNode, extra] = nodes(node, 'children');
  const model = structLiteral(modelNode);
  const prompt = structLiteral(promptNode);
  if (model === undefined || prompt === undefined || extra !== undefined) {
    throw fault('BadArgument', 'it takes two structs, the model and the prompt', node, flockHint);
  }
  const intent = field(prompt, 'prompt');
  if (intent === undefined) throw fault('BadArgument', 'the prompt struct has no "prompt"', promptNode, flockHint);
  const columns = contextColumns(field(prompt, 'context_columns'));
  const name = stringLiteral(field(model, 'model_name'));
  const ignored = [...model, ...prompt].map(([key]) => key).filter((key) => !usedKeys.has(key));
  return { intent, columns, ignored, ...(name === undefined || name === 'default' ? {} : { model: name }) };
}

/** Throws `BadArgument` and `PromptWithoutColumn`. */
export function readFlock(node: SqlNode, context: PromptContext): FlockReading {
  const { intent, columns, ...rest } = flockParts(node);
  const read = literalPrompt(intent, columns, context);
  requireColumn(read, nodes(node, 'children')[1] ?? node, flockHint);
  return { ...read, ...rest };
}

const usedKeys = new Set(['model_name', 'prompt', 'context_columns']);
const flockHint =
  "llm_filter({'model_name': 'm'}, {'prompt': 'Is it positive?', 'context_columns': [{'data': review}]})";

function contextColumns(node: SqlNode | undefined): readonly PromptArgument[] {
  if (node === undefined) return [];
  const items = listLiteral(node);
  if (items === undefined) throw fault('BadArgument', 'context_columns must be a list of structs', node, flockHint);
  return items.map((item) => {
    const fields = structLiteral(item);
    const data = fields === undefined ? undefined : field(fields, 'data');
    if (fields === undefined || data === undefined) {
      throw fault('BadArgument', "a context column must be {'data': column}", item, flockHint);
    }
    const name = stringLiteral(field(fields, 'name'));
    const argument = { node: { ...data, alias: '' } };
    return name === undefined ? argument : { ...argument, name };
  });
}

function field(fields: readonly (readonly [string, SqlNode])[], name: string): SqlNode | undefined {
  return fields.find(([key]) => key.toLowerCase() === name)?.[1];
}
