/** Packs the items of groups into questions that fit a model. */
import { estimateTokens } from '../../cost/tokens.js';
import { splitText } from './split.js';

export interface Item {
  readonly group: number;
  readonly text: string;
}

/** Consecutive items of one group that are asked about together. */
export interface Chunk {
  readonly group: number;
  /** Number within its group, from 0. */
  readonly index: number;
  /** Whether no chunk of the group follows. */
  readonly last: boolean;
  readonly items: readonly string[];
}

export interface PackOptions {
  /** Tokens of the first chunk of a group. */
  readonly tokens: number;
  /** Tokens of its further chunks; default the same. */
  readonly further?: number;
  /** Items that a chunk takes whatever their size, where the group has them; default 1. */
  readonly least?: number;
}

/** Number and fence of an item. */
const fenceTokens = 12;

/** Tokens that an item takes up in a prompt, about. */
export function itemTokens(text: string): number {
  return estimateTokens(text) + fenceTokens;
}

/**
 * Chunks in the order of the items, which come group by group. An item that is larger than a chunk is cut, unless `least`
 * is above 1: such items are results of ours. Holds one chunk in memory.
 */
export async function* packItems(
  items: AsyncIterable<Item> | Iterable<Item>,
  { tokens, further = tokens, least = 1 }: PackOptions,
): AsyncGenerator<Chunk> {
  let held: Chunk | undefined;
  let group = -1;
  let index = 0;
  let texts: string[] = [];
  let used = 0;
  const close = (): Chunk | undefined => {
    const full = held;
    held = texts.length === 0 ? undefined : { group, index, last: true, items: texts };
    if (held !== undefined) index += 1;
    texts = [];
    used = 0;
    return full;
  };
  for await (const item of items) {
    if (item.group !== group) {
      const before = close();
      if (before !== undefined) yield { ...before, last: held === undefined };
      if (held !== undefined) yield held;
      held = undefined;
      group = item.group;
      index = 0;
    }
    const pieces = least > 1 ? [item.text] : splitText(item.text, Math.min(tokens, further) - fenceTokens);
    for (const text of pieces) {
      const size = itemTokens(text);
      if (texts.length >= least && used + size > (index === 0 ? tokens : further)) {
        const before = close();
        if (before !== undefined) yield { ...before, last: false };
      }
      texts.push(text);
      used += size;
    }
  }
  const before = close();
  if (before !== undefined) yield { ...before, last: held === undefined };
  if (held !== undefined) yield held;
}
