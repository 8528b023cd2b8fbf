/** AI_SIMILARITY is written in terms of AI_EMBED before a query is planned, so that each text is embedded once. */
import { type ArgumentNames, sortArguments } from './arguments.js';
import { fault } from './fault.js';
import type { InputDraft } from './prompt.js';
import { child, functionCall, isClass, mapNodes, nodes, positionOf, type SqlNode, text } from './tree.js';

const names: ArgumentNames = {
  usage: 'AI_SIMILARITY(a, b [, {model}])',
  positional: ['a', 'b'],
  plain: true,
  required: 2,
  options: ['model'],
};

/** Key of the name under which the user wrote what has been rewritten; DuckDB reads over it. */
const writtenAs = 'written_as';

/** The function that an expression was before it was rewritten, in lower case; empty for any other expression. */
export function formerName(node: SqlNode): string {
  return text(node, writtenAs);
}

/** A copy of the query in which each `AI_SIMILARITY(a, b)` is the cosine of `AI_EMBED(a)` and `AI_EMBED(b)`, a DOUBLE. */
export function withoutSimilarity(query: SqlNode): SqlNode {
  return mapNodes(query, (node) => (isSimilarity(node) ? rewritten(node) : undefined));
}

function isSimilarity(node: SqlNode): boolean {
  if (!isClass(node, 'FUNCTION')) return false;
  const name = text(node, 'function_name').toLowerCase();
  return name === 'ai_similarity' || (name === 'similarity' && text(node, 'schema').toLowerCase() === 'ai');
}

function rewritten(node: SqlNode): SqlNode {
  const { named } = sortArguments(node, names);
  const model = named.get('model');
  const sides = [named.get('a') ?? node, named.get('b') ?? node].map((side) => withoutSimilarity(side));
  return { ...similarity(sides, model, positionOf(node)), alias: text(node, 'alias') };
}

/** How alike two values are: the cosine of their vectors, from -1 to 1. */
export function similarity(sides: readonly SqlNode[], model: SqlNode | undefined, position?: number): SqlNode {
  const options = model === undefined ? [] : [{ ...model, alias: 'model' }];
  const embeds = sides.map((side) => functionCall('ai_embed', [side, ...options], position));
  return {
    class: 'CAST',
    type: 'OPERATOR_CAST',
    alias: '',
    [writtenAs]: 'ai_similarity',
    child: functionCall('list_cosine_similarity', embeds, position),
    cast_type: { id: 'DOUBLE', type_info: null },
    try_cast: false,
  };
}

/** Vectors of texts and of images come from different models. Throws `TypeMismatch` where one is compared with the other. */
export function refuseMixed(node: SqlNode, inputsOf: (embed: SqlNode) => readonly InputDraft[]): void {
  if (formerName(node) !== 'ai_similarity') return;
  const call = child(node, 'child');
  const [a, b] = nodes(call ?? {}, 'children').flatMap((embed) => inputsOf(embed));
  if (a === undefined || b === undefined || a.modality === b.modality) return;
  const hint = 'Compare two texts, or two images; AI_SCORE(PROMPT(…, image, text)) asks a model that sees.';
  throw fault('TypeMismatch', `AI_SIMILARITY compares ${a.modality} with ${b.modality}`, call, hint);
}
