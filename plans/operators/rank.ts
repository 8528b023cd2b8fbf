import { decodeAnswer } from './decode.js';
import { asWritten, type Decoded, parametersOf, type SemanticOperator } from './operator.js';
import type { OutputType } from './output.js';

export const ranking: OutputType = { kind: 'list', item: { kind: 'integer' } };

const tokensPerPlace = 6;

/** The order of several items: a step of a top-k by lists. Input: the packed items, numbered from 1. */
export const rank: SemanticOperator = {
  system: (call) => {
    const { least } = parametersOf(call, 'rank');
    return `Order the items by how they would score, ${least ? 'lowest' : 'highest'} first. Name every item once, by its number. Reply with JSON: {"answer": [number, ...]}.`;
  },
  ask: asWritten,
  render: ([items = ''], call) => {
    const { criterion, least } = parametersOf(call, 'rank');
    return `${items}\n\nOrder all items, ${least ? 'lowest' : 'highest'} first, by how they score on this: ${criterion}`;
  },
  maxOutputTokens: (call) => 40 + tokensPerPlace * parametersOf(call, 'rank').size,
  decode: (reply, call) => {
    const decoded = decodeAnswer(reply, ranking);
    return decoded.ok ? places(decoded.value as readonly number[], parametersOf(call, 'rank').size) : decoded;
  },
  // made by the engine, never by a user
  check: () => undefined,
};

/** Lists of one round differ by one item at most. */
function places(order: readonly number[], size: number): Decoded {
  const problem = orderProblem(order, order.length === size - 1 ? size - 1 : size);
  return problem === undefined ? { ok: true, value: order } : { ok: false, problem };
}

/** Why a list is no order of the items 1 to `size`; undefined when it is. */
export function orderProblem(order: readonly number[], size: number): string | undefined {
  const strange = order.find((place) => !(Number.isInteger(place) && place >= 1 && place <= size));
  if (strange !== undefined) return `There is no item ${strange}.`;
  if (new Set(order).size < order.length) return 'An item is named twice.';
  return order.length === size ? undefined : `The order names ${order.length} of ${size} items.`;
}
