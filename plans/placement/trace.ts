/** What each step did to the tree and why: EXPLAIN prints it. */
import type { NodeId, PlacementTree } from './tree.js';

export type StepName =
  | 'split-conjunctions'
  | 'decompose-joins'
  | 'pull-up-projections'
  | 'push-down'
  | 'pull-up'
  | 'place-by-cost'
  | 'settle';

export interface TraceEntry {
  readonly step: StepName;
  /** The node that moved, or that the step is about. */
  readonly node: NodeId;
  /** The node that it crossed or now stands over. */
  readonly over?: NodeId;
  readonly reason: string;
}

export interface Stepped {
  readonly tree: PlacementTree;
  readonly trace: readonly TraceEntry[];
}
