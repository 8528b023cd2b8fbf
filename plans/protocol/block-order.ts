/** In which order the nested queries of a run are run, where that is found while it runs. */
import type { NestedBlock } from '../sql/plan.js';

/** Part of the run's plan, which is stored anew for each block: a crash loses no decision. */
export interface BlockOrder {
  /** Indexes of the nested queries behind the one of the plan. */
  readonly left: readonly number[];
  /** Of the blocks of groups that were run, by index: rows that were asked about, and those that passed. */
  readonly passed: Readonly<Record<number, { readonly rows: number; readonly passed: number }>>;
}

/** The order as written; undefined where nothing is to choose. */
export function writtenOrder(before: readonly NestedBlock[]): BlockOrder | undefined {
  if (before.every(({ group }) => group === undefined)) return undefined;
  return { left: before.slice(1).map((_, at) => at + 1), passed: {} };
}

/** The first that is left, pilots left out: what a run asks about that nobody chooses for. */
export function firstLeft({ left }: BlockOrder, before: readonly NestedBlock[]): number | undefined {
  return left.find((at) => before[at]?.pilotOf === undefined);
}
