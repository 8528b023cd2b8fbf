/** How the calls of a run are answered: what a user asks for, and what the plan makes of it. */
import type { Targets } from '../physical/cascade/targets.js';

export const strategyKinds = ['direct', 'cascade', 'tree', 'fold', 'pairwise', 'heap', 'listwise'] as const;
/**
 * `direct`: the model answers each input. `cascade`: a cheap proxy answers first, the model where the proxy may be wrong.
 * Aggregates: `tree` joins results of parts, `fold` takes part after part into one result. Top-k: `pairwise` selects by a
 * pivot, `heap` by a tournament of pairs, `listwise` by lists that the model orders.
 */
export type StrategyKind = (typeof strategyKinds)[number];

/** A strategy for the calls of a run that have it; the others run directly. */
export type StrategyRequest =
  | { readonly kind: 'direct' }
  | {
      readonly kind: 'cascade';
      /** Name of the model that answers first. */
      readonly proxy: string;
      readonly targets: Targets;
    }
  | { readonly kind: 'tree' | 'fold' | 'listwise' }
  /** `bothOrders`: each pair is asked twice, the second time the other way round; default false. */
  | { readonly kind: 'pairwise' | 'heap'; readonly bothOrders?: boolean };

/** A cascade as planned for one call; the model of the call is the oracle. */
export interface CascadeSchedule {
  readonly kind: 'cascade';
  readonly proxy: { readonly model: string; readonly queue: string; readonly window: number };
  readonly targets: Targets;
}

/** `labels`: labels are found on a sample, then every input is classified; the others as in `StrategyKind`. */
export type RoundsKind = 'tree' | 'fold' | 'labels' | 'pairwise' | 'heap' | 'listwise';

/** A call that is answered in rounds of questions, each round made from the answers of those before. */
export interface RoundsSchedule {
  readonly kind: RoundsKind;
  /** Tokens of data that one question may hold, as `estimateTokens` counts them. */
  readonly tokens: number;
  /** Of a top-k. */
  readonly top?: TopK & { readonly bothOrders: boolean };
}

/** Which inputs a query needs in order: the first `count` of them, by falling score, or with `least`, by rising score. */
export interface TopK {
  readonly count: number;
  readonly least: boolean;
}
