/** Small random tables, with NULLs and repeated values, and answers that depend on the prompt alone. */
import { postOrder } from '../../../plans/placement/children.js';
import type { PlanNode } from '../../../plans/placement/tree.js';
import type { Random } from '../../../plans/tuning/numeric/random.js';
import type { Truth, Value, World } from './evaluate.js';

export function randomWorld(root: PlanNode, random: Random, mostRows = 8): Omit<World, 'asked'> {
  const value = (): Value => (random.uniform() < 0.1 ? null : Math.floor(random.uniform() * 4));
  const tables = Object.fromEntries(
    postOrder(root).flatMap((node) => {
      if (node.kind !== 'relation') return [];
      const size = Math.floor(random.uniform() * mostRows);
      const tuple = () => Object.fromEntries(node.columns.map((column) => [column, value()]));
      return [[node.relation, Array.from({ length: size }, tuple)]];
    }),
  );
  const seed = Math.floor(random.uniform() * 1e9);
  const decide = (name: string, values: readonly Value[]): Truth => {
    const dice = hash(`${seed} ${name} ${JSON.stringify(values)}`);
    return dice < 0.1 ? null : dice < 0.6;
  };
  return { tables, answer: decide, holds: decide };
}

/** FNV-1a, mixed, as a number in [0, 1). */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  state = Math.imul(state ^ (state >>> 15), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return ((state ^ (state >>> 16)) >>> 0) / 4294967296;
}
